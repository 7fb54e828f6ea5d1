import { presentInvoice } from '../../presenters/invoices.ts'
import { newId, type RequestContext } from '../../state/database.ts'
import { emitEvent, emitUpdatedEvent } from '../../state/emit.ts'
import type { BillingReason, Invoice, Subscription } from '../../state/subscription-records.ts'
import { patchCustomer } from '../customers.ts'
import { lineFromInvoiceItem, type NewInvoiceLine, pendingInvoiceItems } from './lines.ts'

interface NewInvoice {
  readonly customer: string
  readonly currency: string
  readonly reason: BillingReason
  readonly lines: readonly NewInvoiceLine[]
  readonly period: { readonly start: number; readonly end: number }
  readonly fields?: Partial<Invoice>
}

export function draftInvoice(ctx: RequestContext, wanted: NewInvoice): Invoice {
  const lines = wanted.lines.map((line) => ({ id: newId('il_1'), ...line }))
  const { email, name, phone } = ctx.db.getOrThrow('customers', wanted.customer)
  const invoice = ctx.db.put('invoices', {
    id: newId('in_1'),
    created: ctx.now,
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
    ...wanted.fields,
  })
  for (const line of lines) {
    const item = line.invoice_item && ctx.db.get('invoice_items', line.invoice_item)
    if (item) ctx.db.update('invoice_items', item, { invoice: invoice.id })
  }
  emitEvent(ctx, 'invoice.created', presentInvoice(ctx, invoice))
  return invoice
}

/** Drafts an invoice for a subscription, including the customer's pending invoice items. */
export function draftSubscriptionInvoice(
  ctx: RequestContext,
  subscription: Subscription,
  wanted: Pick<NewInvoice, 'reason' | 'lines' | 'period' | 'fields'>,
): Invoice {
  const pending = pendingInvoiceItems(ctx, subscription.customer, subscription.currency).map(lineFromInvoiceItem)
  return draftInvoice(ctx, {
    ...wanted,
    customer: subscription.customer,
    currency: subscription.currency,
    lines: [...pending, ...wanted.lines],
    fields: {
      subscription: subscription.id,
      subscription_metadata: subscription.metadata,
      collection_method: subscription.collection_method,
      auto_advance: true,
      ...wanted.fields,
    },
  })
}

/** Numbers a draft and applies the customer's credit. A negative total becomes credit. */
export function finalizeInvoice(ctx: RequestContext, draft: Invoice): Invoice {
  const customer = ctx.db.getOrThrow('customers', draft.customer)
  const open = ctx.db.update('invoices', draft, {
    status: 'open',
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`,
    starting_balance: customer.balance,
    finalized_at: ctx.now,
    automatically_finalizes_at: null,
    due_date: draft.due_date ?? dueDate(ctx, draft),
  })
  const next = customer.next_invoice_sequence + 1
  const numbered = ctx.db.update('customers', customer, { next_invoice_sequence: next }) // without an event
  patchCustomer(ctx, numbered, { balance: Math.min(0, open.total + customer.balance) })
  emitEvent(ctx, 'invoice.finalized', presentInvoice(ctx, open))
  return open
}

function dueDate(ctx: RequestContext, invoice: Invoice): number | null {
  if (invoice.collection_method !== 'send_invoice') return null
  const subscription = invoice.subscription ? ctx.db.get('subscriptions', invoice.subscription) : undefined
  return ctx.now + (subscription?.days_until_due ?? 30) * 86_400
}

/** Writes fields of an invoice and emits `invoice.updated`, preceded by `statusEvent` if the status changes. */
export function patchInvoice(
  ctx: RequestContext,
  invoice: Invoice,
  fields: Partial<Invoice>,
  statusEvent?: string,
): Invoice {
  const before = presentInvoice(ctx, invoice)
  const changed = ctx.db.update('invoices', invoice, fields)
  const after = presentInvoice(ctx, changed)
  if (statusEvent) emitEvent(ctx, statusEvent, after)
  emitUpdatedEvent(ctx, 'invoice.updated', before, after)
  return changed
}

export function voidInvoice(ctx: RequestContext, invoice: Invoice): Invoice {
  const fields = { status: 'void', voided_at: ctx.now, next_payment_attempt: null, auto_advance: false } as const
  return patchInvoice(ctx, invoice, fields, 'invoice.voided')
}

export function markInvoiceUncollectible(ctx: RequestContext, invoice: Invoice): Invoice {
  const fields = { status: 'uncollectible', marked_uncollectible_at: ctx.now, next_payment_attempt: null } as const
  return patchInvoice(ctx, invoice, fields, 'invoice.marked_uncollectible')
}
