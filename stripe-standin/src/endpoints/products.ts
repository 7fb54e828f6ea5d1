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
  isWithin,
  list,
  metadata,
  moments,
  oneOf,
  required,
  text,
  unsettable,
} from '../http/params.ts'
import { presentProduct } from '../presenters/catalogue.ts'
import { type Desk, newId } from '../state/database.ts'
import type { Product } from '../state/records.ts'
import { makePrice, recurring } from './prices.ts'

const facts = {
  active: flag,
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

function productNamed(desk: Desk, id: string): Product {
  const product = desk.book.get('products', id)
  if (!product) throw noSuch('product', id)
  return product
}

export const productEndpoints = [
  endpoint({
    method: 'POST',
    path: '/v1/products',
    params: {
      ...facts,
      default_price_data: hash({ currency: required(text), unit_amount: required(cents), recurring, metadata }),
      id: text,
      name: required(text),
      type: oneOf('good', 'service'),
    },
    run(desk, params) {
      const id = params.id ?? newId('prod_', 14)
      if (desk.book.get('products', id))
        throw invalidRequest('Product already exists.', { code: 'resource_already_exists', param: 'id' })
      const product = desk.book.put('products', {
        id,
        created: desk.now,
        updated: desk.now,
        name: params.name,
        description: params.description ?? null,
        active: params.active ?? true,
        default_price: null,
        metadata: changedMetadata({}, params.metadata),
        url: params.url ?? null,
      })
      const first = params.default_price_data && makePrice(desk, { ...params.default_price_data, product: id })
      const complete = first ? desk.book.amend('products', product, { default_price: first.id }) : product
      emit(desk, 'product.created', presentProduct(complete))
      return presentProduct(complete)
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/products',
    params: { ...listParams, active: flag, created: moments, ids: list(text), url: text },
    run(desk, { active, created, ids, url, ...page }) {
      return listPage({
        url: '/v1/products',
        what: 'product',
        records: desk.book.all('products'),
        matches: (product) =>
          allows(active, product.active) &&
          allows<string | null>(url, product.url) &&
          (ids === undefined || ids.includes(product.id)) &&
          isWithin(product.created, created),
        page,
        present: presentProduct,
      })
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/products/:id',
    params: {},
    run: (desk, _params, { id }) => presentProduct(productNamed(desk, id)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/products/:id',
    params: { ...facts, default_price: text, name: text },
    run(desk, params, { id }) {
      const product = productNamed(desk, id)
      if (params.default_price && desk.book.get('prices', params.default_price)?.product !== id)
        throw noSuch('price', params.default_price, 'default_price')
      const changed = desk.book.amend('products', product, {
        updated: desk.now,
        name: params.name ?? product.name,
        description: params.description === undefined ? product.description : params.description,
        active: params.active ?? product.active,
        default_price: params.default_price ?? product.default_price,
        metadata: changedMetadata(product.metadata, params.metadata),
        url: params.url === undefined ? product.url : params.url,
      })
      emitUpdate(desk, 'product.updated', presentProduct(product), presentProduct(changed))
      return presentProduct(changed)
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/products/:id',
    params: {},
    run(desk, _params, { id }) {
      const product = productNamed(desk, id)
      if (desk.book.all('prices').some((price) => price.product === id))
        throw invalidRequest('This product cannot be deleted because it has one or more user-created prices.')
      desk.book.remove('products', id)
      emit(desk, 'product.deleted', presentProduct(product))
      return { id, object: 'product', deleted: true }
    },
  }),
]
