import { changePlan } from '../../billing/portal/actions.ts'
import type { PortalSubscription } from '../../billing/portal/view.ts'
import { nothingToDoPage } from '../error-pages.ts'
import { formatDate, formatMoney, formatPlanName, formatPrice } from '../format.ts'
import { radioGroup } from '../forms.ts'
import { html } from '../html.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageResponse } from '../page-request.ts'
import { acceptPlanChangeForm, type PlanChange, planChangeForm } from './confirm-change.ts'
import {
  completePortalAction,
  exitLink,
  originAfterCompletion,
  type PortalPageRequest,
  requestedSubscription,
} from './page-request.ts'

export function showPlans(portal: PortalPageRequest): HtmlPage {
  const named = requestedSubscription(portal)
  if (!named || named.choices.length === 0) return nothingToDoPage(portal.returnUrl)
  const { quantity } = named.subscription.items[0]!
  return {
    status: 200,
    title: 'Choose another plan',
    notice: portal.notice,
    body: html`<p>Your current plan is ${formatPlanName(named)}, ${formatPrice(named.price, quantity)}.</p>
<form method="get" action="${changePath(portal, named)}">
${radioGroup(
  'price',
  'New plan',
  named.choices.map((choice) => ({
    value: choice.price.id,
    label: html`${formatPlanName(choice)}, ${formatPrice(choice.price, quantity)}`,
    hint:
      choice.preview.when === 'now'
        ? `At once; ${formatMoney(choice.preview.amountDue, choice.price.currency)} to be paid now.`
        : html`From ${formatDate(choice.preview.at)}, when the paid period ends.`,
  })),
  portal.form.get('price'),
)}
<div class="actions"><button class="main">Review this change</button>
${exitLink(portal, 'Go back')}</div>
</form>`,
  }
}

export function showPlanChange(portal: PortalPageRequest): HtmlPage {
  const change = chosenPlanChange(portal)
  if (!change) return nothingToDoPage(portal.returnUrl)
  const back = html`<a class="button" href="${portal.home}/plans/${change.subscription.id}?price=${encodeURIComponent(change.to.price.id)}">Go back</a>`
  return {
    status: 200,
    title: 'Confirm your new plan',
    notice: portal.notice,
    redirectsTo: originAfterCompletion(portal),
    body: planChangeForm(portal, change, back),
  }
}

/** Changes the plan; does nothing if the customer already has it. */
export function submitPlanChange(portal: PortalPageRequest): PageResponse {
  const change = chosenPlanChange(portal)
  if (!change) return { redirect: portal.home }
  acceptPlanChangeForm(portal, change)
  changePlan(portal.ctx, portal.session.id, { subscription: change.subscription.id, price: change.to.price.id })
  return completePortalAction(portal, change.preview.when === 'now' ? 'change' : 'schedule')
}

function chosenPlanChange(portal: PortalPageRequest): PlanChange | undefined {
  const named = requestedSubscription(portal)
  const to = named?.choices.find(({ price }) => price.id === portal.form.get('price'))
  if (!named || !to || to.price.id === named.scheduled?.price.id) return undefined
  const { subscription } = named
  return {
    subscription,
    from: named,
    to,
    quantity: subscription.items[0]!.quantity,
    preview: to.preview,
    onFile: portal.paymentMethod,
    action: changePath(portal, named),
  }
}

function changePath(portal: PortalPageRequest, { subscription }: PortalSubscription): string {
  return `${portal.home}/change/${subscription.id}`
}
