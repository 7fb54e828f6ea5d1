import { emit, emitUpdate } from '../../events/emit.ts'
import { presentInvoice } from '../../presenters/invoices.ts'
import { type Desk, newId } from '../../state/database.ts'
import type { BillingReason, Invoice, Subscription } from '../../state/subscription-records.ts'
import { changeCustomer } from '../customers.ts'
import { lineOfItem, type NewLine, pendingItems } from './lines.ts'

interface NewInvoice {
  readonly customer: string
  readonly currency: string
  readonly reason: BillingReason
  readonly lines: readonly NewLine[]
  readonly period: { readonly start: number; readonly end: number }
  readonly facts?: Partial<Invoice>
}

/** Makes a draft. */
export function draftInvoice(desk: Desk, wanted: NewInvoice): Invoice {
  const lines = wanted.lines.map((line) => ({ id: newId('il_1'), ...line }))
  const { email, name, phone } = desk.book.must('customers', wanted.customer)
  const invoice = desk.book.put('invoices', {
    id: newId('in_1'),
    created: desk.now,
    customer: wanted.customer,
    subscription: null,
    status: 'draft',
    billing_reason: wanted.reason,
    billed_to: { email, name, phone },
    subscription_metadata: {},
    currency: wanted.currency,
    lines,
    total: lines.reduce((sum, line) => sum + line.amount, 0),
    starting_balance: 0,
    amount_paid: 0,
    number: null,
    description: null,
    metadata: {},
    collection_method: 'charge_automatically',
    default_payment_method: null,
    auto_advance: false,
    attempt_count: 0,
    next_payment_attempt: null,
    automatically_finalizes_at: null,
    due_date: null,
    period_start: wanted.period.start,
    period_end: wanted.period.end,
    finalized_at: null,
    paid_at: null,
    voided_at: null,
    marked_uncollectible_at: null,
    ...wanted.facts,
  })
  for (const line of lines) {
    const item = line.invoice_item && desk.book.get('invoice_items', line.invoice_item)
    if (item) desk.book.amend('invoice_items', item, { invoice: invoice.id })
  }
  emit(desk, 'invoice.created', presentInvoice(desk, invoice))
  return invoice
}

/** Makes a draft for a subscription, with whatever waits for its next invoice; it becomes the subscription's latest. */
export function draftSubscriptionInvoice(
  desk: Desk,
  subscription: Subscription,
  wanted: Pick<NewInvoice, 'reason' | 'lines' | 'period' | 'facts'>,
): Invoice {
  const pending = pendingItems(desk, subscription.customer, subscription.currency).map(lineOfItem)
  return draftInvoice(desk, {
    ...wanted,
    customer: subscription.customer,
    currency: subscription.currency,
    lines: [...pending, ...wanted.lines],
    facts: {
      subscription: subscription.id,
      subscription_metadata: subscription.metadata,
      collection_method: subscription.collection_method,
      auto_advance: true,
      ...wanted.facts,
    },
  })
}

/** Numbers a draft and uses the customer's credit; what is left is due. A negative total becomes credit. */
export function finalizeInvoice(desk: Desk, draft: Invoice): Invoice {
  const customer = desk.book.must('customers', draft.customer)
  const open = desk.book.amend('invoices', draft, {
    status: 'open',
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`,
    starting_balance: customer.balance,
    finalized_at: desk.now,
    automatically_finalizes_at: null,
    due_date: draft.due_date ?? dueDate(desk, draft),
  })
  const next = customer.next_invoice_sequence + 1
  const numbered = desk.book.amend('customers', customer, { next_invoice_sequence: next }) // which is no news
  changeCustomer(desk, numbered, { balance: Math.min(0, open.total + customer.balance) })
  emit(desk, 'invoice.finalized', presentInvoice(desk, open))
  return open
}

function dueDate(desk: Desk, invoice: Invoice): number | null {
  if (invoice.collection_method !== 'send_invoice') return null
  const subscription = invoice.subscription ? desk.book.get('subscriptions', invoice.subscription) : undefined
  return desk.now + (subscription?.days_until_due ?? 30) * 86_400
}

/** Changes an invoice and tells of it, with an event of its own where its status turns. */
export function changeInvoice(desk: Desk, invoice: Invoice, facts: Partial<Invoice>, turn?: string): Invoice {
  const before = presentInvoice(desk, invoice)
  const changed = desk.book.amend('invoices', invoice, facts)
  const after = presentInvoice(desk, changed)
  if (turn) emit(desk, turn, after)
  emitUpdate(desk, 'invoice.updated', before, after)
  return changed
}

export function voidInvoice(desk: Desk, invoice: Invoice): Invoice {
  const facts = { status: 'void', voided_at: desk.now, next_payment_attempt: null, auto_advance: false } as const
  return changeInvoice(desk, invoice, facts, 'invoice.voided')
}

export function markUncollectible(desk: Desk, invoice: Invoice): Invoice {
  const facts = { status: 'uncollectible', marked_uncollectible_at: desk.now, next_payment_attempt: null } as const
  return changeInvoice(desk, invoice, facts, 'invoice.marked_uncollectible')
}
