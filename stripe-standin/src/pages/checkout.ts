import { type CheckoutView, completeCheckout, loadCheckoutView, successUrl } from '../billing/checkout.ts'
import { hasEnded } from '../billing/subscriptions/record.ts'
import type { RequestContext } from '../state/database.ts'
import type { CheckoutSession } from '../state/session-records.ts'
import {
  closedLinkPage,
  expiredLinkPage,
  neededNoMorePage,
  newerLinkPage,
  unknownLinkPage,
  usedLinkPage,
} from './error-pages.ts'
import { formatDate, formatDateTime, formatMoney, formatPlanName, formatPrice, formatRhythm } from './format.ts'
import { cardRadioGroup, postForm, readNewCardChoice, textField } from './forms.ts'
import { externalLinkButton, externalOrigin, html, safeExternalUrl } from './html.ts'
import { descriptionList, type HtmlPage } from './layout.ts'
import { checkFormToken, InvalidFormError, type PageRequest, type PageResponse } from './page-request.ts'

export function showCheckout(pageRequest: PageRequest): HtmlPage {
  const view = loadOpenView(pageRequest)
  if (!view) return unknownLinkPage()
  const { session } = view
  if (session.status === 'complete') return usedLinkPage(successUrl(session))
  if (session.status === 'expired') return endedPage(pageRequest.ctx, session)
  const amount = formatMoney(view.amountDue, session.currency)
  const customerName = customerLabel(view)
  return {
    status: 200,
    title: `Subscribe to ${view.lines[0]!.product.name}`,
    notice: pageRequest.notice,
    redirectsTo: externalOrigin(session.success_url),
    body: html`${descriptionList([
      ...view.lines.map(({ product, price, quantity }) => ({
        name: formatPlanName({ product, price }),
        value: formatPrice(price, quantity),
      })),
      view.trialEnd !== null && { name: 'Free until', value: formatDate(view.trialEnd) },
      customerName !== null && { name: 'For', value: customerName },
      { name: 'To be paid now', value: amount, sum: true },
    ])}
${postForm(
  pageRequest,
  checkoutPath(view),
  shownState(view),
  html`${customerName === null && textField({ name: 'email', type: 'email', label: 'Your email', form: pageRequest.form })}
${cardRadioGroup(pageRequest.form, { chargedNow: view.amountDue > 0 })}
<div class="actions"><button class="main">${view.amountDue > 0 ? `Pay ${amount} and subscribe` : 'Subscribe'}</button>
${externalLinkButton(session.cancel_url, 'Cancel')}</div>`,
)}
<p class="after">${renewalNote(view)} This link works until ${formatDateTime(session.expires_at)}.</p>`,
  }
}

/** Why a checkout cannot be paid any more: the first of these reasons that holds. */
function endedPage(
  { db, now }: RequestContext,
  { id, customer, cancel_url: back, expires_at }: CheckoutSession,
): HtmlPage {
  if (customer !== null) {
    if (db.all('subscriptions').some((each) => each.customer === customer && !hasEnded(each)))
      return neededNoMorePage(back)
    // In the order in which they were made.
    const sessions = db.all('checkout_sessions')
    const newer = sessions.slice(sessions.findIndex((each) => each.id === id) + 1)
    if (newer.some((each) => each.customer === customer && each.status === 'open')) return newerLinkPage(back)
  }
  return now < expires_at ? closedLinkPage(back) : expiredLinkPage(back, expires_at)
}

/** What is charged after today. */
function renewalNote({ lines, trialEnd }: CheckoutView): string {
  const [{ price, quantity }] = lines as [CheckoutView['lines'][number]]
  const rhythm = formatRhythm(price)
  if (lines.length > 1 || rhythm === null) return ''
  const amount = formatMoney(price.unit_amount * quantity, price.currency)
  return trialEnd === null
    ? `It renews ${rhythm} for ${amount} until you cancel.`
    : `Then ${amount} ${rhythm} until you cancel.`
}

/** Starts the subscription; a repeated submission only redirects. */
export function submitCheckout(pageRequest: PageRequest): PageResponse {
  const view = loadOpenView(pageRequest)
  if (view?.session.status === 'complete') return redirectToSuccess(view.session)
  if (view?.session.status !== 'open') return showCheckout(pageRequest)
  checkFormToken(pageRequest, checkoutPath(view), shownState(view))
  const card = readNewCardChoice(pageRequest.form)
  const email = customerLabel(view) === null ? readEmail(pageRequest.form) : undefined
  return redirectToSuccess(completeCheckout(pageRequest.ctx, view.session.id, { card, email }))
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
