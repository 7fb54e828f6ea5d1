import { canBeCharged, paymentMethodForInvoice } from '../../billing/invoices/payments.ts'
import { payInvoice } from '../../billing/portal/actions.ts'
import type { PortalSubscription } from '../../billing/portal/view.ts'
import { resumePausedSubscription } from '../../billing/subscriptions/periods.ts'
import { paymentMethodForSubscription } from '../../billing/subscriptions/record.ts'
import { amountDue } from '../../presenters/invoices.ts'
import { cardDeclined } from '../../state/errors.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { nothingToDoPage, unknownLinkPage } from '../error-pages.ts'
import {
  describeInvoiceStatus,
  describeSubscriptionStatus,
  formatCard,
  formatDate,
  formatMoney,
  formatPlanName,
  formatPrice,
} from '../format.ts'
import { buttonForm } from '../forms.ts'
import { externalLinkButton, type Html, type HtmlPart, html } from '../html.ts'
import { descriptionList, type HtmlPage } from '../layout.ts'
import { checkFormToken, type PageResponse } from '../page-request.ts'
import { keepPlanButton } from './cancel.ts'
import {
  completePortalAction,
  describePortalAction,
  type PortalPageRequest,
  requestedSubscription,
} from './page-request.ts'

/** The portal's home page: plans, card and invoices with their actions. */
export function showPortalHome(portal: PortalPageRequest): HtmlPage {
  const { features } = portal.configuration
  const { paymentMethod: card, subscriptions } = portal
  const done = describePortalAction(portal.form.get('did'))
  return {
    status: 200,
    title: 'Your plan and payments',
    notice: portal.notice ?? (done ? { tone: 'good', text: done } : undefined),
    body: html`${portal.customer.email && html`<p>For ${portal.customer.email}</p>`}
${subscriptions.length === 0 && html`<h2>Plan</h2>\n<p>You have no plan.</p>`}
${subscriptions.map((each) => subscriptionSection(portal, each))}
<h2>Card</h2>
<p>${card ? formatCard(card) : 'No card is on file.'}</p>
${
  features.payment_method_update.enabled &&
  html`<div class="actions"><a class="button" href="${portal.home}/card">${card ? 'Change card' : 'Add card'}</a></div>`
}
${features.invoice_history.enabled && html`<h2>Invoices</h2>\n${invoiceList(portal)}`}
${portal.returnUrl && html`<div class="actions last">${externalLinkButton(portal.returnUrl, 'Go back to the service')}</div>`}`,
  }
}

/** Resumes a paused subscription, which is charged at once. */
export function submitResume(portal: PortalPageRequest): PageResponse {
  const subscription = requestedSubscription(portal)?.subscription
  if (!subscription) return nothingToDoPage(portal.returnUrl)
  if (subscription.status !== 'paused') return { redirect: portal.home }
  checkFormToken(portal, resumePath(portal, subscription), subscription.items)
  if (!canBeCharged(paymentMethodForSubscription(portal.ctx, subscription))) throw cardDeclined()
  resumePausedSubscription(portal.ctx, subscription, 'now')
  return completePortalAction(portal, 'resume')
}

function subscriptionSection(portal: PortalPageRequest, plan: PortalSubscription): Html {
  const { subscription, scheduled } = plan
  const item = subscription.items[0]!
  return html`<h2>${formatPlanName(plan)}</h2>
${descriptionList([
  { name: 'Price', value: formatPrice(plan.price, item.quantity) },
  {
    name: 'State',
    value: describeSubscriptionStatus(subscription, item.current_period_end),
    sum: needsAttention(subscription),
  },
  subscription.cancel_at !== null && { name: 'Ends on', value: formatDate(subscription.cancel_at), sum: true },
  scheduled && {
    name: 'Changes to',
    value: html`${formatPlanName(scheduled)} on ${formatDate(scheduled.at)}`,
    sum: true,
  },
])}
<div class="actions">${subscriptionActions(portal, plan)}</div>`
}

function subscriptionActions(portal: PortalPageRequest, { subscription, choices }: PortalSubscription): HtmlPart {
  const { features } = portal.configuration
  const { id, status, cancel_at: cancelAt, schedule } = subscription
  return [
    status === 'paused' &&
      portal.paymentMethod !== null &&
      buttonForm(portal, resumePath(portal, subscription), subscription.items, 'Resume plan'),
    (cancelAt !== null || schedule !== null) && keepPlanButton(portal, subscription),
    choices.length > 0 && html`<a class="button" href="${portal.home}/plans/${id}">Change plan</a>`,
    cancelAt === null &&
      features.subscription_cancel.enabled &&
      html`<a class="button" href="${portal.home}/cancel/${id}">Cancel plan</a>`,
  ]
}

/** Whether the status needs the customer's attention. */
function needsAttention({ status }: Subscription): boolean {
  return status !== 'active' && status !== 'trialing'
}

function resumePath(portal: PortalPageRequest, subscription: Subscription): string {
  return `${portal.home}/resume/${subscription.id}`
}

/** The customer's invoices, newest first; open ones have a button to pay. */
function invoiceList(portal: PortalPageRequest): Html {
  if (portal.invoices.length === 0) return html`<p>No invoices yet.</p>`
  return html`<ul class="invoices">${portal.invoices.map((invoice) => invoiceEntry(portal, invoice))}</ul>`
}

export function submitInvoicePayment(portal: PortalPageRequest): PageResponse {
  const invoice = portal.invoices.find(({ id }) => id === portal.params.invoice)
  if (!invoice) return unknownLinkPage()
  if (invoice.status !== 'open') return { redirect: portal.home }
  checkFormToken(portal, invoicePaymentPath(portal, invoice), amountDue(invoice))
  payInvoice(portal.ctx, portal.session.id, { invoice: invoice.id })
  return completePortalAction(portal, 'pay')
}

function invoiceEntry(portal: PortalPageRequest, invoice: Invoice): Html {
  const amount = formatMoney(amountDue(invoice), invoice.currency)
  const payable = invoice.status === 'open' && paymentMethodForInvoice(portal.ctx, invoice) !== null
  return html`<li><span>${formatDate(invoice.created)}<small>${invoice.number ?? 'No number yet'}</small></span>
<span class="end">${amount}<small>${describeInvoiceStatus(invoice.status)}</small></span>
${payable && buttonForm(portal, invoicePaymentPath(portal, invoice), amountDue(invoice), `Pay ${amount}`)}</li>\n`
}

function invoicePaymentPath(portal: PortalPageRequest, invoice: Invoice): string {
  return `${portal.home}/invoices/${invoice.id}/pay`
}
