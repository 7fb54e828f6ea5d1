import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, type PageParams, paginate } from '../api/lists.ts'
import { applyMetadataChange, hash, ignored, metadata, oneOf, required, text, unsettable } from '../api/params.ts'
import {
  attachPaymentMethod,
  createPaymentMethod,
  detachPaymentMethod,
  testCardByName,
  testCardByNumber,
} from '../billing/customers.ts'
import { presentPaymentMethod } from '../presenters/customers.ts'
import type { RequestContext } from '../state/database.ts'
import type { ApiObject } from '../state/emit.ts'
import { cardDeclined, invalidRequest, resourceMissing } from '../state/errors.ts'
import type { PaymentMethod } from '../state/records.ts'
import { getCustomer } from './lookup.ts'

const billingDetails = hash({
  address: ignored,
  email: unsettable(text),
  name: unsettable(text),
  phone: ignored,
  tax_id: ignored,
})

function holderFields(details: { readonly email?: string | null; readonly name?: string | null } = {}) {
  const { email, name } = details
  return { ...(email !== undefined && { email }), ...(name !== undefined && { name }) }
}

function getPaymentMethod(ctx: RequestContext, id: string): PaymentMethod {
  const method = ctx.db.get('payment_methods', id)
  if (!method) throw resourceMissing('PaymentMethod', id)
  return method
}

function listCustomerCards(ctx: RequestContext, url: string, customer: string, page: PageParams): ApiObject {
  return paginate({
    url,
    objectName: 'payment_method',
    records: ctx.db.all('payment_methods'),
    matches: (method) => method.customer === customer,
    page,
    present: presentPaymentMethod,
  })
}

export const paymentMethodEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/payment_methods',
    params: {
      allow_redisplay: ignored,
      billing_details: billingDetails,
      card: hash({ token: text, number: text, exp_month: ignored, exp_year: ignored, cvc: ignored, networks: ignored }),
      metadata,
      type: required(oneOf('card')),
    },
    run(ctx, { card, billing_details: details, metadata: change }) {
      const { token, number } = card ?? {}
      const found = token !== undefined ? testCardByName(token) : number !== undefined && testCardByNumber(number)
      if (!found)
        throw invalidRequest('The stand-in accepts only the numbers and tokens of test cards.', {
          code: 'resource_missing',
          param: token === undefined ? 'card[number]' : 'card[token]',
        })
      if (found.behavior === 'declines') throw cardDeclined()
      return presentPaymentMethod(
        createPaymentMethod(ctx, found, {
          billing_details: { email: null, name: null, ...holderFields(details) },
          metadata: applyMetadataChange({}, change),
        }),
      )
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/payment_methods',
    params: { ...listParams, allow_redisplay: ignored, customer: required(text), type: oneOf('card') },
    run(ctx, { customer, ...page }) {
      return listCustomerCards(ctx, '/v1/payment_methods', getCustomer(ctx, customer).id, page)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/customers/:customer/payment_methods',
    params: { ...listParams, allow_redisplay: ignored, type: oneOf('card') },
    run(ctx, page, { customer }) {
      const { id } = getCustomer(ctx, customer, 'id')
      return listCustomerCards(ctx, `/v1/customers/${id}/payment_methods`, id, page)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/payment_methods/:id',
    params: {},
    run: (ctx, _params, { id }) => presentPaymentMethod(getPaymentMethod(ctx, id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/payment_methods/:id',
    params: { allow_redisplay: ignored, billing_details: billingDetails, card: ignored, metadata },
    run(ctx, { billing_details: details, metadata: change }, { id }) {
      const method = getPaymentMethod(ctx, id)
      const changed = ctx.db.update('payment_methods', method, {
        billing_details: { ...method.billing_details, ...holderFields(details) },
        metadata: applyMetadataChange(method.metadata, change),
      })
      return presentPaymentMethod(changed)
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/payment_methods/:id/attach',
    params: { customer: required(text) },
    run(ctx, { customer }, { id }) {
      return presentPaymentMethod(attachPaymentMethod(ctx, id, getCustomer(ctx, customer).id, 'id'))
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/payment_methods/:id/detach',
    params: {},
    run: (ctx, _params, { id }) => presentPaymentMethod(detachPaymentMethod(ctx, getPaymentMethod(ctx, id))),
  }),
]
