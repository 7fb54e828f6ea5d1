import { emit } from '../../events/emit.ts'
import { presentSchedule } from '../../presenters/subscriptions.ts'
import { type Desk, newId } from '../../state/database.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { endSchedule } from './cancel.ts'
import { changeSubscription } from './record.ts'

/** Has the plan change when the current period ends; an earlier wish is replaced. */
export function scheduleChange(desk: Desk, subscription: Subscription, price: string, quantity: number): Subscription {
  endSchedule(desk, subscription, 'released')
  const item = subscription.items[0]!
  const schedule = desk.book.put('subscription_schedules', {
    id: newId('sub_sched_1'),
    created: desk.now,
    subscription: subscription.id,
    customer: subscription.customer,
    status: 'active',
    price,
    quantity,
    at: item.current_period_end,
    previous_price: item.price,
    phase_start: item.current_period_start,
    ended_at: null,
  })
  emit(desk, 'subscription_schedule.created', presentSchedule(desk, schedule))
  return changeSubscription(desk, subscription, { schedule: schedule.id })
}

/** Forgets a scheduled change: the subscription goes on as it is. */
export function releaseSchedule(desk: Desk, subscription: Subscription): Subscription {
  if (!subscription.schedule) return subscription
  endSchedule(desk, subscription, 'released')
  return changeSubscription(desk, subscription, { schedule: null })
}
