import { updatePaymentMethod } from '../../billing/portal/actions.ts'
import { amountDue } from '../../presenters/invoices.ts'
import { unknownLink } from '../error-pages.ts'
import { cardInWords, money } from '../format.ts'
import { cardChoice, chosenNewCard, postForm } from '../forms.ts'
import { html } from '../html.ts'
import { facts, type Page } from '../layout.ts'
import { mustFit, type Outcome } from '../page-request.ts'
import { finish, type PortalVisit, siteAfter, wayOut } from './page-request.ts'

/** The page where a person puts another card in place of the present one. */
export function showCardForm(portal: PortalVisit): Page {
  if (!portal.configuration.features.payment_method_update.enabled) return unknownLink()
  const { paymentMethod: card } = portal
  const open = openAmount(portal)
  return {
    status: 200,
    title: card ? 'Change your card' : 'Add a card',
    notice: portal.notice,
    redirectsTo: siteAfter(portal),
    body: html`${facts([
      { name: 'Present card', value: card ? cardInWords(card) : 'None' },
      open !== null && { name: 'Open invoices, to be paid with the new card at once', value: open, sum: true },
    ])}
${postForm(
  portal,
  addressOf(portal),
  card?.id,
  html`${cardChoice(portal.form, { chargedNow: false })}
<div class="actions"><button class="main">Save card</button>
${wayOut(portal, 'Go back')}</div>`,
)}`,
  }
}

/** Puts the chosen card in the place of the present one. */
export function submitCard(portal: PortalVisit): Outcome {
  if (!portal.configuration.features.payment_method_update.enabled) return unknownLink()
  mustFit(portal, addressOf(portal), portal.paymentMethod?.id)
  updatePaymentMethod(portal.desk, portal.session.id, { card: chosenNewCard(portal.form) })
  return finish(portal, 'card')
}

function openAmount({ desk, customer }: PortalVisit): string | null {
  const open = desk.book
    .all('invoices')
    .filter((invoice) => invoice.customer === customer.id && invoice.status === 'open')
  const [first] = open
  return first
    ? money(
        open.reduce((sum, invoice) => sum + amountDue(invoice), 0),
        first.currency,
      )
    : null
}

function addressOf(portal: PortalVisit): string {
  return `${portal.home}/card`
}
