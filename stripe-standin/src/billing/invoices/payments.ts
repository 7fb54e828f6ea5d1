import { amountDue, presentInvoice } from '../../presenters/invoices.ts'
import type { RequestContext } from '../../state/database.ts'
import { emitEvent } from '../../state/emit.ts'
import type { PaymentMethod } from '../../state/records.ts'
import { getSettings } from '../../state/seed.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { patchCustomer } from '../customers.ts'
import { cancelSubscription } from '../subscriptions/cancel.ts'
import { findPaymentMethod, patchSubscription, paymentMethodForSubscription } from '../subscriptions/record.ts'
import { finalizeInvoice, markInvoiceUncollectible, patchInvoice, voidInvoice } from './invoicing.ts'

const daySeconds = 86_400

export function canBeCharged(method: PaymentMethod | null): boolean {
  return method?.behavior === 'works'
}

/** The card for an invoice: the invoice's own, else the subscription's, else the customer's default. */
export function paymentMethodForInvoice(ctx: RequestContext, invoice: Invoice): PaymentMethod | null {
  if (invoice.default_payment_method) return findPaymentMethod(ctx, invoice.default_payment_method, invoice.customer)
  const subscription = invoice.subscription && ctx.db.get('subscriptions', invoice.subscription)
  return subscription ? paymentMethodForSubscription(ctx, subscription) : findPaymentMethod(ctx, null, invoice.customer)
}

/**
 * Finalizes a draft and charges it at once, unless the customer pays by transfer or collection is paused. A declined
 * card leaves the invoice open and updates the subscription; it does not throw.
 */
export function finalizeAndCharge(ctx: RequestContext, draft: Invoice): Invoice {
  const subscription = draft.subscription ? ctx.db.getOrThrow('subscriptions', draft.subscription) : null
  if (subscription?.pause_collection?.behavior === 'keep_as_draft')
    return patchInvoice(ctx, draft, { auto_advance: false, automatically_finalizes_at: null })
  const open = finalizeInvoice(ctx, draft)
  if (amountDue(open) > 0) {
    if (subscription?.pause_collection?.behavior === 'void') return voidInvoice(ctx, open)
    if (subscription?.pause_collection?.behavior === 'mark_uncollectible') return markInvoiceUncollectible(ctx, open)
    if (open.collection_method === 'send_invoice') {
      emitEvent(ctx, 'invoice.sent', presentInvoice(ctx, open))
      return open
    }
  }
  return chargeInvoice(ctx, open, paymentMethodForInvoice(ctx, open))
}

/**
 * Charges an open invoice to `method`; an amount of zero needs no card. A manual attempt does not count as an automatic
 * retry, unless it is the first attempt.
 */
export function chargeInvoice(
  ctx: RequestContext,
  open: Invoice,
  method: PaymentMethod | null,
  { manual = false } = {},
): Invoice {
  if (amountDue(open) === 0 || canBeCharged(method)) return markInvoicePaid(ctx, open)
  if (manual && open.attempt_count > 0) {
    emitEvent(ctx, 'invoice.payment_failed', presentInvoice(ctx, open))
    return open
  }
  return recordFailedCharge(ctx, open)
}

/** Marks an invoice as paid and reactivates its subscription if it was waiting for this payment. */
export function markInvoicePaid(ctx: RequestContext, open: Invoice): Invoice {
  const due = amountDue(open)
  const paid = ctx.db.update('invoices', open, {
    status: 'paid',
    amount_paid: due,
    attempt_count: due > 0 ? open.attempt_count + 1 : open.attempt_count,
    next_payment_attempt: null,
    auto_advance: false,
    paid_at: ctx.now,
  })
  const presented = presentInvoice(ctx, paid)
  emitEvent(ctx, 'invoice.paid', presented)
  emitEvent(ctx, 'invoice.payment_succeeded', presented)
  const subscription = subscriptionOfLatestInvoice(ctx, paid)
  const recovers = ['incomplete', 'past_due', 'unpaid', 'paused'].includes(subscription?.status ?? '')
  if (subscription && recovers) patchSubscription(ctx, subscription, { status: 'active' })
  updateDelinquency(ctx, paid.customer)
  return paid
}

function recordFailedCharge(ctx: RequestContext, open: Invoice): Invoice {
  const settings = getSettings(ctx.db)
  const subscription = subscriptionOfLatestInvoice(ctx, open)
  const retried = open.auto_advance && subscription !== null && subscription.status !== 'incomplete'
  const pauseDays = retried ? settings.retry_days[open.attempt_count] : undefined
  const failed = ctx.db.update('invoices', open, {
    attempt_count: open.attempt_count + 1,
    next_payment_attempt: pauseDays === undefined ? null : ctx.now + pauseDays * daySeconds,
  })
  emitEvent(ctx, 'invoice.payment_failed', presentInvoice(ctx, failed))
  updateDelinquency(ctx, failed.customer)
  if (!subscription) return failed
  if (retried && pauseDays === undefined) endRetries(ctx, subscription, failed)
  else if (subscription.status === 'active') patchSubscription(ctx, subscription, { status: 'past_due' })
  return ctx.db.getOrThrow('invoices', failed.id)
}

/** Applies the `after_retries` setting after the last attempt. */
function endRetries(ctx: RequestContext, subscription: Subscription, invoice: Invoice): void {
  const { after_retries } = getSettings(ctx.db)
  if (after_retries === 'cancel') cancelSubscription(ctx, subscription, { reason: 'payment_failed' })
  else {
    const status = after_retries === 'mark_unpaid' ? 'unpaid' : 'past_due'
    patchSubscription(ctx, subscription, { status })
  }
  patchInvoice(ctx, ctx.db.getOrThrow('invoices', invoice.id), { auto_advance: false })
}

/** The subscription whose latest invoice this is; only that invoice determines its status. */
function subscriptionOfLatestInvoice(ctx: RequestContext, invoice: Invoice): Subscription | null {
  const subscription = invoice.subscription ? ctx.db.get('subscriptions', invoice.subscription) : undefined
  return subscription?.latest_invoice === invoice.id ? subscription : null
}

function updateDelinquency(ctx: RequestContext, customerId: string): void {
  const customer = ctx.db.getOrThrow('customers', customerId)
  const delinquent = ctx.db
    .all('invoices')
    .some(
      ({ status, attempt_count, customer: owner }) => owner === customerId && status === 'open' && attempt_count > 0,
    )
  if (delinquent !== customer.delinquent) patchCustomer(ctx, customer, { delinquent })
}
