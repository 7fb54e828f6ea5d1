import { emit, emitUpdate } from '../../events/emit.ts'
import { presentSchedule, presentSubscription } from '../../presenters/subscriptions.ts'
import type { Desk } from '../../state/database.ts'
import { newId } from '../../state/database.ts'
import type { Customer, PaymentMethod, Price, Product } from '../../state/records.ts'
import type { Subscription, SubscriptionSchedule } from '../../state/subscription-records.ts'

/** States in which nothing moves any more. */
export function hasEnded({ status }: Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}

/** The subscription as it is now; other verbs may have changed it since `subscription` was read. */
export function current(desk: Desk, subscription: Subscription): Subscription {
  return desk.book.must('subscriptions', subscription.id)
}

/** Changes a subscription and tells of it with one `customer.subscription.updated`. */
export function changeSubscription(desk: Desk, subscription: Subscription, facts: Partial<Subscription>): Subscription {
  const before = presentSubscription(desk, subscription)
  const changed = desk.book.amend('subscriptions', subscription, facts)
  emitUpdate(desk, 'customer.subscription.updated', before, presentSubscription(desk, changed))
  return changed
}

/** The card that a subscription's invoices are charged to: its own, else its customer's. */
export function methodOf(desk: Desk, subscription: Subscription): PaymentMethod | null {
  return findMethod(desk, subscription.default_payment_method, subscription.customer)
}

/** The first that exists of a named card and the customer's default one. */
export function findMethod(desk: Desk, named: string | null, customerId: string): PaymentMethod | null {
  const customer: Customer = desk.book.must('customers', customerId)
  const id = named ?? customer.default_payment_method
  return (id && desk.book.get('payment_methods', id)) || null
}

/** What a subscription is for: its first item's product and price. */
export function soldBy(desk: Desk, subscription: Subscription): { product: Product; price: Price } {
  return productAndPrice(desk, subscription.items[0]!.price)
}

export function productAndPrice(desk: Desk, priceId: string): { product: Product; price: Price } {
  const price = desk.book.must('prices', priceId)
  return { product: desk.book.must('products', price.product), price }
}

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

/** Ends the schedule of a subscription, if it has one; the caller clears the subscription's reference. */
export function endSchedule(
  desk: Desk,
  subscription: Subscription,
  status: Exclude<SubscriptionSchedule['status'], 'active'>,
): void {
  const schedule = desk.book.get('subscription_schedules', subscription.schedule ?? '')
  if (schedule?.status !== 'active') return
  const ended = desk.book.amend('subscription_schedules', schedule, { status, ended_at: desk.now })
  emit(desk, `subscription_schedule.${status}`, presentSchedule(desk, ended))
}
