import { emitUpdate } from '../../events/emit.ts'
import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { Desk } from '../../state/database.ts'
import type { Customer, PaymentMethod, Price, Product } from '../../state/records.ts'
import type { Subscription } from '../../state/subscription-records.ts'

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
