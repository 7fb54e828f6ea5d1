import { emit } from '../../events/emit.ts'
import { amountDue, presentInvoice } from '../../presenters/invoices.ts'
import type { Desk } from '../../state/database.ts'
import type { PaymentMethod } from '../../state/records.ts'
import { currentSettings } from '../../state/seed.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { changeCustomer } from '../customers.ts'
import { cancelSubscription } from '../subscriptions/cancel.ts'
import { changeSubscription, findMethod, methodOf } from '../subscriptions/record.ts'
import { changeInvoice, finalizeInvoice, markUncollectible, voidInvoice } from './invoicing.ts'

const daySeconds = 86_400

/** Whether a card lets itself be charged. */
export function canPay(method: PaymentMethod | null): boolean {
  return method?.behavior === 'works'
}

/** The card that an invoice is charged to: its own, its subscription's, or its customer's. */
export function methodFor(desk: Desk, invoice: Invoice): PaymentMethod | null {
  if (invoice.default_payment_method) return findMethod(desk, invoice.default_payment_method, invoice.customer)
  const subscription = invoice.subscription && desk.book.get('subscriptions', invoice.subscription)
  return subscription ? methodOf(desk, subscription) : findMethod(desk, null, invoice.customer)
}

/**
 * Finalizes a draft and, unless the customer pays by transfer or collection is paused, charges it at once. A declined
 * card leaves the invoice open and moves the subscription; it does not throw.
 */
export function finalizeAndCharge(desk: Desk, draft: Invoice): Invoice {
  const subscription = draft.subscription ? desk.book.must('subscriptions', draft.subscription) : null
  if (subscription?.pause_collection?.behavior === 'keep_as_draft')
    return changeInvoice(desk, draft, { auto_advance: false, automatically_finalizes_at: null })
  const open = finalizeInvoice(desk, draft)
  if (amountDue(open) > 0) {
    if (subscription?.pause_collection?.behavior === 'void') return voidInvoice(desk, open)
    if (subscription?.pause_collection?.behavior === 'mark_uncollectible') return markUncollectible(desk, open)
    if (open.collection_method === 'send_invoice') {
      emit(desk, 'invoice.sent', presentInvoice(desk, open))
      return open
    }
  }
  return chargeInvoice(desk, open, methodFor(desk, open))
}

/**
 * Charges an open invoice to `method`; nothing due is paid without a card. An attempt that somebody asks for (`byHand`)
 * does not count as one of the automatic ones, unless it is the first.
 */
export function chargeInvoice(
  desk: Desk,
  open: Invoice,
  method: PaymentMethod | null,
  { byHand = false } = {},
): Invoice {
  if (amountDue(open) === 0 || canPay(method)) return settleInvoice(desk, open)
  if (byHand && open.attempt_count > 0) {
    emit(desk, 'invoice.payment_failed', presentInvoice(desk, open))
    return open
  }
  return failCharge(desk, open)
}

/** Marks an invoice as paid, and brings its subscription back where this was what it lacked. */
export function settleInvoice(desk: Desk, open: Invoice): Invoice {
  const due = amountDue(open)
  const paid = desk.book.amend('invoices', open, {
    status: 'paid',
    amount_paid: due,
    attempt_count: due > 0 ? open.attempt_count + 1 : open.attempt_count,
    next_payment_attempt: null,
    auto_advance: false,
    paid_at: desk.now,
  })
  const presented = presentInvoice(desk, paid)
  emit(desk, 'invoice.paid', presented)
  emit(desk, 'invoice.payment_succeeded', presented)
  const subscription = subscriptionLedBy(desk, paid)
  const recovers = ['incomplete', 'past_due', 'unpaid', 'paused'].includes(subscription?.status ?? '')
  if (subscription && recovers) changeSubscription(desk, subscription, { status: 'active' })
  tellDelinquency(desk, paid.customer)
  return paid
}

function failCharge(desk: Desk, open: Invoice): Invoice {
  const settings = currentSettings(desk.book)
  const subscription = subscriptionLedBy(desk, open)
  const retried = open.auto_advance && subscription !== null && subscription.status !== 'incomplete'
  const pauseDays = retried ? settings.retry_days[open.attempt_count] : undefined
  const failed = desk.book.amend('invoices', open, {
    attempt_count: open.attempt_count + 1,
    next_payment_attempt: pauseDays === undefined ? null : desk.now + pauseDays * daySeconds,
  })
  emit(desk, 'invoice.payment_failed', presentInvoice(desk, failed))
  tellDelinquency(desk, failed.customer)
  if (!subscription) return failed
  if (retried && pauseDays === undefined) giveUp(desk, subscription, failed)
  else if (subscription.status === 'active') changeSubscription(desk, subscription, { status: 'past_due' })
  return desk.book.must('invoices', failed.id)
}

/** After the last attempt: what the settings say becomes of the subscription. */
function giveUp(desk: Desk, subscription: Subscription, invoice: Invoice): void {
  const { after_retries } = currentSettings(desk.book)
  if (after_retries === 'cancel') cancelSubscription(desk, subscription, { reason: 'payment_failed' })
  else {
    const status = after_retries === 'mark_unpaid' ? 'unpaid' : 'past_due'
    changeSubscription(desk, subscription, { status })
  }
  changeInvoice(desk, desk.book.must('invoices', invoice.id), { auto_advance: false })
}

/** The subscription whose state hangs on this invoice, because it is its latest. */
function subscriptionLedBy(desk: Desk, invoice: Invoice): Subscription | null {
  const subscription = invoice.subscription ? desk.book.get('subscriptions', invoice.subscription) : undefined
  return subscription?.latest_invoice === invoice.id ? subscription : null
}

function tellDelinquency(desk: Desk, customerId: string): void {
  const customer = desk.book.must('customers', customerId)
  const delinquent = desk.book
    .all('invoices')
    .some(
      ({ status, attempt_count, customer: owner }) => owner === customerId && status === 'open' && attempt_count > 0,
    )
  if (delinquent !== customer.delinquent) changeCustomer(desk, customer, { delinquent })
}
