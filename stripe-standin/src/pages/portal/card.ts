import { updatePaymentMethod } from '../../billing/portal/actions.ts'
import { amountDue } from '../../presenters/invoices.ts'
import { unknownLinkPage } from '../error-pages.ts'
import { formatCard, formatMoney, formatPlanName, formatPrice } from '../format.ts'
import { cardRadioGroup, postForm, readNewCardChoice } from '../forms.ts'
import { html } from '../html.ts'
import { descriptionList, type HtmlPage } from '../layout.ts'
import { checkFormToken, type PageResponse } from '../page-request.ts'
import { completePortalAction, exitLink, originAfterCompletion, type PortalPageRequest } from './page-request.ts'

export function showCardForm(portal: PortalPageRequest): HtmlPage {
  if (!portal.configuration.features.payment_method_update.enabled) return unknownLinkPage()
  const { paymentMethod: card } = portal
  const open = openInvoiceAmount(portal)
  return {
    status: 200,
    title: card ? 'Change your card' : 'Add a card',
    notice: portal.notice,
    redirectsTo: originAfterCompletion(portal),
    body: html`${descriptionList([
      ...portal.subscriptions.map((plan) => ({
        name: formatPlanName(plan),
        value: formatPrice(plan.price, plan.subscription.items[0]!.quantity),
      })),
      { name: 'Current card', value: card ? formatCard(card) : 'None' },
      open !== null && { name: 'Open invoices, charged to the new card at once', value: open, sum: true },
    ])}
${postForm(
  portal,
  cardPath(portal),
  card?.id,
  html`${cardRadioGroup(portal.form, { chargedNow: false })}
<div class="actions"><button class="main">Save card</button>
${exitLink(portal, 'Go back')}</div>`,
)}`,
  }
}

export function submitCard(portal: PortalPageRequest): PageResponse {
  if (!portal.configuration.features.payment_method_update.enabled) return unknownLinkPage()
  checkFormToken(portal, cardPath(portal), portal.paymentMethod?.id)
  updatePaymentMethod(portal.ctx, portal.session.id, { card: readNewCardChoice(portal.form) })
  return completePortalAction(portal, 'card')
}

function openInvoiceAmount({ ctx, customer }: PortalPageRequest): string | null {
  const open = ctx.db.all('invoices').filter((invoice) => invoice.customer === customer.id && invoice.status === 'open')
  const [first] = open
  return first
    ? formatMoney(
        open.reduce((sum, invoice) => sum + amountDue(invoice), 0),
        first.currency,
      )
    : null
}

function cardPath(portal: PortalPageRequest): string {
  return `${portal.home}/card`
}
