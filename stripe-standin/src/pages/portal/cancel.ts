import { cancelAtPeriodEnd, dropScheduledChange, resume } from '../../billing/portal/actions.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { nothingToDo, unknownLink } from '../error-pages.ts'
import { dayOf, planName, priceInWords } from '../format.ts'
import { buttonForm, postForm } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { facts, type Page } from '../layout.ts'
import { mustFit, type Outcome } from '../page-request.ts'
import { finish, namedSubscription, type PortalVisit, siteAfter, wayOut } from './page-request.ts'

/** The page where a person ends a subscription, with the paid period or at once, as the portal is set up. */
export function showCancel(portal: PortalVisit): Page {
  const { subscription_cancel: feature } = portal.configuration.features
  if (!feature.enabled) return unknownLink()
  const named = namedSubscription(portal)
  if (!named || named.subscription.cancel_at !== null) return nothingToDo(portal.returnUrl)
  const item = named.subscription.items[0]!
  const later = feature.mode === 'at_period_end'
  return {
    status: 200,
    title: 'Cancel your plan',
    notice: portal.notice,
    redirectsTo: siteAfter(portal),
    body: html`${facts([
      { name: 'Plan', value: planName(named) },
      { name: 'Price', value: priceInWords(named.price, item.quantity) },
      { name: 'Ends', value: later ? dayOf(item.current_period_end) : 'At once', sum: true },
    ])}
<p>${
      later
        ? 'Until then everything stays as it is, and you can change your mind. No further period will be charged.'
        : 'It cannot be taken up again afterwards. No further period will be charged.'
    }</p>
${postForm(
  portal,
  cancelAddress(portal, named.subscription),
  named.subscription.items,
  html`<div class="actions"><button class="grave">Cancel plan</button>
${wayOut(portal, 'Keep plan')}</div>`,
)}`,
  }
}

/** Ends the subscription; one that is to end already is left so. */
export function submitCancel(portal: PortalVisit): Outcome {
  const subscription = namedSubscription(portal)?.subscription
  if (!subscription) return nothingToDo(portal.returnUrl)
  if (subscription.cancel_at !== null) return { redirect: portal.home }
  mustFit(portal, cancelAddress(portal, subscription), subscription.items)
  cancelAtPeriodEnd(portal.desk, portal.session.id, { subscription: subscription.id })
  return finish(portal, 'cancel')
}

/** The button that takes back a cancellation, or a change, that waits for the end of the period. */
export function keepButton(portal: PortalVisit, subscription: Subscription): Html {
  return buttonForm(portal, keepAddress(portal, subscription), waitingFor(subscription), 'Keep this plan')
}

/** Takes back what waits for the end of the period. */
export function submitKeep(portal: PortalVisit): Outcome {
  const { desk, session } = portal
  const subscription = namedSubscription(portal)?.subscription
  if (!subscription) return nothingToDo(portal.returnUrl)
  if (subscription.cancel_at === null && subscription.schedule === null) return { redirect: portal.home }
  mustFit(portal, keepAddress(portal, subscription), waitingFor(subscription))
  dropScheduledChange(desk, session.id, { subscription: subscription.id })
  if (subscription.cancel_at !== null) resume(desk, session.id, { subscription: subscription.id })
  return finish(portal, 'keep')
}

function waitingFor(subscription: Subscription): unknown {
  return [subscription.cancel_at, subscription.schedule]
}

function cancelAddress(portal: PortalVisit, subscription: Subscription): string {
  return `${portal.home}/cancel/${subscription.id}`
}

function keepAddress(portal: PortalVisit, subscription: Subscription): string {
  return `${portal.home}/keep/${subscription.id}`
}
