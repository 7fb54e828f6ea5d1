import {
  applyMetadataChange,
  boolean,
  hash,
  ignored,
  integer,
  list,
  literalOr,
  metadata,
  oneOf,
  type ParamValues,
  quantity,
  required,
  text,
  unsettable,
} from '../api/params.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { invalidRequest } from '../state/errors.ts'
import type { Price } from '../state/records.ts'
import type { Subscription, SubscriptionItem } from '../state/subscription-records.ts'
import { getSubscribablePrice } from './lookup.ts'

export const trialSettingsParam = hash({
  end_behavior: required(hash({ missing_payment_method: required(oneOf('cancel', 'create_invoice', 'pause')) })),
})

/** Parameters of both creating and updating a subscription. */
export const sharedParams = {
  automatic_tax: ignored,
  cancel_at_period_end: boolean,
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  days_until_due: integer({ max: 365 }),
  default_payment_method: unsettable(text),
  description: unsettable(text),
  invoice_settings: ignored,
  metadata,
  off_session: boolean,
  payment_behavior: oneOf('allow_incomplete', 'default_incomplete', 'error_if_incomplete'),
  payment_settings: ignored,
  proration_behavior: oneOf('always_invoice', 'create_prorations', 'none'),
  trial_end: literalOr('now', integer()),
  trial_from_plan: ignored,
  trial_settings: trialSettingsParam,
}

export const newItemsParam = list(
  hash({ price: required(text), quantity, metadata, tax_rates: ignored, discounts: ignored }),
  { max: 20 },
)

export const changedItemsParam = list(
  hash({
    id: text,
    price: text,
    quantity,
    deleted: boolean,
    metadata,
    tax_rates: ignored,
    discounts: ignored,
    clear_usage: ignored,
  }),
  { max: 20 },
)

type SharedParams = ParamValues<typeof sharedParams>

/** Fields written as given. The caller checks the payment method, because it knows the customer. */
export function fieldsFromParams(params: SharedParams, before: Pick<Subscription, 'metadata'>): Partial<Subscription> {
  return {
    ...(params.collection_method && { collection_method: params.collection_method }),
    ...(params.days_until_due !== undefined && { days_until_due: params.days_until_due }),
    ...(params.description !== undefined && { description: params.description }),
    ...(params.default_payment_method !== undefined && { default_payment_method: params.default_payment_method }),
    ...(params.metadata !== undefined && { metadata: applyMetadataChange(before.metadata, params.metadata) }),
    ...(params.trial_settings && {
      missing_payment_method: params.trial_settings.end_behavior.missing_payment_method,
    }),
  }
}

/** All items of a subscription must have the same currency and interval. */
export function checkCompatiblePrices(prices: readonly Price[]): void {
  const [first, ...others] = prices
  if (!first) throw invalidRequest('A subscription must have at least one item.', { param: 'items' })
  for (const other of others) {
    if (other.currency !== first.currency)
      throw invalidRequest('All prices on a subscription must have the same currency.', { param: 'items' })
    const { interval, interval_count: count } = other.recurring!
    if (interval !== first.recurring!.interval || count !== first.recurring!.interval_count)
      throw invalidRequest(
        'If you use multiple items, all of them need to have the same `recurring.interval` and `recurring.interval_count`.',
        { param: 'items' },
      )
  }
  if (new Set(prices.map(({ id }) => id)).size < prices.length)
    throw invalidRequest('Cannot add multiple subscription items with the same price.', { param: 'items' })
}

/** The items after the update: named ones changed or removed, new ones added, the rest unchanged. */
export function applyItemChanges(
  ctx: RequestContext,
  subscription: Subscription,
  changes: NonNullable<ParamValues<{ items: typeof changedItemsParam }>['items']>,
): readonly SubscriptionItem[] {
  const items = new Map(subscription.items.map((item) => [item.id, item]))
  changes.forEach((change, index) => {
    const before = change.id === undefined ? undefined : items.get(change.id)
    if (change.id !== undefined && !before)
      throw invalidRequest(`No such subscription item: '${change.id}'`, {
        code: 'resource_missing',
        param: `items[${index}][id]`,
      })
    if (change.deleted) {
      if (before) items.delete(before.id)
      return
    }
    const priceId = change.price ?? before?.price
    if (priceId === undefined)
      throw invalidRequest(`Missing required param: items[${index}][price].`, {
        code: 'parameter_missing',
        param: `items[${index}][price]`,
      })
    if (priceId !== before?.price) getSubscribablePrice(ctx, priceId, `items[${index}][price]`)
    const template = before ?? newSubscriptionItem(ctx, subscription)
    items.set(template.id, {
      ...template,
      price: priceId,
      quantity: change.quantity ?? template.quantity,
      metadata: applyMetadataChange(template.metadata, change.metadata),
    })
  })
  const after = [...items.values()]
  checkCompatiblePrices(after.map(({ price }) => ctx.db.getOrThrow('prices', price)))
  if (after.some(({ price }) => ctx.db.getOrThrow('prices', price).currency !== subscription.currency))
    throw invalidRequest('The currency of a subscription cannot change.', { param: 'items' })
  return after
}

function newSubscriptionItem(ctx: RequestContext, { items }: Subscription): SubscriptionItem {
  const { current_period_start, current_period_end } = items[0]!
  return {
    id: newId('si_', 14),
    created: ctx.now,
    price: '',
    quantity: 1,
    metadata: {},
    current_period_start,
    current_period_end,
  }
}
