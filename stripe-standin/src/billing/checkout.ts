import { checkoutTotal, presentCheckoutSession } from '../presenters/sessions.ts'
import type { RequestContext } from '../state/database.ts'
import { emitEvent } from '../state/emit.ts'
import { cardDeclined, invalidRequest, resourceMissing } from '../state/errors.ts'
import type { Customer, Price, Product } from '../state/records.ts'
import type { CheckoutSession } from '../state/session-records.ts'
import type { Subscription } from '../state/subscription-records.ts'
import {
  attachPaymentMethod,
  createCustomer,
  createPaymentMethod,
  emitCustomerCreated,
  type PageTestCard,
  pageTestCards,
} from './customers.ts'
import { getProductPrice } from './subscriptions/record.ts'
import { startSubscription } from './subscriptions/start.ts'

/** Data of the checkout page. */
export interface CheckoutView {
  readonly session: CheckoutSession
  readonly customer: Customer | null
  readonly lines: readonly { readonly product: Product; readonly price: Price; readonly quantity: number }[]
  /** In cents; zero if a trial comes first. */
  readonly amountDue: number
  readonly trialEnd: number | null
}

export function loadCheckoutView(ctx: RequestContext, sessionId: string): CheckoutView {
  const session = getCheckoutSession(ctx, sessionId)
  const trialEnd = trialEndFor(ctx, session)
  return {
    session,
    customer: session.customer ? ctx.db.getOrThrow('customers', session.customer) : null,
    lines: session.line_items.map(({ price, quantity }) => ({ ...getProductPrice(ctx, price), quantity })),
    amountDue: trialEnd === null ? checkoutTotal(ctx, session) : 0,
    trialEnd,
  }
}

/**
 * Submits the page: attaches the card, starts and pays the subscription, completes the session. A declined card changes
 * nothing, so that the customer can try another.
 */
export function completeCheckout(
  ctx: RequestContext,
  sessionId: string,
  { card, email }: { readonly card: PageTestCard; readonly email?: string | undefined },
): CheckoutSession {
  const session = getCheckoutSession(ctx, sessionId)
  if (session.status !== 'open') throw invalidRequest(`This Checkout Session is ${session.status} and cannot be used.`)
  const due = loadCheckoutView(ctx, sessionId).amountDue
  if (due > 0 && card === 'declines') throw cardDeclined()
  const customer = resolveCustomer(ctx, session, email)
  const method = attachPaymentMethod(
    ctx,
    createPaymentMethod(ctx, pageTestCards[card]).id,
    customer.id,
    'payment_method',
  )
  const subscription = startCheckoutSubscription(ctx, session, customer.id, method.id)
  const completed = ctx.db.update('checkout_sessions', session, {
    status: 'complete',
    payment_status: due > 0 ? 'paid' : 'no_payment_required',
    customer: customer.id,
    subscription: subscription.id,
    invoice: subscription.latest_invoice,
  })
  emitEvent(ctx, 'checkout.session.completed', presentCheckoutSession(ctx, completed))
  return completed
}

/** The redirect after completion. */
export function successUrl(session: CheckoutSession): string {
  return session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id)
}

export function expireCheckoutSession(ctx: RequestContext, session: CheckoutSession): CheckoutSession {
  const expired = ctx.db.update('checkout_sessions', session, { status: 'expired' })
  emitEvent(ctx, 'checkout.session.expired', presentCheckoutSession(ctx, expired))
  return expired
}

export function getCheckoutSession(ctx: RequestContext, id: string): CheckoutSession {
  const session = ctx.db.get('checkout_sessions', id)
  if (!session) throw resourceMissing('checkout.session', id)
  return session
}

function resolveCustomer(ctx: RequestContext, session: CheckoutSession, email: string | undefined): Customer {
  if (session.customer) {
    const known = ctx.db.getOrThrow('customers', session.customer)
    if (known.deleted) throw resourceMissing('customer', known.id, 'customer')
    return known
  }
  const created = createCustomer(ctx, { email: email ?? session.customer_email })
  emitCustomerCreated(ctx, created)
  return created
}

function startCheckoutSubscription(
  ctx: RequestContext,
  session: CheckoutSession,
  customer: string,
  method: string,
): Subscription {
  return startSubscription(
    ctx,
    {
      customer,
      currency: session.currency,
      items: session.line_items.map(({ price, quantity }) => ({ price, quantity, metadata: {} })),
      trialEnd: trialEndFor(ctx, session),
      paymentBehavior: 'error_if_incomplete',
      missingPaymentMethod: session.missing_payment_method,
      fields: {
        metadata: session.subscription_metadata,
        description: session.subscription_description,
        default_payment_method: method,
      },
    },
    { createdIncomplete: true },
  )
}

function trialEndFor(ctx: RequestContext, session: CheckoutSession): number | null {
  if (session.trial_end !== null) return session.trial_end
  return session.trial_period_days === null ? null : ctx.now + session.trial_period_days * 86_400
}
