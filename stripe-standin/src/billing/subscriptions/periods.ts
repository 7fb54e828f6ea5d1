import { emit } from '../../events/emit.ts'
import { invalidRequest } from '../../http/errors.ts'
import { amountDue } from '../../presenters/invoices.ts'
import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { Desk } from '../../state/database.ts'
import type { Interval } from '../../state/records.ts'
import { currentSettings } from '../../state/seed.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { draftSubscriptionInvoice } from '../invoices/invoicing.ts'
import { periodLine } from '../invoices/lines.ts'
import { finalizeAndCharge } from '../invoices/payments.ts'
import { changeSubscription, current, endSchedule } from './record.ts'

const daySeconds = 86_400

export interface Recurrence {
  readonly interval: Interval
  readonly interval_count: number
}

/** The first moment after `after` at which a cycle that is counted from `anchor` turns. */
export function nextTurn(anchor: number, recurrence: Recurrence, after: number): number {
  const shortestSeconds = { day: 1, week: 7, month: 28, year: 365 }[recurrence.interval] * daySeconds
  // Start at a count that cannot be too high and walk up; months and years differ in length.
  let count = Math.max(0, Math.floor((after - anchor) / (shortestSeconds * recurrence.interval_count * 1.12)))
  while (turn(anchor, recurrence, count) <= after) count += 1
  return turn(anchor, recurrence, count)
}

/** Turn number `count` of the cycle: always counted from the anchor, so that the 31st is back after a short month. */
function turn(anchor: number, { interval, interval_count }: Recurrence, count: number): number {
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

/** The facts of a subscription whose next period starts now. */
export function startPeriod(
  desk: Desk,
  subscription: Subscription,
): Pick<Subscription, 'items' | 'billing_cycle_anchor' | 'cancel_at'> {
  const recurrence = desk.book.must('prices', subscription.items[0]!.price).recurring!
  const end = nextTurn(subscription.billing_cycle_anchor, recurrence, desk.now)
  return {
    billing_cycle_anchor: subscription.billing_cycle_anchor,
    cancel_at: subscription.cancel_at_period_end ? end : subscription.cancel_at,
    items: subscription.items.map((item) => ({
      ...item,
      current_period_start: desk.now,
      current_period_end: end,
    })),
  }
}

/** A draft for the period that a subscription is in, which its maker finalizes at once. */
export function draftPeriod(
  desk: Desk,
  subscription: Subscription,
  reason: Invoice['billing_reason'],
  facts: Partial<Invoice> = {},
): Invoice {
  return draftSubscriptionInvoice(desk, subscription, {
    reason,
    lines: subscription.items.map((item) => periodLine(desk, subscription.id, item, { free: false })),
    period: { start: subscription.items[0]!.current_period_start, end: subscription.items[0]!.current_period_end },
    facts,
  })
}

/** The draft of a renewal, open to additions for a while; nobody collects one of an unpaid or paused subscription. */
export function draftRenewal(desk: Desk, subscription: Subscription): Invoice {
  const collected = subscription.status !== 'unpaid' && subscription.pause_collection?.behavior !== 'keep_as_draft'
  return draftPeriod(desk, subscription, 'subscription_cycle', {
    auto_advance: collected,
    automatically_finalizes_at: collected ? desk.now + currentSettings(desk.book).draft_seconds : null,
  })
}

/** Starts the next period, with the plan that was scheduled for it if there is one, and drafts its invoice. */
export function renewSubscription(desk: Desk, subscription: Subscription): Subscription {
  const scheduled = scheduledFacts(desk, subscription)
  if (scheduled) endSchedule(desk, subscription, 'completed')
  const after = { ...subscription, ...scheduled }
  const period = startPeriod(desk, after)
  const invoice = draftRenewal(desk, { ...after, ...period })
  return changeSubscription(desk, subscription, { ...scheduled, ...period, latest_invoice: invoice.id })
}

function scheduledFacts(desk: Desk, subscription: Subscription): Partial<Subscription> | null {
  const schedule = subscription.schedule && desk.book.get('subscription_schedules', subscription.schedule)
  if (!schedule || schedule.at > desk.now) return null
  const [first, ...others] = subscription.items
  const from = desk.book.must('prices', schedule.previous_price).recurring!
  const to = desk.book.must('prices', schedule.price).recurring!
  const sameRhythm = from.interval === to.interval && from.interval_count === to.interval_count
  return {
    items: [{ ...first!, price: schedule.price, quantity: schedule.quantity }, ...others],
    schedule: null,
    ...(!sameRhythm && { billing_cycle_anchor: desk.now }),
  }
}

/** Takes a paused subscription up again: a new period, charged at once; while the charge fails it stays paused. */
export function resumePaused(desk: Desk, subscription: Subscription, anchor: 'now' | 'unchanged'): Subscription {
  if (subscription.status !== 'paused')
    throw invalidRequest('This subscription cannot be resumed because it is not paused.')
  const cycleAnchor = anchor === 'now' ? desk.now : subscription.billing_cycle_anchor
  const period = startPeriod(desk, { ...subscription, billing_cycle_anchor: cycleAnchor })
  const invoice = draftPeriod(desk, { ...subscription, ...period }, 'subscription_update')
  const resumed = changeSubscription(desk, subscription, { ...period, latest_invoice: invoice.id })
  const paid = finalizeAndCharge(desk, invoice)
  const now = current(desk, resumed)
  if (paid.status === 'paid' || amountDue(paid) === 0)
    emit(desk, 'customer.subscription.resumed', presentSubscription(desk, now))
  return now
}
