import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import {
  applyMetadataChange,
  boolean,
  cents,
  hash,
  ignored,
  integer,
  list,
  type MetadataChange,
  matchesTimeFilter,
  metadata,
  oneOf,
  type ParamValues,
  required,
  text,
  timeFilter,
} from '../api/params.ts'
import { presentPrice } from '../presenters/catalogue.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { emitEvent, emitUpdatedEvent } from '../state/emit.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import type { Price } from '../state/records.ts'
import { getPrice } from './lookup.ts'

const recurringFields = {
  interval: required(oneOf('day', 'week', 'month', 'year')),
  interval_count: integer({ min: 1, max: 1_095 }),
  meter: ignored,
  trial_period_days: ignored,
  usage_type: oneOf('licensed'),
}

/** The billing interval; metered prices are not supported. */
export const recurringParam = hash(recurringFields)

interface NewPrice {
  readonly product: string
  readonly currency: string
  readonly unit_amount: number
  readonly recurring?: ParamValues<typeof recurringFields>
  readonly active?: boolean
  readonly lookup_key?: string
  readonly nickname?: string
  readonly metadata?: MetadataChange
}

export function createPrice(ctx: RequestContext, wanted: NewPrice): Price {
  const price = ctx.db.put('prices', {
    id: newId('price_1'),
    created: ctx.now,
    product: wanted.product,
    active: wanted.active ?? true,
    currency: wanted.currency.toLowerCase(),
    unit_amount: wanted.unit_amount,
    recurring: wanted.recurring
      ? { interval: wanted.recurring.interval, interval_count: wanted.recurring.interval_count ?? 1 }
      : null,
    lookup_key: wanted.lookup_key ?? null,
    nickname: wanted.nickname ?? null,
    metadata: applyMetadataChange({}, wanted.metadata),
  })
  emitEvent(ctx, 'price.created', presentPrice(price))
  return price
}

/** Throws if another price has the lookup key, unless it may be transferred. */
function claimLookupKey(
  ctx: RequestContext,
  key: string | undefined,
  owner: string | null,
  transfer: boolean | undefined,
): void {
  const holder = key === undefined ? undefined : ctx.db.all('prices').find((price) => price.lookup_key === key)
  if (!holder || holder.id === owner) return
  if (!transfer)
    throw invalidRequest(`A price (\`${holder.id}\`) already uses that lookup key.`, { param: 'lookup_key' })
  const released = ctx.db.update('prices', holder, { lookup_key: null })
  emitUpdatedEvent(ctx, 'price.updated', presentPrice(holder), presentPrice(released))
}

export const priceEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/prices',
    params: {
      active: boolean,
      billing_scheme: oneOf('per_unit'),
      currency: required(text),
      lookup_key: text,
      metadata,
      nickname: text,
      product: text,
      product_data: hash({ name: required(text), metadata, active: boolean }),
      recurring: recurringParam,
      tax_behavior: ignored,
      transfer_lookup_key: boolean,
      unit_amount: required(cents),
    },
    run(ctx, { product, product_data: data, transfer_lookup_key: transfer, ...wanted }) {
      if ((product === undefined) === (data === undefined))
        throw invalidRequest('You must provide exactly one of `product` and `product_data`.', { param: 'product' })
      if (product !== undefined && !ctx.db.get('products', product))
        throw resourceMissing('product', product, 'product')
      claimLookupKey(ctx, wanted.lookup_key, null, transfer)
      const owner =
        product ??
        ctx.db.put('products', {
          id: newId('prod_', 14),
          created: ctx.now,
          updated: ctx.now,
          name: data!.name,
          description: null,
          active: data!.active ?? true,
          default_price: null,
          metadata: applyMetadataChange({}, data!.metadata),
          url: null,
        }).id
      return presentPrice(createPrice(ctx, { ...wanted, product: owner }))
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/prices',
    params: {
      ...listParams,
      active: boolean,
      created: timeFilter,
      currency: text,
      lookup_keys: list(text, { max: 10 }),
      product: text,
      recurring: hash({ interval: oneOf('day', 'week', 'month', 'year') }),
      type: oneOf('one_time', 'recurring'),
    },
    run(ctx, params) {
      const { active, created, currency, lookup_keys: keys, product, recurring, type, ...page } = params
      return paginate({
        url: '/v1/prices',
        objectName: 'price',
        records: ctx.db.all('prices'),
        matches: (price) =>
          matchesFilter(active, price.active) &&
          matchesFilter(currency, price.currency) &&
          matchesFilter(product, price.product) &&
          matchesFilter(type, price.recurring ? 'recurring' : 'one_time') &&
          matchesFilter(recurring?.interval, price.recurring?.interval) &&
          (keys === undefined || (price.lookup_key !== null && keys.includes(price.lookup_key))) &&
          matchesTimeFilter(price.created, created),
        page,
        present: presentPrice,
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/prices/:id',
    params: {},
    run: (ctx, _params, { id }) => presentPrice(getPrice(ctx, id, 'id')),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/prices/:id',
    params: {
      active: boolean,
      lookup_key: text,
      metadata,
      nickname: text,
      tax_behavior: ignored,
      transfer_lookup_key: boolean,
    },
    run(ctx, params, { id }) {
      const price = getPrice(ctx, id, 'id')
      claimLookupKey(ctx, params.lookup_key, id, params.transfer_lookup_key)
      const changed = ctx.db.update('prices', price, {
        active: params.active ?? price.active,
        lookup_key: params.lookup_key ?? price.lookup_key,
        nickname: params.nickname ?? price.nickname,
        metadata: applyMetadataChange(price.metadata, params.metadata),
      })
      emitUpdatedEvent(ctx, 'price.updated', presentPrice(price), presentPrice(changed))
      return presentPrice(changed)
    },
  }),
]
