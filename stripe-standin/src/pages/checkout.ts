import { type CheckoutView, completeCheckout, successUrl, viewCheckout } from '../billing/checkout.ts'
import { expiredLink, unknownLink, usedLink } from './error-pages.ts'
import { dayOf, minuteOf, money, planName, priceInWords } from './format.ts'
import { cardChoice, chosenNewCard, postForm, textField } from './forms.ts'
import { html, outsideUrl, siteOf, wayBack } from './html.ts'
import { facts, type Page } from './layout.ts'
import { FormProblem, mustFit, type Outcome, type Visit } from './page-request.ts'

/** The page where a person starts a subscription. */
export function showCheckout(visit: Visit): Page {
  const view = openView(visit)
  if (!view) return unknownLink()
  const { session } = view
  if (session.status === 'complete') return usedLink(successUrl(session))
  if (session.status === 'expired') return expiredLink(session.cancel_url)
  const amount = money(view.amountDue, session.currency)
  const whom = personOf(view)
  return {
    status: 200,
    title: `Subscribe to ${view.lines[0]!.product.name}`,
    notice: visit.notice,
    redirectsTo: siteOf(session.success_url),
    body: html`${facts([
      ...view.lines.map(({ product, price, quantity }) => ({
        name: planName({ product, price }),
        value: priceInWords(price, quantity),
      })),
      view.trialEnd !== null && { name: 'Free until', value: dayOf(view.trialEnd) },
      whom !== null && { name: 'For', value: whom },
      { name: 'To be paid now', value: amount, sum: true },
    ])}
${postForm(
  visit,
  addressOf(view),
  shownOf(view),
  html`${whom === null && textField({ name: 'email', type: 'email', label: 'Your email', form: visit.form })}
${cardChoice(visit.form, { chargedNow: view.amountDue > 0 })}
<div class="actions"><button class="main">${view.amountDue > 0 ? `Pay ${amount} and subscribe` : 'Subscribe'}</button>
${wayBack(session.cancel_url, 'Cancel')}</div>`,
)}
<p class="after">This link works until ${minuteOf(session.expires_at)}.</p>`,
  }
}

/** Starts the subscription; sent a second time, it only leads on. */
export function submitCheckout(visit: Visit): Outcome {
  const view = openView(visit)
  if (view?.session.status === 'complete') return leadOn(view.session)
  if (view?.session.status !== 'open') return showCheckout(visit)
  mustFit(visit, addressOf(view), shownOf(view))
  const card = chosenNewCard(visit.form)
  const email = personOf(view) === null ? sentEmail(visit.form) : undefined
  return leadOn(completeCheckout(visit.desk, view.session.id, { card, email }))
}

function openView({ desk, params }: Visit): CheckoutView | null {
  const id = params.id ?? ''
  const session = desk.book.get('checkout_sessions', id)
  const customer = session?.customer ? desk.book.get('customers', session.customer) : undefined
  return session && !customer?.deleted ? viewCheckout(desk, id) : null
}

function leadOn(session: CheckoutView['session']): Outcome {
  const url = outsideUrl(successUrl(session))
  return url ? { redirect: url } : usedLink(null)
}

/** Who subscribes, as far as it is known; null when the page has to ask. */
function personOf({ customer, session }: CheckoutView): string | null {
  return customer ? (customer.email ?? customer.name ?? customer.id) : session.customer_email
}

function sentEmail(form: URLSearchParams): string {
  const email = (form.get('email') ?? '').trim()
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254)
    throw new FormProblem('Please enter an email address, such as name@shop.example.')
  return email
}

function addressOf({ session }: CheckoutView): string {
  return `/pay/checkout/${session.id}`
}

function shownOf({ session, amountDue }: CheckoutView): unknown {
  return [session.line_items, session.trial_end, amountDue]
}
