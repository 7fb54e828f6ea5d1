import { amountDue } from '../../presenters/invoices.ts'
import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { RequestContext } from '../../state/database.ts'
import { emitEvent } from '../../state/emit.ts'
import { invalidRequest } from '../../state/errors.ts'
import type { Interval } from '../../state/records.ts'
import { getSettings } from '../../state/seed.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { draftSubscriptionInvoice } from '../invoices/invoicing.ts'
import { periodLine } from '../invoices/lines.ts'
import { finalizeAndCharge } from '../invoices/payments.ts'
import { endSchedule, patchSubscription, reloadSubscription } from './record.ts'

const daySeconds = 86_400

interface Recurrence {
  readonly interval: Interval
  readonly interval_count: number
}

/** The first boundary after `after` of the cycle counted from `anchor`, in seconds. */
export function nextPeriodEnd(anchor: number, recurrence: Recurrence, after: number): number {
  const shortestSeconds = { day: 1, week: 7, month: 28, year: 365 }[recurrence.interval] * daySeconds
  // Start at a count that cannot be too high and step up, because months and years differ in length.
  let count = Math.max(0, Math.floor((after - anchor) / (shortestSeconds * recurrence.interval_count * 1.12)))
  while (cycleBoundary(anchor, recurrence, count) <= after) count += 1
  return cycleBoundary(anchor, recurrence, count)
}

/**
 * Boundary number `count` of the cycle. It is counted from the anchor, so that the 31st returns after a short month.
 */
function cycleBoundary(anchor: number, { interval, interval_count }: Recurrence, count: number): number {
  const steps = interval_count * count
  if (interval === 'day') return anchor + steps * daySeconds
  if (interval === 'week') return anchor + steps * 7 * daySeconds
  const months = interval === 'year' ? steps * 12 : steps
  const start = new Date(anchor * 1000)
  const firstOfMonth = new Date(start)
  firstOfMonth.setUTCDate(1)
  firstOfMonth.setUTCMonth(start.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(firstOfMonth.getUTCFullYear(), firstOfMonth.getUTCMonth() + 1, 0)).getUTCDate()
  firstOfMonth.setUTCDate(Math.min(start.getUTCDate(), lastDay))
  return Math.floor(firstOfMonth.getTime() / 1000)
}

/** The fields of a subscription whose next period starts now. */
export function newPeriodFields(
  ctx: RequestContext,
  subscription: Subscription,
): Pick<Subscription, 'items' | 'billing_cycle_anchor' | 'cancel_at'> {
  const recurrence = ctx.db.getOrThrow('prices', subscription.items[0]!.price).recurring!
  const end = nextPeriodEnd(subscription.billing_cycle_anchor, recurrence, ctx.now)
  return {
    billing_cycle_anchor: subscription.billing_cycle_anchor,
    cancel_at: subscription.cancel_at_period_end ? end : subscription.cancel_at,
    items: subscription.items.map((item) => ({
      ...item,
      current_period_start: ctx.now,
      current_period_end: end,
    })),
  }
}

/** Drafts the invoice for the current period; the caller finalizes it at once. */
export function draftPeriodInvoice(
  ctx: RequestContext,
  subscription: Subscription,
  reason: Invoice['billing_reason'],
  fields: Partial<Invoice> = {},
): Invoice {
  return draftSubscriptionInvoice(ctx, subscription, {
    reason,
    lines: subscription.items.map((item) => periodLine(ctx, subscription.id, item, { free: false })),
    period: { start: subscription.items[0]!.current_period_start, end: subscription.items[0]!.current_period_end },
    fields,
  })
}

/**
 * Drafts a renewal's invoice, which stays editable for a while. For an unpaid or paused subscription it is not
 * collected.
 */
export function draftRenewalInvoice(ctx: RequestContext, subscription: Subscription): Invoice {
  const collected = subscription.status !== 'unpaid' && subscription.pause_collection?.behavior !== 'keep_as_draft'
  return draftPeriodInvoice(ctx, subscription, 'subscription_cycle', {
    auto_advance: collected,
    automatically_finalizes_at: collected ? ctx.now + getSettings(ctx.db).draft_seconds : null,
  })
}

/** Starts the next period, with the scheduled plan if there is one, and drafts its invoice. */
export function renewSubscription(ctx: RequestContext, subscription: Subscription): Subscription {
  const scheduled = scheduledFields(ctx, subscription)
  if (scheduled) endSchedule(ctx, subscription, 'completed')
  const after = { ...subscription, ...scheduled }
  const period = newPeriodFields(ctx, after)
  const invoice = draftRenewalInvoice(ctx, { ...after, ...period })
  return patchSubscription(ctx, subscription, { ...scheduled, ...period, latest_invoice: invoice.id })
}

function scheduledFields(ctx: RequestContext, subscription: Subscription): Partial<Subscription> | null {
  const schedule = subscription.schedule && ctx.db.get('subscription_schedules', subscription.schedule)
  if (!schedule || schedule.at > ctx.now) return null
  const [first, ...others] = subscription.items
  const from = ctx.db.getOrThrow('prices', schedule.previous_price).recurring!
  const to = ctx.db.getOrThrow('prices', schedule.price).recurring!
  const sameRecurrence = from.interval === to.interval && from.interval_count === to.interval_count
  return {
    items: [{ ...first!, price: schedule.price, quantity: schedule.quantity }, ...others],
    schedule: null,
    ...(!sameRecurrence && { billing_cycle_anchor: ctx.now }),
  }
}

/** Resumes a paused subscription with a new period, charged at once; if the charge fails it stays paused. */
export function resumePausedSubscription(
  ctx: RequestContext,
  subscription: Subscription,
  anchor: 'now' | 'unchanged',
): Subscription {
  if (subscription.status !== 'paused')
    throw invalidRequest('This subscription cannot be resumed because it is not paused.')
  const cycleAnchor = anchor === 'now' ? ctx.now : subscription.billing_cycle_anchor
  const period = newPeriodFields(ctx, { ...subscription, billing_cycle_anchor: cycleAnchor })
  const invoice = draftPeriodInvoice(ctx, { ...subscription, ...period }, 'subscription_update')
  const resumed = patchSubscription(ctx, subscription, { ...period, latest_invoice: invoice.id })
  const paid = finalizeAndCharge(ctx, invoice)
  const now = reloadSubscription(ctx, resumed)
  if (paid.status === 'paid' || amountDue(paid) === 0)
    emitEvent(ctx, 'customer.subscription.resumed', presentSubscription(ctx, now))
  return now
}
