import {
  attachPaymentMethod,
  detachPaymentMethod,
  makePaymentMethod,
  testCardNamed,
  testCardNumbered,
} from '../billing/customers.ts'
import type { Presented } from '../events/emit.ts'
import { endpoint } from '../http/endpoint.ts'
import { cardDeclined, invalidRequest, noSuch } from '../http/errors.ts'
import { type ListQuery, listPage, listParams } from '../http/lists.ts'
import { changedMetadata, hash, ignored, metadata, oneOf, required, text, unsettable } from '../http/params.ts'
import { presentPaymentMethod } from '../presenters/customers.ts'
import type { Desk } from '../state/database.ts'
import type { PaymentMethod } from '../state/records.ts'
import { customerNamed } from './lookup.ts'

const billingDetails = hash({
  address: ignored,
  email: unsettable(text),
  name: unsettable(text),
  phone: ignored,
  tax_id: ignored,
})

/** What the parameters say of the card's holder. */
function namesIn(details: { readonly email?: string | null; readonly name?: string | null } = {}) {
  const { email, name } = details
  return { ...(email !== undefined && { email }), ...(name !== undefined && { name }) }
}

function methodNamed(desk: Desk, id: string): PaymentMethod {
  const method = desk.book.get('payment_methods', id)
  if (!method) throw noSuch('PaymentMethod', id)
  return method
}

function cardsOf(desk: Desk, url: string, customer: string, page: ListQuery): Presented {
  return listPage({
    url,
    what: 'payment_method',
    records: desk.book.all('payment_methods'),
    matches: (method) => method.customer === customer,
    page,
    present: presentPaymentMethod,
  })
}

export const paymentMethodEndpoints = [
  endpoint({
    method: 'POST',
    path: '/v1/payment_methods',
    params: {
      allow_redisplay: ignored,
      billing_details: billingDetails,
      card: hash({ token: text, number: text, exp_month: ignored, exp_year: ignored, cvc: ignored, networks: ignored }),
      metadata,
      type: required(oneOf('card')),
    },
    run(desk, { card, billing_details: details, metadata: change }) {
      const { token, number } = card ?? {}
      const found = token !== undefined ? testCardNamed(token) : number !== undefined && testCardNumbered(number)
      if (!found)
        throw invalidRequest('The stand-in takes the numbers and tokens of test cards only.', {
          code: 'resource_missing',
          param: token === undefined ? 'card[number]' : 'card[token]',
        })
      if (found.behavior === 'declines') throw cardDeclined()
      return presentPaymentMethod(
        makePaymentMethod(desk, found, {
          billing_details: { email: null, name: null, ...namesIn(details) },
          metadata: changedMetadata({}, change),
        }),
      )
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/payment_methods',
    params: { ...listParams, allow_redisplay: ignored, customer: required(text), type: oneOf('card') },
    run(desk, { customer, ...page }) {
      return cardsOf(desk, '/v1/payment_methods', customerNamed(desk, customer).id, page)
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/customers/:customer/payment_methods',
    params: { ...listParams, allow_redisplay: ignored, type: oneOf('card') },
    run(desk, page, { customer }) {
      const { id } = customerNamed(desk, customer, 'id')
      return cardsOf(desk, `/v1/customers/${id}/payment_methods`, id, page)
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/payment_methods/:id',
    params: {},
    run: (desk, _params, { id }) => presentPaymentMethod(methodNamed(desk, id)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/payment_methods/:id',
    params: { allow_redisplay: ignored, billing_details: billingDetails, card: ignored, metadata },
    run(desk, { billing_details: details, metadata: change }, { id }) {
      const method = methodNamed(desk, id)
      const changed = desk.book.amend('payment_methods', method, {
        billing_details: { ...method.billing_details, ...namesIn(details) },
        metadata: changedMetadata(method.metadata, change),
      })
      return presentPaymentMethod(changed)
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/payment_methods/:id/attach',
    params: { customer: required(text) },
    run(desk, { customer }, { id }) {
      return presentPaymentMethod(attachPaymentMethod(desk, id, customerNamed(desk, customer).id, 'id'))
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/payment_methods/:id/detach',
    params: {},
    run: (desk, _params, { id }) => presentPaymentMethod(detachPaymentMethod(desk, methodNamed(desk, id))),
  }),
]
