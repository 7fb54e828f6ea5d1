import { confirmPlanChange, updatePaymentMethod } from '../../billing/portal/actions.ts'
import type { PlanChangePreview } from '../../billing/portal/plan-change.ts'
import { loadConfirmView } from '../../billing/portal/view.ts'
import type { ProductPrice } from '../../billing/subscriptions/record.ts'
import type { PaymentMethod } from '../../state/records.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { nothingToDoPage } from '../error-pages.ts'
import { formatDate, formatMoney, formatPlanName, formatPrice } from '../format.ts'
import { cardRadioGroup, checkCardPays, postForm, readCardChoice } from '../forms.ts'
import { type Html, type HtmlPart, html } from '../html.ts'
import { descriptionList, type HtmlPage } from '../layout.ts'
import { checkFormToken, type PageResponse } from '../page-request.ts'
import { completePortalAction, exitLink, originAfterCompletion, type PortalPageRequest } from './page-request.ts'

/** A plan change to be confirmed. */
export interface PlanChange {
  readonly subscription: Subscription
  readonly from: ProductPrice
  readonly to: ProductPrice
  readonly quantity: number
  readonly preview: PlanChangePreview
  readonly onFile: PaymentMethod | null
  /** Path of the form. */
  readonly action: string
}

/** The form that confirms a plan change, with both plans and the cost. */
export function planChangeForm(portal: PortalPageRequest, change: PlanChange, back: HtmlPart): Html {
  const { subscription, from, to, quantity, preview } = change
  const { currency } = to.price
  const amount = formatMoney(preview.amountDue, currency)
  const now = preview.when === 'now'
  const pays = preview.amountDue > 0
  return html`${descriptionList([
    { name: 'Current plan', value: planLabel(from, subscription.items[0]!.quantity) },
    { name: 'New plan', value: planLabel(to, quantity) },
    { name: 'It changes', value: now ? 'At once' : html`On ${formatDate(preview.at)}` },
    now && subscription.status === 'trialing' && pays && { name: 'Your trial', value: 'Ends now' },
    subscription.cancel_at !== null && { name: 'Still ends on', value: formatDate(subscription.cancel_at) },
    ...preview.lines.map((line) => ({ name: line.description, value: formatMoney(line.amount, currency) })),
    { name: 'To be paid now', value: amount, sum: true },
  ])}
${postForm(
  portal,
  change.action,
  shownState(change),
  html`<input type="hidden" name="price" value="${to.price.id}">
${pays && cardRadioGroup(portal.form, { chargedNow: true, onFile: change.onFile })}
<div class="actions"><button class="main">${pays ? `Pay ${amount} and change plan` : 'Change plan'}</button>
${back}</div>`,
)}`
}

/** Checks the form, and replaces the card on file if a new one was chosen. */
export function acceptPlanChangeForm(portal: PortalPageRequest, change: PlanChange): void {
  checkFormToken(portal, change.action, shownState(change))
  if (change.preview.amountDue === 0) return
  const card = readCardChoice(portal.form)
  checkCardPays(card, change.onFile)
  if (card !== 'on_file') updatePaymentMethod(portal.ctx, portal.session.id, { card })
}

function planLabel(plan: ProductPrice, quantity: number): string {
  return `${formatPlanName(plan)}, ${formatPrice(plan.price, quantity)}`
}

/** Without the amount, which falls from minute to minute. */
function shownState({ subscription, to, quantity, preview, onFile }: PlanChange): unknown {
  return [
    subscription.status,
    subscription.items,
    to.price.id,
    quantity,
    preview.when,
    preview.amountDue > 0,
    onFile?.id,
  ]
}

export function showConfirm(portal: PortalPageRequest): PageResponse {
  if (!isAwaitingConfirmation(portal)) return { redirect: portal.home }
  const change = loadPlanChange(portal)
  return change ? confirmPage(portal, change) : nothingToDoPage(portal.returnUrl)
}

export function submitConfirm(portal: PortalPageRequest): PageResponse {
  if (!isAwaitingConfirmation(portal)) return { redirect: portal.home }
  const change = loadPlanChange(portal)
  if (!change) return nothingToDoPage(portal.returnUrl)
  acceptPlanChangeForm(portal, change)
  confirmPlanChange(portal.ctx, portal.session.id)
  return completePortalAction(portal, change.preview.when === 'now' ? 'change' : 'schedule')
}

/** False for other kinds of links and once the change is made. */
function isAwaitingConfirmation({ session }: PortalPageRequest): boolean {
  return session.flow?.type === 'subscription_update_confirm' && session.completed_at === null
}

function confirmPage(portal: PortalPageRequest, change: PlanChange): HtmlPage {
  return {
    status: 200,
    title: 'Confirm your new plan',
    notice: portal.notice,
    redirectsTo: originAfterCompletion(portal),
    body: planChangeForm(portal, change, exitLink(portal, 'Go back')),
  }
}

function loadPlanChange(portal: PortalPageRequest): PlanChange | null {
  const view = loadConfirmView(portal.ctx, portal.session.id)
  const { flow } = view.session
  if (!view.preview || flow?.type !== 'subscription_update_confirm') return null
  return {
    subscription: view.subscription,
    from: view.from,
    to: view.to,
    quantity: flow.quantity,
    preview: view.preview,
    onFile: view.paymentMethod,
    action: `/pay/confirm/${view.session.id}`,
  }
}
