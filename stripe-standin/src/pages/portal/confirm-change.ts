import { confirmUpdate, updatePaymentMethod } from '../../billing/portal/actions.ts'
import type { ChangePreview } from '../../billing/portal/plan-change.ts'
import { viewConfirm } from '../../billing/portal/view.ts'
import type { PaymentMethod } from '../../state/records.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { nothingToDo } from '../error-pages.ts'
import { dayOf, money, planName, priceInWords, type Sold } from '../format.ts'
import { cardChoice, chosenCard, mustPay, postForm } from '../forms.ts'
import type { HtmlPart } from '../html.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { facts } from '../layout.ts'
import type { Outcome } from '../page-request.ts'
import { mustFit } from '../page-request.ts'
import { finish, type PortalVisit, siteAfter, wayOut } from './page-request.ts'

/** One exact change of plan, as a person is asked to confirm it. */
export interface PlanChange {
  readonly subscription: Subscription
  readonly from: Sold
  readonly to: Sold
  readonly quantity: number
  readonly preview: ChangePreview
  readonly onFile: PaymentMethod | null
  /** Where the form is sent. */
  readonly action: string
}

/** Old plan, new plan, what it costs now and how it comes about, and the form that confirms it. */
export function changeForm(portal: PortalVisit, change: PlanChange, back: HtmlPart): Html {
  const { subscription, from, to, quantity, preview } = change
  const { currency } = to.price
  const amount = money(preview.amountDue, currency)
  const now = preview.when === 'now'
  const pays = preview.amountDue > 0
  return html`${facts([
    { name: 'Present plan', value: sold(from, subscription.items[0]!.quantity) },
    { name: 'New plan', value: sold(to, quantity) },
    { name: 'It changes', value: now ? 'At once' : html`On ${dayOf(preview.at)}` },
    now && subscription.status === 'trialing' && pays && { name: 'Your trial', value: 'Ends now' },
    subscription.cancel_at !== null && { name: 'Still ends on', value: dayOf(subscription.cancel_at) },
    ...preview.lines.map((line) => ({ name: line.description, value: money(line.amount, currency) })),
    { name: 'To be paid now', value: amount, sum: true },
  ])}
${postForm(
  portal,
  change.action,
  shownOf(change),
  html`<input type="hidden" name="price" value="${to.price.id}">
${pays && cardChoice(portal.form, { chargedNow: true, onFile: change.onFile })}
<div class="actions"><button class="main">${pays ? `Pay ${amount} and change plan` : 'Change plan'}</button>
${back}</div>`,
)}`
}

/** Checks what the form sent, and puts a new card in place of the one on file if one was chosen. */
export function agreeToChange(portal: PortalVisit, change: PlanChange): void {
  mustFit(portal, change.action, shownOf(change))
  if (change.preview.amountDue === 0) return
  const card = chosenCard(portal.form)
  mustPay(card, change.onFile)
  if (card !== 'on_file') updatePaymentMethod(portal.desk, portal.session.id, { card })
}

function sold(plan: Sold, quantity: number): string {
  return `${planName(plan)}, ${priceInWords(plan.price, quantity)}`
}

/** The amount falls from minute to minute, so that not it but what it is made from has to be the same still. */
function shownOf({ subscription, to, quantity, preview, onFile }: PlanChange): unknown {
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

/** The page that confirms the one change that a link was made for. */
export function showConfirm(portal: PortalVisit): Outcome {
  if (!isForConfirming(portal)) return { redirect: portal.home }
  const change = changeToConfirm(portal)
  return change ? pageOf(portal, change) : nothingToDo(portal.returnUrl)
}

/** Does that change. */
export function submitConfirm(portal: PortalVisit): Outcome {
  if (!isForConfirming(portal)) return { redirect: portal.home }
  const change = changeToConfirm(portal)
  if (!change) return nothingToDo(portal.returnUrl)
  agreeToChange(portal, change)
  confirmUpdate(portal.desk, portal.session.id)
  return finish(portal, change.preview.when === 'now' ? 'change' : 'schedule')
}

/** False for another link's id, and once the change is done and the link has become one to the portal. */
function isForConfirming({ session }: PortalVisit): boolean {
  return session.flow?.type === 'subscription_update_confirm' && session.completed_at === null
}

function pageOf(portal: PortalVisit, change: PlanChange): Page {
  return {
    status: 200,
    title: 'Confirm your new plan',
    notice: portal.notice,
    redirectsTo: siteAfter(portal),
    body: changeForm(portal, change, wayOut(portal, 'Go back')),
  }
}

function changeToConfirm(portal: PortalVisit): PlanChange | null {
  const view = viewConfirm(portal.desk, portal.session.id)
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
