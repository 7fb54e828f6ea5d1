import { type CheckoutView, completeCheckout, loadCheckoutView, successUrl } from '../billing/checkout.ts'
import { expiredLinkPage, unknownLinkPage, usedLinkPage } from './error-pages.ts'
import { formatDate, formatDateTime, formatMoney, formatPlanName, formatPrice } from './format.ts'
import { cardRadioGroup, postForm, readNewCardChoice, textField } from './forms.ts'
import { externalLinkButton, externalOrigin, html, safeExternalUrl } from './html.ts'
import { descriptionList, type Page } from './layout.ts'
import { checkFormToken, InvalidFormError, type PageRequest, type PageResponse } from './page-request.ts'

export function showCheckout(visit: PageRequest): Page {
  const view = loadOpenView(visit)
  if (!view) return unknownLinkPage()
  const { session } = view
  if (session.status === 'complete') return usedLinkPage(successUrl(session))
  if (session.status === 'expired') return expiredLinkPage(session.cancel_url)
  const amount = formatMoney(view.amountDue, session.currency)
  const whom = customerLabel(view)
  return {
    status: 200,
    title: `Subscribe to ${view.lines[0]!.product.name}`,
    notice: visit.notice,
    redirectsTo: externalOrigin(session.success_url),
    body: html`${descriptionList([
      ...view.lines.map(({ product, price, quantity }) => ({
        name: formatPlanName({ product, price }),
        value: formatPrice(price, quantity),
      })),
      view.trialEnd !== null && { name: 'Free until', value: formatDate(view.trialEnd) },
      whom !== null && { name: 'For', value: whom },
      { name: 'To be paid now', value: amount, sum: true },
    ])}
${postForm(
  visit,
  checkoutPath(view),
  shownState(view),
  html`${whom === null && textField({ name: 'email', type: 'email', label: 'Your email', form: visit.form })}
${cardRadioGroup(visit.form, { chargedNow: view.amountDue > 0 })}
<div class="actions"><button class="main">${view.amountDue > 0 ? `Pay ${amount} and subscribe` : 'Subscribe'}</button>
${externalLinkButton(session.cancel_url, 'Cancel')}</div>`,
)}
<p class="after">This link works until ${formatDateTime(session.expires_at)}.</p>`,
  }
}

/** Starts the subscription; a repeated submission only redirects. */
export function submitCheckout(visit: PageRequest): PageResponse {
  const view = loadOpenView(visit)
  if (view?.session.status === 'complete') return redirectToSuccess(view.session)
  if (view?.session.status !== 'open') return showCheckout(visit)
  checkFormToken(visit, checkoutPath(view), shownState(view))
  const card = readNewCardChoice(visit.form)
  const email = customerLabel(view) === null ? readEmail(visit.form) : undefined
  return redirectToSuccess(completeCheckout(visit.ctx, view.session.id, { card, email }))
}

function loadOpenView({ ctx, params }: PageRequest): CheckoutView | null {
  const id = params.id ?? ''
  const session = ctx.db.get('checkout_sessions', id)
  const customer = session?.customer ? ctx.db.get('customers', session.customer) : undefined
  return session && !customer?.deleted ? loadCheckoutView(ctx, id) : null
}

function redirectToSuccess(session: CheckoutView['session']): PageResponse {
  const url = safeExternalUrl(successUrl(session))
  return url ? { redirect: url } : usedLinkPage(null)
}

/** The customer's email or name; null if the page has to ask. */
function customerLabel({ customer, session }: CheckoutView): string | null {
  return customer ? (customer.email ?? customer.name ?? customer.id) : session.customer_email
}

function readEmail(form: URLSearchParams): string {
  const email = (form.get('email') ?? '').trim()
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254)
    throw new InvalidFormError('Please enter an email address, such as name@shop.example.')
  return email
}

function checkoutPath({ session }: CheckoutView): string {
  return `/pay/checkout/${session.id}`
}

function shownState({ session, amountDue }: CheckoutView): unknown {
  return [session.line_items, session.trial_end, amountDue]
}
