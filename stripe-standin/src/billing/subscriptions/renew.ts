import { emit } from '../../events/emit.ts'
import { invalidRequest } from '../../http/errors.ts'
import { amountDue } from '../../presenters/invoices.ts'
import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { Desk } from '../../state/database.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { finalizeAndCharge } from '../invoices/payments.ts'
import { endSchedule } from './cancel.ts'
import { changeSubscription, current } from './record.ts'
import { draftPeriod, draftRenewal, startPeriod } from './trial.ts'

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
