import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import {
  applyMetadataChange,
  boolean,
  cents,
  hash,
  ignored,
  list,
  matchesTimeFilter,
  metadata,
  oneOf,
  required,
  text,
  timeFilter,
  unsettable,
} from '../api/params.ts'
import { presentProduct } from '../presenters/catalogue.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { emitEvent, emitUpdatedEvent } from '../state/emit.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import type { Product } from '../state/records.ts'
import { createPrice, recurringParam } from './prices.ts'

const fields = {
  active: boolean,
  description: unsettable(text),
  images: ignored,
  marketing_features: ignored,
  metadata,
  package_dimensions: ignored,
  shippable: ignored,
  statement_descriptor: ignored,
  tax_code: ignored,
  unit_label: ignored,
  url: unsettable(text),
}

function getProduct(ctx: RequestContext, id: string): Product {
  const product = ctx.db.get('products', id)
  if (!product) throw resourceMissing('product', id)
  return product
}

export const productEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/products',
    params: {
      ...fields,
      default_price_data: hash({
        currency: required(text),
        unit_amount: required(cents),
        recurring: recurringParam,
        metadata,
      }),
      id: text,
      name: required(text),
      type: oneOf('good', 'service'),
    },
    run(ctx, params) {
      const id = params.id ?? newId('prod_', 14)
      if (ctx.db.get('products', id))
        throw invalidRequest('Product already exists.', { code: 'resource_already_exists', param: 'id' })
      const product = ctx.db.put('products', {
        id,
        created: ctx.now,
        updated: ctx.now,
        name: params.name,
        description: params.description ?? null,
        active: params.active ?? true,
        default_price: null,
        metadata: applyMetadataChange({}, params.metadata),
        url: params.url ?? null,
      })
      const first = params.default_price_data && createPrice(ctx, { ...params.default_price_data, product: id })
      const complete = first ? ctx.db.update('products', product, { default_price: first.id }) : product
      emitEvent(ctx, 'product.created', presentProduct(complete))
      return presentProduct(complete)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/products',
    params: { ...listParams, active: boolean, created: timeFilter, ids: list(text), url: text },
    run(ctx, { active, created, ids, url, ...page }) {
      return paginate({
        url: '/v1/products',
        objectName: 'product',
        records: ctx.db.all('products'),
        matches: (product) =>
          matchesFilter(active, product.active) &&
          matchesFilter<string | null>(url, product.url) &&
          (ids === undefined || ids.includes(product.id)) &&
          matchesTimeFilter(product.created, created),
        page,
        present: presentProduct,
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/products/:id',
    params: {},
    run: (ctx, _params, { id }) => presentProduct(getProduct(ctx, id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/products/:id',
    params: { ...fields, default_price: text, name: text },
    run(ctx, params, { id }) {
      const product = getProduct(ctx, id)
      if (params.default_price && ctx.db.get('prices', params.default_price)?.product !== id)
        throw resourceMissing('price', params.default_price, 'default_price')
      const changed = ctx.db.update('products', product, {
        updated: ctx.now,
        name: params.name ?? product.name,
        description: params.description === undefined ? product.description : params.description,
        active: params.active ?? product.active,
        default_price: params.default_price ?? product.default_price,
        metadata: applyMetadataChange(product.metadata, params.metadata),
        url: params.url === undefined ? product.url : params.url,
      })
      emitUpdatedEvent(ctx, 'product.updated', presentProduct(product), presentProduct(changed))
      return presentProduct(changed)
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/products/:id',
    params: {},
    run(ctx, _params, { id }) {
      const product = getProduct(ctx, id)
      if (ctx.db.all('prices').some((price) => price.product === id))
        throw invalidRequest('This product cannot be deleted because it has one or more user-created prices.')
      ctx.db.remove('products', id)
      emitEvent(ctx, 'product.deleted', presentProduct(product))
      return { id, object: 'product', deleted: true }
    },
  }),
]
