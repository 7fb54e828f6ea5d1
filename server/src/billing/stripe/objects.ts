import { ApiError } from '../../kernel/errors.ts'
import { parseStrictJson } from '../../kernel/json.ts'
import type { Billing, PaidPlan, Price, ProviderEvent, ProviderSubscription } from '../provider.ts'
import type { Stripe } from './connection.ts'

interface Sold {
  plan: PaidPlan
  billing: Billing
}

/** What is sold, by the id of its price. */
export type OffersByPriceId = ReadonlyMap<string, Sold>

/** `prices` by `plan_billing`, as the configuration has them. */
export function offersByPriceId(prices: Readonly<Record<string, string>>): OffersByPriceId {
  return new Map(
    Object.entries(prices).map(([name, price]) => {
      const [plan, billing] = name.split('_') as [PaidPlan, Billing]
      return [price, { plan, billing }]
    }),
  )
}

/** Before 2025-03-31 Stripe told the period of the subscription, since then that of each item. */
type EitherShape = Stripe.Subscription & { current_period_end?: number }

/** A subscription of any version of Stripe's API, its customer expanded, in our words. */
export function toProviderSubscription(subscription: EitherShape, sold: OffersByPriceId): ProviderSubscription {
  const { customer, items } = subscription
  const periodEnds = items.data.map((item) => item.current_period_end ?? subscription.current_period_end)
  const currentPeriodEnd = latest(periodEnds)
  return {
    id: subscription.id,
    customerId: typeof customer === 'string' ? customer : customer.id,
    status: subscription.status,
    offer: soldOf(items.data, sold),
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

/** One of our prices may stand beside others; two of ours contradict each other. */
function soldOf(items: readonly Stripe.SubscriptionItem[], sold: OffersByPriceId): Sold | null {
  const ours = items.flatMap((item) => sold.get(item.price.id) ?? [])
  return ours.length === 1 ? ours[0]! : null
}

/** Items that are charged at another rhythm, or by use, add up to no one sum. */
function priceOf([item, ...others]: readonly Stripe.SubscriptionItem[]): Price | null {
  const { unit_amount, currency, recurring } = item?.price ?? {}
  if (others.length > 0 || unit_amount == null || !currency || !recurring) return null
  const { interval, interval_count: intervalCount } = recurring
  return { amount: unit_amount * (item?.quantity ?? 1), currency, interval, intervalCount }
}

/** Stripe tells the same thing by a date where its newer billing mode is on. */
function endsWithPeriod(
  { cancel_at_period_end, cancel_at }: Stripe.Subscription,
  currentPeriodEnd: Date | null,
): boolean {
  if (cancel_at_period_end) return true
  return cancel_at !== null && currentPeriodEnd !== null && cancel_at * 1000 <= currentPeriodEnd.getTime()
}

/** What Stripe charges: the subscription's own means of payment, else the customer's default. */
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

const idShape = /^[\w.-]{1,255}$/

/**
 * The event in a webhook's body. In every version of Stripe's API it names the object that changed, and most of these
 * their customer; what was taken from a customer names it among what was before. `secretKey` says which mode is ours.
 */
export function parseEvent(body: Buffer, secretKey: string): ProviderEvent {
  const parsed = parseStrictJson(body)
  if (!parsed.ok) throw new ApiError('invalid_json', 'The body is not valid JSON.')
  const { id, type, data, livemode } = fieldsOf(parsed.value)
  if (!isId(id) || !isId(type)) throw new ApiError('invalid_request', 'The body is not an event.')
  const { object, previous_attributes } = fieldsOf(data)
  const about = fieldsOf(object)
  const customer =
    about.object === 'customer' ? about.id : idOf(about.customer ?? fieldsOf(previous_attributes).customer)
  return {
    id,
    type,
    customerId: isId(customer) ? customer : null,
    isOtherMode: (livemode === true) !== isLiveKey(secretKey),
  }
}

/** Secret and restricted keys of Stripe tell their mode: sk_live_, rk_live_, sk_test_, rk_test_. */
function isLiveKey(secretKey: string): boolean {
  return /^[sr]k_live_/.test(secretKey)
}

/** An object stands for its id where it was expanded. */
function idOf(reference: unknown): unknown {
  return typeof reference === 'string' ? reference : fieldsOf(reference).id
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idShape.test(value)
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
