import { presentSchedule, presentSubscription } from '../../presenters/subscriptions.ts'
import { newId, type RequestContext } from '../../state/database.ts'
import { emitEvent, emitUpdatedEvent } from '../../state/emit.ts'
import type { Customer, PaymentMethod, Price, Product } from '../../state/records.ts'
import type { Subscription, SubscriptionSchedule } from '../../state/subscription-records.ts'

/** Whether the subscription is in a final state. */
export function hasEnded({ status }: Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}

/** Reads the subscription again; other functions may have changed it since `subscription` was read. */
export function reloadSubscription(ctx: RequestContext, subscription: Subscription): Subscription {
  return ctx.db.getOrThrow('subscriptions', subscription.id)
}

/** Writes fields of a subscription and emits one `customer.subscription.updated`. */
export function patchSubscription(
  ctx: RequestContext,
  subscription: Subscription,
  fields: Partial<Subscription>,
): Subscription {
  const before = presentSubscription(ctx, subscription)
  const changed = ctx.db.update('subscriptions', subscription, fields)
  emitUpdatedEvent(ctx, 'customer.subscription.updated', before, presentSubscription(ctx, changed))
  return changed
}

/** The card for a subscription's invoices: its own, else the customer's default. */
export function paymentMethodForSubscription(ctx: RequestContext, subscription: Subscription): PaymentMethod | null {
  return findPaymentMethod(ctx, subscription.default_payment_method, subscription.customer)
}

/** The card with the given id, else the customer's default card. */
export function findPaymentMethod(ctx: RequestContext, named: string | null, customerId: string): PaymentMethod | null {
  const customer: Customer = ctx.db.getOrThrow('customers', customerId)
  const id = named ?? customer.default_payment_method
  return (id && ctx.db.get('payment_methods', id)) || null
}

/** A price with its product: what a subscription item is for. */
export interface ProductPrice {
  readonly product: Product
  readonly price: Price
}

/** Product and price of the subscription's first item. */
export function subscribedProductPrice(ctx: RequestContext, subscription: Subscription): ProductPrice {
  return getProductPrice(ctx, subscription.items[0]!.price)
}

export function getProductPrice(ctx: RequestContext, priceId: string): ProductPrice {
  const price = ctx.db.getOrThrow('prices', priceId)
  return { product: ctx.db.getOrThrow('products', price.product), price }
}

/** Schedules a plan change for the end of the current period; it replaces an earlier one. */
export function schedulePlanChange(
  ctx: RequestContext,
  subscription: Subscription,
  price: string,
  quantity: number,
): Subscription {
  endSchedule(ctx, subscription, 'released')
  const item = subscription.items[0]!
  const schedule = ctx.db.put('subscription_schedules', {
    id: newId('sub_sched_1'),
    created: ctx.now,
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
  emitEvent(ctx, 'subscription_schedule.created', presentSchedule(ctx, schedule))
  return patchSubscription(ctx, subscription, { schedule: schedule.id })
}

/** Drops a scheduled change; the subscription continues unchanged. */
export function releaseSchedule(ctx: RequestContext, subscription: Subscription): Subscription {
  if (!subscription.schedule) return subscription
  endSchedule(ctx, subscription, 'released')
  return patchSubscription(ctx, subscription, { schedule: null })
}

/** Ends the subscription's schedule, if any; the caller clears the subscription's reference. */
export function endSchedule(
  ctx: RequestContext,
  subscription: Subscription,
  status: Exclude<SubscriptionSchedule['status'], 'active'>,
): void {
  const schedule = ctx.db.get('subscription_schedules', subscription.schedule ?? '')
  if (schedule?.status !== 'active') return
  const ended = ctx.db.update('subscription_schedules', schedule, { status, ended_at: ctx.now })
  emitEvent(ctx, `subscription_schedule.${status}`, presentSchedule(ctx, ended))
}
