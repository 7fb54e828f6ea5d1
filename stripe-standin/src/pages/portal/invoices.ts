import { methodFor } from '../../billing/invoices/payments.ts'
import { payInvoice } from '../../billing/portal/actions.ts'
import { amountDue } from '../../presenters/invoices.ts'
import type { Invoice } from '../../state/subscription-records.ts'
import { unknownLink } from '../error-pages.ts'
import { dayOf, invoiceStanding, money } from '../format.ts'
import { buttonForm } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { mustFit, type Outcome } from '../page-request.ts'
import { finish, type PortalVisit } from './page-request.ts'

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
