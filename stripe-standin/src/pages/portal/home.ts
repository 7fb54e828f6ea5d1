import { canPay, methodFor } from '../../billing/invoices/payments.ts'
import { payInvoice } from '../../billing/portal/actions.ts'
import type { PortalSubscription } from '../../billing/portal/view.ts'
import { resumePaused } from '../../billing/subscriptions/periods.ts'
import { methodOf } from '../../billing/subscriptions/record.ts'
import { cardDeclined } from '../../http/errors.ts'
import { amountDue } from '../../presenters/invoices.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { nothingToDo, unknownLink } from '../error-pages.ts'
import { cardInWords, dayOf, invoiceStanding, money, planName, priceInWords, standing } from '../format.ts'
import { buttonForm } from '../forms.ts'
import { type Html, type HtmlPart, html, wayBack } from '../html.ts'
import { facts, type Page } from '../layout.ts'
import { mustFit, type Outcome } from '../page-request.ts'
import { keepButton } from './cancel.ts'
import { deedInWords, finish, namedSubscription, type PortalVisit } from './page-request.ts'

/** The portal's first page: plan, card and invoices, and what can be done about each. */
export function showPortal(portal: PortalVisit): Page {
  const { features } = portal.configuration
  const { paymentMethod: card, subscriptions } = portal
  const done = deedInWords(portal.form.get('did'))
  return {
    status: 200,
    title: 'Your plan and payments',
    notice: portal.notice ?? (done ? { tone: 'good', text: done } : undefined),
    body: html`${portal.customer.email && html`<p>For ${portal.customer.email}</p>`}
${subscriptions.length === 0 && html`<h2>Plan</h2>\n<p>You have no plan at present.</p>`}
${subscriptions.map((each) => subscriptionPart(portal, each))}
<h2>Card</h2>
<p>${card ? cardInWords(card) : 'No card is on file.'}</p>
${
  features.payment_method_update.enabled &&
  html`<div class="actions"><a class="button" href="${portal.home}/card">${card ? 'Change card' : 'Add card'}</a></div>`
}
${features.invoice_history.enabled && html`<h2>Invoices</h2>\n${invoiceList(portal)}`}
${portal.returnUrl && html`<div class="actions last">${wayBack(portal.returnUrl, 'Go back to the service')}</div>`}`,
  }
}

/** Takes a paused subscription up again; that is charged at once. */
export function submitResume(portal: PortalVisit): Outcome {
  const subscription = namedSubscription(portal)?.subscription
  if (!subscription) return nothingToDo(portal.returnUrl)
  if (subscription.status !== 'paused') return { redirect: portal.home }
  mustFit(portal, resumeAddress(portal, subscription), subscription.items)
  if (!canPay(methodOf(portal.desk, subscription))) throw cardDeclined()
  resumePaused(portal.desk, subscription, 'now')
  return finish(portal, 'resume')
}

function subscriptionPart(portal: PortalVisit, sold: PortalSubscription): Html {
  const { subscription, scheduled } = sold
  const item = subscription.items[0]!
  return html`<h2>${planName(sold)}</h2>
${facts([
  { name: 'Price', value: priceInWords(sold.price, item.quantity) },
  { name: 'State', value: standing(subscription, item.current_period_end), sum: isTroubled(subscription) },
  subscription.cancel_at !== null && { name: 'Ends on', value: dayOf(subscription.cancel_at), sum: true },
  scheduled && { name: 'Changes to', value: html`${planName(scheduled)} on ${dayOf(scheduled.at)}`, sum: true },
])}
<div class="actions">${subscriptionActions(portal, sold)}</div>`
}

function subscriptionActions(portal: PortalVisit, { subscription, choices }: PortalSubscription): HtmlPart {
  const { features } = portal.configuration
  const { id, status, cancel_at: cancelAt, schedule } = subscription
  return [
    status === 'paused' &&
      portal.paymentMethod !== null &&
      buttonForm(portal, resumeAddress(portal, subscription), subscription.items, 'Take it up again'),
    (cancelAt !== null || schedule !== null) && keepButton(portal, subscription),
    choices.length > 0 && html`<a class="button" href="${portal.home}/plans/${id}">Change plan</a>`,
    cancelAt === null &&
      features.subscription_cancel.enabled &&
      html`<a class="button" href="${portal.home}/cancel/${id}">Cancel plan</a>`,
  ]
}

/** Whether the state asks the person to do something. */
function isTroubled({ status }: Subscription): boolean {
  return status !== 'active' && status !== 'trialing'
}

function resumeAddress(portal: PortalVisit, subscription: Subscription): string {
  return `${portal.home}/resume/${subscription.id}`
}

/** The customer's invoices, the newest first; what is to be paid can be paid here. */
export function invoiceList(portal: PortalVisit): Html {
  if (portal.invoices.length === 0) return html`<p>No invoices yet.</p>`
  return html`<ul class="invoices">${portal.invoices.map((invoice) => invoiceEntry(portal, invoice))}</ul>`
}

/** Charges an open invoice to the card on file. */
export function submitPayment(portal: PortalVisit): Outcome {
  const invoice = portal.invoices.find(({ id }) => id === portal.params.invoice)
  if (!invoice) return unknownLink()
  if (invoice.status !== 'open') return { redirect: portal.home }
  mustFit(portal, addressOf(portal, invoice), amountDue(invoice))
  payInvoice(portal.desk, portal.session.id, { invoice: invoice.id })
  return finish(portal, 'pay')
}

function invoiceEntry(portal: PortalVisit, invoice: Invoice): Html {
  const amount = money(amountDue(invoice), invoice.currency)
  const payable = invoice.status === 'open' && methodFor(portal.desk, invoice) !== null
  return html`<li><span>${dayOf(invoice.created)}<small>${invoice.number ?? 'No number yet'}</small></span>
<span class="end">${amount}<small>${invoiceStanding(invoice.status)}</small></span>
${payable && buttonForm(portal, addressOf(portal, invoice), amountDue(invoice), `Pay ${amount}`)}</li>\n`
}

function addressOf(portal: PortalVisit, invoice: Invoice): string {
  return `${portal.home}/invoices/${invoice.id}/pay`
}
