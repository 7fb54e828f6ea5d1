import { cancelFromPortal, undoCancellation, undoScheduledChange } from '../../billing/portal/actions.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { nothingToDoPage, unknownLinkPage } from '../error-pages.ts'
import { formatDate, formatPlanName, formatPrice } from '../format.ts'
import { buttonForm, postForm } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { descriptionList, type HtmlPage } from '../layout.ts'
import { checkFormToken, type PageResponse } from '../page-request.ts'
import {
  completePortalAction,
  exitLink,
  originAfterCompletion,
  type PortalPageRequest,
  requestedSubscription,
} from './page-request.ts'

/** The page to cancel a subscription, at the end of the period or at once, depending on the configuration. */
export function showCancel(portal: PortalPageRequest): HtmlPage {
  const { subscription_cancel: feature } = portal.configuration.features
  if (!feature.enabled) return unknownLinkPage()
  const named = requestedSubscription(portal)
  if (!named || named.subscription.cancel_at !== null) return nothingToDoPage(portal.returnUrl)
  const item = named.subscription.items[0]!
  const later = feature.mode === 'at_period_end'
  return {
    status: 200,
    title: 'Cancel your plan',
    notice: portal.notice,
    redirectsTo: originAfterCompletion(portal),
    body: html`${descriptionList([
      { name: 'Plan', value: formatPlanName(named) },
      { name: 'Price', value: formatPrice(named.price, item.quantity) },
      { name: 'Ends', value: later ? formatDate(item.current_period_end) : 'At once', sum: true },
    ])}
<p>${
      later
        ? 'Until then everything stays as it is, and you can change your mind. No further period will be charged.'
        : 'It cannot be resumed afterwards. No further period will be charged.'
    }</p>
${postForm(
  portal,
  cancelPath(portal, named.subscription),
  named.subscription.items,
  html`<div class="actions"><button class="danger">Cancel plan</button>
${exitLink(portal, 'Keep plan')}</div>`,
)}`,
  }
}

/** Cancels the subscription unless a cancellation is already pending. */
export function submitCancel(portal: PortalPageRequest): PageResponse {
  const subscription = requestedSubscription(portal)?.subscription
  if (!subscription) return nothingToDoPage(portal.returnUrl)
  if (subscription.cancel_at !== null) return { redirect: portal.home }
  checkFormToken(portal, cancelPath(portal, subscription), subscription.items)
  cancelFromPortal(portal.ctx, portal.session.id, { subscription: subscription.id })
  return completePortalAction(portal, 'cancel')
}

/** The button that reverts a pending cancellation or plan change. */
export function keepPlanButton(portal: PortalPageRequest, subscription: Subscription): Html {
  return buttonForm(portal, keepPath(portal, subscription), pendingChanges(subscription), 'Keep this plan')
}

/** Reverts a pending cancellation or plan change. */
export function submitKeepPlan(portal: PortalPageRequest): PageResponse {
  const { ctx, session } = portal
  const subscription = requestedSubscription(portal)?.subscription
  if (!subscription) return nothingToDoPage(portal.returnUrl)
  if (subscription.cancel_at === null && subscription.schedule === null) return { redirect: portal.home }
  checkFormToken(portal, keepPath(portal, subscription), pendingChanges(subscription))
  undoScheduledChange(ctx, session.id, { subscription: subscription.id })
  if (subscription.cancel_at !== null) undoCancellation(ctx, session.id, { subscription: subscription.id })
  return completePortalAction(portal, 'keep')
}

function pendingChanges(subscription: Subscription): unknown {
  return [subscription.cancel_at, subscription.schedule]
}

function cancelPath(portal: PortalPageRequest, subscription: Subscription): string {
  return `${portal.home}/cancel/${subscription.id}`
}

function keepPath(portal: PortalPageRequest, subscription: Subscription): string {
  return `${portal.home}/keep/${subscription.id}`
}
