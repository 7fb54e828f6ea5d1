import { Refusal } from '../../../foundation/kernel/errors.ts'
import { parseStrictJson } from '../../../foundation/kernel/json.ts'
import type {
  BillingInterval,
  Offer,
  OfferPrice,
  PaidPlan,
  Price,
  ProviderEvent,
  ProviderSubscription,
} from '../provider.ts'
import type { Stripe } from './connection.ts'

/** Offers by Stripe price id. */
export type OffersByPriceId = ReadonlyMap<string, Offer>

/** Inverts the configured prices, which are keyed by `plan_billing`. */
export function offersByPriceId(prices: Readonly<Record<string, string>>): OffersByPriceId {
  return new Map(
    Object.entries(prices).map(([name, price]) => {
      const [plan, billing] = name.split('_') as [PaidPlan, BillingInterval]
      return [price, { plan, billing }]
    }),
  )
}

/** Before API version 2025-03-31 the period was on the subscription, since then on each item. */
type AnyVersionSubscription = Stripe.Subscription & { current_period_end?: number }

/** Converts a subscription of any API version, with expanded customer. */
export function toProviderSubscription(
  subscription: AnyVersionSubscription,
  offers: OffersByPriceId,
): ProviderSubscription {
  const { customer, items } = subscription
  const periodEnds = items.data.map((item) => item.current_period_end ?? subscription.current_period_end)
  const currentPeriodEnd = latest(periodEnds)
  return {
    id: subscription.id,
    customerId: typeof customer === 'string' ? customer : customer.id,
    status: subscription.status,
    offer: offerOf(items.data, offers),
    price: priceOf(items.data),
    billingCycleAnchor: dateFromSeconds(subscription.billing_cycle_anchor)!,
    currentPeriodEnd,
    trialStart: dateFromSeconds(subscription.trial_start),
    trialEnd: dateFromSeconds(subscription.trial_end),
    cancelAtPeriodEnd: endsWithPeriod(subscription, currentPeriodEnd),
    hasPaymentMethod: hasPaymentMethod(subscription),
    createdAt: dateFromSeconds(subscription.created)!,
  }
}

/** The offer of the only item with a configured price; null if there is none, or several. */
function offerOf(items: readonly Stripe.SubscriptionItem[], offers: OffersByPriceId): Offer | null {
  const matching = items.flatMap((item) => offers.get(item.price.id) ?? [])
  return matching.length === 1 ? matching[0]! : null
}

/** Null for several items or usage-based prices, which have no single amount. */
function priceOf([item, ...others]: readonly Stripe.SubscriptionItem[]): Price | null {
  if (!item || others.length > 0) return null
  const price = fixedPriceOf(item.price)
  return price && { ...price, amount: price.amount * (item.quantity ?? 1) }
}

function fixedPriceOf({ unit_amount, currency, recurring }: Stripe.Price): Price | null {
  if (unit_amount == null || !currency || !recurring) return null
  return { amount: unit_amount, currency, interval: recurring.interval, intervalCount: recurring.interval_count }
}

/** The offer of a configured price with its amount; nothing for a price that is not one fixed amount. */
export function toOfferPrice(stored: Stripe.Price, offers: OffersByPriceId): OfferPrice[] {
  const offer = offers.get(stored.id)
  const price = fixedPriceOf(stored)
  return offer && price ? [{ ...offer, price }] : []
}

/** With Stripe's flexible billing mode, `cancel_at` replaces `cancel_at_period_end`. */
function endsWithPeriod(
  { cancel_at_period_end, cancel_at }: Stripe.Subscription,
  currentPeriodEnd: Date | null,
): boolean {
  if (cancel_at_period_end) return true
  return cancel_at !== null && currentPeriodEnd !== null && cancel_at * 1000 <= currentPeriodEnd.getTime()
}

/** Stripe charges the subscription's payment method, else the customer's default. */
function hasPaymentMethod({ default_payment_method, default_source, customer }: Stripe.Subscription): boolean {
  if (default_payment_method || default_source) return true
  if (typeof customer === 'string' || customer.deleted) return false
  return Boolean(customer.invoice_settings.default_payment_method || customer.default_source)
}

function latest(seconds: readonly (number | undefined)[]): Date | null {
  const known = seconds.filter((second) => second !== undefined)
  return known.length === 0 ? null : dateFromSeconds(Math.max(...known))
}

export function dateFromSeconds(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1000)
}

const idPattern = /^[\w.-]{1,255}$/

/**
 * Parses a webhook's body of any API version. The customer is the changed object itself or its `customer`; a detached
 * object has it in `previous_attributes`. The mode of `secretKey` decides `isOtherMode`.
 */
export function parseEvent(body: Buffer, secretKey: string): ProviderEvent {
  const parsed = parseStrictJson(body)
  if (!parsed.ok) throw new Refusal('invalid_json', 'The body is not valid JSON.')
  const { id, type, data, livemode } = fieldsOf(parsed.value)
  if (!isId(id) || !isId(type)) throw new Refusal('invalid_request', 'The body is not an event.')
  const { object, previous_attributes } = fieldsOf(data)
  const subject = fieldsOf(object)
  const customer =
    subject.object === 'customer' ? subject.id : idOf(subject.customer ?? fieldsOf(previous_attributes).customer)
  return {
    id,
    type,
    customerId: isId(customer) ? customer : null,
    isOtherMode: (livemode === true) !== isLiveKey(secretKey),
  }
}

/** Secret and restricted keys contain their mode: sk_live_, rk_live_, sk_test_, rk_test_. */
function isLiveKey(secretKey: string): boolean {
  return /^[sr]k_live_/.test(secretKey)
}

/** The id of a reference, which may be expanded to an object. */
function idOf(reference: unknown): unknown {
  return typeof reference === 'string' ? reference : fieldsOf(reference).id
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
