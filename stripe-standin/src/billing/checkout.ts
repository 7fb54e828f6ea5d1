import { emit } from '../events/emit.ts'
import { cardDeclined, invalidRequest, noSuch } from '../http/errors.ts'
import { checkoutTotal, presentCheckoutSession } from '../presenters/sessions.ts'
import type { Desk } from '../state/database.ts'
import type { Customer, Price, Product } from '../state/records.ts'
import type { CheckoutSession } from '../state/session-records.ts'
import type { Subscription } from '../state/subscription-records.ts'
import {
  attachPaymentMethod,
  makeCustomer,
  makePaymentMethod,
  type PageCard,
  pageCards,
  tellNewCustomer,
} from './customers.ts'
import { productAndPrice } from './subscriptions/record.ts'
import { startSubscription } from './subscriptions/start.ts'

/** What the page of a checkout session shows. */
export interface CheckoutView {
  readonly session: CheckoutSession
  readonly customer: Customer | null
  readonly lines: readonly { readonly product: Product; readonly price: Price; readonly quantity: number }[]
  /** In cents; nothing when a trial comes first. */
  readonly amountDue: number
  readonly trialEnd: number | null
}

export function viewCheckout(desk: Desk, sessionId: string): CheckoutView {
  const session = findSession(desk, sessionId)
  const trialEnd = trialEndOf(desk, session)
  return {
    session,
    customer: session.customer ? desk.book.must('customers', session.customer) : null,
    lines: session.line_items.map(({ price, quantity }) => ({ ...productAndPrice(desk, price), quantity })),
    amountDue: trialEnd === null ? checkoutTotal(desk, session) : 0,
    trialEnd,
  }
}

/**
 * What pressing the button does: the card is taken, the subscription started and paid, the session complete. A refused
 * card changes nothing, so that the customer can try another.
 */
export function completeCheckout(
  desk: Desk,
  sessionId: string,
  { card, email }: { readonly card: PageCard; readonly email?: string | undefined },
): CheckoutSession {
  const session = findSession(desk, sessionId)
  if (session.status !== 'open') throw invalidRequest(`This Checkout Session is ${session.status} and cannot be used.`)
  const due = viewCheckout(desk, sessionId).amountDue
  if (due > 0 && card === 'declines') throw cardDeclined()
  const customer = customerOf(desk, session, email)
  const method = attachPaymentMethod(desk, makePaymentMethod(desk, pageCards[card]).id, customer.id, 'payment_method')
  const subscription = subscribe(desk, session, customer.id, method.id)
  const completed = desk.book.amend('checkout_sessions', session, {
    status: 'complete',
    payment_status: due > 0 ? 'paid' : 'no_payment_required',
    customer: customer.id,
    subscription: subscription.id,
    invoice: subscription.latest_invoice,
  })
  emit(desk, 'checkout.session.completed', presentCheckoutSession(desk, completed))
  return completed
}

/** Where the page leads when it is done. */
export function successUrl(session: CheckoutSession): string {
  return session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id)
}

/** Closes a session that nobody completed. */
export function expireSession(desk: Desk, session: CheckoutSession): CheckoutSession {
  const expired = desk.book.amend('checkout_sessions', session, { status: 'expired' })
  emit(desk, 'checkout.session.expired', presentCheckoutSession(desk, expired))
  return expired
}

export function findSession(desk: Desk, id: string): CheckoutSession {
  const session = desk.book.get('checkout_sessions', id)
  if (!session) throw noSuch('checkout.session', id)
  return session
}

function customerOf(desk: Desk, session: CheckoutSession, email: string | undefined): Customer {
  if (session.customer) {
    const known = desk.book.must('customers', session.customer)
    if (known.deleted) throw noSuch('customer', known.id, 'customer')
    return known
  }
  const made = makeCustomer(desk, { email: email ?? session.customer_email })
  tellNewCustomer(desk, made)
  return made
}

function subscribe(desk: Desk, session: CheckoutSession, customer: string, method: string): Subscription {
  return startSubscription(
    desk,
    {
      customer,
      currency: session.currency,
      items: session.line_items.map(({ price, quantity }) => ({ price, quantity, metadata: {} })),
      trialEnd: trialEndOf(desk, session),
      paymentBehavior: 'error_if_incomplete',
      missingPaymentMethod: session.missing_payment_method,
      facts: {
        metadata: session.subscription_metadata,
        description: session.subscription_description,
        default_payment_method: method,
      },
    },
    { toldIncomplete: true },
  )
}

function trialEndOf(desk: Desk, session: CheckoutSession): number | null {
  if (session.trial_end !== null) return session.trial_end
  return session.trial_period_days === null ? null : desk.now + session.trial_period_days * 86_400
}
