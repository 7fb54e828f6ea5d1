import {
  attachPaymentMethod,
  changeCustomer,
  makeCustomer,
  ownPaymentMethod,
  tellNewCustomer,
  testCardNamed,
} from '../billing/customers.ts'
import { cancelSubscription } from '../billing/subscriptions/cancel.ts'
import { hasEnded } from '../billing/subscriptions/record.ts'
import { emit } from '../events/emit.ts'
import { endpoint } from '../http/endpoint.ts'
import { noSuch } from '../http/errors.ts'
import { allows, listPage, listParams } from '../http/lists.ts'
import {
  changedMetadata,
  email,
  hash,
  ignored,
  integer,
  isWithin,
  list,
  metadata,
  moments,
  text,
  unsettable,
  type Values,
} from '../http/params.ts'
import { presentCustomer } from '../presenters/customers.ts'
import type { Desk } from '../state/database.ts'
import type { Customer } from '../state/records.ts'
import { customerNamed } from './lookup.ts'

const facts = {
  address: ignored,
  balance: integer({ min: -99_999_999, max: 99_999_999 }),
  description: unsettable(text),
  email: unsettable(email),
  invoice_settings: hash({
    custom_fields: ignored,
    default_payment_method: unsettable(text),
    footer: ignored,
    rendering_options: ignored,
  }),
  metadata,
  name: unsettable(text),
  phone: unsettable(text),
  preferred_locales: list(text),
  shipping: ignored,
  tax_exempt: ignored,
}

const creation = { ...facts, payment_method: text, tax_id_data: ignored }

/** What a customer gets from the parameters; a card is taken by its own name or a test card's. */
function factsFrom(desk: Desk, customer: Customer, params: Values<typeof creation>): Partial<Customer> {
  const { balance, description, email, name, phone, invoice_settings: invoicing } = params
  const named = invoicing?.default_payment_method
  const given = params.payment_method
  const attached = given ? attachPaymentMethod(desk, given, customer.id, 'payment_method').id : null
  // The same test card named twice is one card.
  const standard = named && (named === given ? attached : ownCard(desk, named, customer.id))
  return {
    ...(balance !== undefined && { balance }),
    ...(description !== undefined && { description }),
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(phone !== undefined && { phone }),
    ...(standard !== undefined && { default_payment_method: standard }),
    metadata: changedMetadata(customer.metadata, params.metadata),
  }
}

function ownCard(desk: Desk, named: string, customer: string): string {
  const param = 'invoice_settings[default_payment_method]'
  const method = testCardNamed(named)
    ? attachPaymentMethod(desk, named, customer, param)
    : ownPaymentMethod(desk, named, customer, param)
  return method.id
}

function deleteCustomer(desk: Desk, customer: Customer): Customer {
  for (const subscription of desk.book.all('subscriptions'))
    if (subscription.customer === customer.id && !hasEnded(subscription))
      cancelSubscription(desk, subscription, { reason: null })
  const before = desk.book.must('customers', customer.id)
  emit(desk, 'customer.deleted', presentCustomer(desk, before))
  return desk.book.amend('customers', before, { deleted: true })
}

export const customerEndpoints = [
  endpoint({
    method: 'POST',
    path: '/v1/customers',
    params: creation,
    run(desk, params) {
      const made = makeCustomer(desk, {})
      const customer = desk.book.amend('customers', made, factsFrom(desk, made, params))
      tellNewCustomer(desk, customer)
      return presentCustomer(desk, customer)
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/customers',
    params: { ...listParams, created: moments, email: text },
    run(desk, { email, created, ...page }) {
      return listPage({
        url: '/v1/customers',
        what: 'customer',
        records: desk.book.all('customers'),
        matches: (customer) =>
          !customer.deleted && allows<string | null>(email, customer.email) && isWithin(customer.created, created),
        page,
        present: (customer) => presentCustomer(desk, customer),
      })
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/customers/:id',
    params: {},
    run(desk, _params, { id }) {
      const customer = desk.book.get('customers', id)
      if (!customer) throw noSuch('customer', id)
      return presentCustomer(desk, customer)
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/customers/:id',
    params: facts,
    run(desk, params, { id }) {
      const customer = customerNamed(desk, id, 'id')
      return presentCustomer(desk, changeCustomer(desk, customer, factsFrom(desk, customer, params)))
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/customers/:id',
    params: {},
    run: (desk, _params, { id }) => presentCustomer(desk, deleteCustomer(desk, customerNamed(desk, id, 'id'))),
  }),
]
