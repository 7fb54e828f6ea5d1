import { emit, emitUpdate } from '../events/emit.ts'
import { endpoint } from '../http/endpoint.ts'
import { invalidRequest, noSuch } from '../http/errors.ts'
import { allows, listPage, listParams } from '../http/lists.ts'
import {
  cents,
  changedMetadata,
  flag,
  hash,
  ignored,
  integer,
  isWithin,
  list,
  type MetadataChange,
  metadata,
  moments,
  oneOf,
  required,
  text,
  type Values,
} from '../http/params.ts'
import { presentPrice } from '../presenters/catalogue.ts'
import { type Desk, newId } from '../state/database.ts'
import type { Price } from '../state/records.ts'
import { priceNamed } from './lookup.ts'

const recurringFields = {
  interval: required(oneOf('day', 'week', 'month', 'year')),
  interval_count: integer({ min: 1, max: 1_095 }),
  meter: ignored,
  trial_period_days: ignored,
  usage_type: oneOf('licensed'),
}

/** How often a price is paid; the stand-in does not meter usage. */
export const recurring = hash(recurringFields)

interface NewPrice {
  readonly product: string
  readonly currency: string
  readonly unit_amount: number
  readonly recurring?: Values<typeof recurringFields>
  readonly active?: boolean
  readonly lookup_key?: string
  readonly nickname?: string
  readonly metadata?: MetadataChange
}

export function makePrice(desk: Desk, wanted: NewPrice): Price {
  const price = desk.book.put('prices', {
    id: newId('price_1'),
    created: desk.now,
    product: wanted.product,
    active: wanted.active ?? true,
    currency: wanted.currency.toLowerCase(),
    unit_amount: wanted.unit_amount,
    recurring: wanted.recurring
      ? { interval: wanted.recurring.interval, interval_count: wanted.recurring.interval_count ?? 1 }
      : null,
    lookup_key: wanted.lookup_key ?? null,
    nickname: wanted.nickname ?? null,
    metadata: changedMetadata({}, wanted.metadata),
  })
  emit(desk, 'price.created', presentPrice(price))
  return price
}

/** A lookup key leads to one active price; another may give it up on request only. */
function freeLookupKey(desk: Desk, key: string | undefined, owner: string | null, transfer: boolean | undefined): void {
  const holder = key === undefined ? undefined : desk.book.all('prices').find((price) => price.lookup_key === key)
  if (!holder || holder.id === owner) return
  if (!transfer)
    throw invalidRequest(`A price (\`${holder.id}\`) already uses that lookup key.`, { param: 'lookup_key' })
  const robbed = desk.book.amend('prices', holder, { lookup_key: null })
  emitUpdate(desk, 'price.updated', presentPrice(holder), presentPrice(robbed))
}

export const priceEndpoints = [
  endpoint({
    method: 'POST',
    path: '/v1/prices',
    params: {
      active: flag,
      billing_scheme: oneOf('per_unit'),
      currency: required(text),
      lookup_key: text,
      metadata,
      nickname: text,
      product: text,
      product_data: hash({ name: required(text), metadata, active: flag }),
      recurring,
      tax_behavior: ignored,
      transfer_lookup_key: flag,
      unit_amount: required(cents),
    },
    run(desk, { product, product_data: data, transfer_lookup_key: transfer, ...wanted }) {
      if ((product === undefined) === (data === undefined))
        throw invalidRequest('You must provide exactly one of `product` and `product_data`.', { param: 'product' })
      if (product !== undefined && !desk.book.get('products', product)) throw noSuch('product', product, 'product')
      freeLookupKey(desk, wanted.lookup_key, null, transfer)
      const owner =
        product ??
        desk.book.put('products', {
          id: newId('prod_', 14),
          created: desk.now,
          updated: desk.now,
          name: data!.name,
          description: null,
          active: data!.active ?? true,
          default_price: null,
          metadata: changedMetadata({}, data!.metadata),
          url: null,
        }).id
      return presentPrice(makePrice(desk, { ...wanted, product: owner }))
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/prices',
    params: {
      ...listParams,
      active: flag,
      created: moments,
      currency: text,
      lookup_keys: list(text, { max: 10 }),
      product: text,
      recurring: hash({ interval: oneOf('day', 'week', 'month', 'year') }),
      type: oneOf('one_time', 'recurring'),
    },
    run(desk, params) {
      const { active, created, currency, lookup_keys: keys, product, recurring: rhythm, type, ...page } = params
      return listPage({
        url: '/v1/prices',
        what: 'price',
        records: desk.book.all('prices'),
        matches: (price) =>
          allows(active, price.active) &&
          allows(currency, price.currency) &&
          allows(product, price.product) &&
          allows(type, price.recurring ? 'recurring' : 'one_time') &&
          allows(rhythm?.interval, price.recurring?.interval) &&
          (keys === undefined || (price.lookup_key !== null && keys.includes(price.lookup_key))) &&
          isWithin(price.created, created),
        page,
        present: presentPrice,
      })
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/prices/:id',
    params: {},
    run: (desk, _params, { id }) => presentPrice(priceNamed(desk, id, 'id')),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/prices/:id',
    params: {
      active: flag,
      lookup_key: text,
      metadata,
      nickname: text,
      tax_behavior: ignored,
      transfer_lookup_key: flag,
    },
    run(desk, params, { id }) {
      const price = priceNamed(desk, id, 'id')
      freeLookupKey(desk, params.lookup_key, id, params.transfer_lookup_key)
      const changed = desk.book.amend('prices', price, {
        active: params.active ?? price.active,
        lookup_key: params.lookup_key ?? price.lookup_key,
        nickname: params.nickname ?? price.nickname,
        metadata: changedMetadata(price.metadata, params.metadata),
      })
      emitUpdate(desk, 'price.updated', presentPrice(price), presentPrice(changed))
      return presentPrice(changed)
    },
  }),
]
