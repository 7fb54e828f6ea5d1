import type { RequestContext } from '../../state/database.ts'
import { cardDeclined } from '../../state/errors.ts'
import type { ProrationBehavior } from '../../state/session-records.ts'
import type { Subscription, SubscriptionItem } from '../../state/subscription-records.ts'
import { draftSubscriptionInvoice, finalizeInvoice } from '../invoices/invoicing.ts'
import {
  addPendingInvoiceItem,
  type NewInvoiceLine,
  pendingInvoiceItems,
  periodLine,
  remainingPeriodLine,
} from '../invoices/lines.ts'
import { canBeCharged, finalizeAndCharge } from '../invoices/payments.ts'
import { newPeriodFields } from './periods.ts'
import { patchSubscription, paymentMethodForSubscription, reloadSubscription } from './record.ts'
import type { PaymentBehavior } from './start.ts'

export interface ItemChange {
  /** The new items; items that stay keep their ids. */
  readonly items: readonly SubscriptionItem[]
  readonly proration: ProrationBehavior
  readonly anchor: 'now' | 'unchanged'
  /** Start of the proration, in seconds; usually now. */
  readonly from: number
}

interface ItemChangeOutcome {
  readonly fields: Partial<Subscription>
  /** Credits and charges of the change. */
  readonly lines: readonly NewInvoiceLine[]
  /** Whether the lines are billed now rather than with the next renewal. */
  readonly billedNow: boolean
}

/** Calculates a change of items without applying it. During a trial it costs nothing. */
export function calculateItemChange(
  ctx: RequestContext,
  subscription: Subscription,
  change: ItemChange,
): ItemChangeOutcome {
  const old = subscription.items
  if (subscription.status === 'trialing') return { fields: { items: change.items }, lines: [], billedNow: false }
  const prorates = change.proration !== 'none'
  const changesRecurrence = recurrenceOf(ctx, change.items) !== recurrenceOf(ctx, old)
  if (changesRecurrence || change.anchor === 'now') {
    const credits = prorates
      ? old.map((item) => remainingPeriodLine(ctx, subscription, item, change.from, 'credit'))
      : []
    const fields = newPeriodFields(ctx, { ...subscription, items: change.items, billing_cycle_anchor: ctx.now })
    const charges = fields.items.map((item) => periodLine(ctx, subscription.id, item, { free: false }))
    return { fields, lines: [...credits, ...charges], billedNow: true }
  }
  if (!prorates) return { fields: { items: change.items }, lines: [], billedNow: false }
  const removed = old.filter((item) => !change.items.some((other) => isSameItem(item, other)))
  const added = change.items.filter((item) => !old.some((other) => isSameItem(item, other)))
  return {
    fields: { items: change.items },
    lines: [
      ...removed.map((item) => remainingPeriodLine(ctx, subscription, item, change.from, 'credit')),
      ...added.map((item) => remainingPeriodLine(ctx, subscription, item, change.from, 'charge')),
    ],
    billedNow: change.proration === 'always_invoice',
  }
}

/** The amount due for `lines` plus pending invoice items, less the customer's credit, in cents. */
export function amountDueForLines(
  ctx: RequestContext,
  subscription: Subscription,
  lines: readonly NewInvoiceLine[],
): number {
  const pending = pendingInvoiceItems(ctx, subscription.customer, subscription.currency)
  const total = [...pending, ...lines].reduce((sum, { amount }) => sum + amount, 0)
  return Math.max(0, total + ctx.db.getOrThrow('customers', subscription.customer).balance)
}

/** Changes the items, together with `fields`, and bills the change now or with the next renewal. */
export function applyItemChange(
  ctx: RequestContext,
  subscription: Subscription,
  change: ItemChange,
  { behavior, fields = {} }: { behavior: PaymentBehavior; fields?: Partial<Subscription> },
): Subscription {
  const outcome = calculateItemChange(ctx, subscription, change)
  const after = { ...subscription, ...fields }
  const due = outcome.billedNow ? amountDueForLines(ctx, after, outcome.lines) : 0
  const declined =
    due > 0 && behavior === 'error_if_incomplete' && !canBeCharged(paymentMethodForSubscription(ctx, after))
  if (declined) throw cardDeclined()
  if (!outcome.billedNow || outcome.lines.length === 0) {
    for (const line of outcome.lines) addPendingInvoiceItem(ctx, after, line)
    return patchSubscription(ctx, subscription, { ...fields, ...outcome.fields })
  }
  const invoice = draftSubscriptionInvoice(ctx, after, {
    reason: 'subscription_update',
    lines: outcome.lines,
    period: { start: change.from, end: ctx.now },
  })
  const changed = patchSubscription(ctx, subscription, { ...fields, ...outcome.fields, latest_invoice: invoice.id })
  if (behavior === 'default_incomplete' && due > 0) {
    finalizeInvoice(ctx, invoice)
    if (changed.status === 'active') patchSubscription(ctx, changed, { status: 'past_due' })
  } else finalizeAndCharge(ctx, invoice)
  return reloadSubscription(ctx, changed)
}

function isSameItem(one: SubscriptionItem, other: SubscriptionItem): boolean {
  return one.id === other.id && one.price === other.price && one.quantity === other.quantity
}

function recurrenceOf(ctx: RequestContext, items: readonly SubscriptionItem[]): string {
  const { interval, interval_count } = ctx.db.getOrThrow('prices', items[0]!.price).recurring!
  return `${interval_count} ${interval}`
}
