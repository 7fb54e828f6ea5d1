import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import {
  applyMetadataChange,
  email,
  hash,
  ignored,
  integer,
  list,
  matchesTimeFilter,
  metadata,
  type ParamValues,
  text,
  timeFilter,
  unsettable,
} from '../api/params.ts'
import {
  attachPaymentMethod,
  createCustomer,
  emitCustomerCreated,
  getCustomerPaymentMethod,
  patchCustomer,
  testCardByName,
} from '../billing/customers.ts'
import { cancelSubscription } from '../billing/subscriptions/cancel.ts'
import { hasEnded } from '../billing/subscriptions/record.ts'
import { presentCustomer } from '../presenters/customers.ts'
import type { RequestContext } from '../state/database.ts'
import { emitEvent } from '../state/emit.ts'
import { resourceMissing } from '../state/errors.ts'
import type { Customer } from '../state/records.ts'
import { getCustomer } from './lookup.ts'

const fields = {
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

const creation = { ...fields, payment_method: text, tax_id_data: ignored }

/** The customer's fields from the parameters; attaches cards given by id or test card name. */
function fieldsFromParams(
  ctx: RequestContext,
  customer: Customer,
  params: ParamValues<typeof creation>,
): Partial<Customer> {
  const { balance, description, email, name, phone, invoice_settings: invoicing } = params
  const named = invoicing?.default_payment_method
  const given = params.payment_method
  const attached = given ? attachPaymentMethod(ctx, given, customer.id, 'payment_method').id : null
  // A test card named in both parameters becomes one card.
  const standard = named && (named === given ? attached : resolveDefaultCard(ctx, named, customer.id))
  return {
    ...(balance !== undefined && { balance }),
    ...(description !== undefined && { description }),
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(phone !== undefined && { phone }),
    ...(standard !== undefined && { default_payment_method: standard }),
    metadata: applyMetadataChange(customer.metadata, params.metadata),
  }
}

function resolveDefaultCard(ctx: RequestContext, named: string, customer: string): string {
  const param = 'invoice_settings[default_payment_method]'
  const method = testCardByName(named)
    ? attachPaymentMethod(ctx, named, customer, param)
    : getCustomerPaymentMethod(ctx, named, customer, param)
  return method.id
}

function deleteCustomer(ctx: RequestContext, customer: Customer): Customer {
  for (const subscription of ctx.db.all('subscriptions'))
    if (subscription.customer === customer.id && !hasEnded(subscription))
      cancelSubscription(ctx, subscription, { reason: null })
  const before = ctx.db.getOrThrow('customers', customer.id)
  emitEvent(ctx, 'customer.deleted', presentCustomer(ctx, before))
  return ctx.db.update('customers', before, { deleted: true })
}

export const customerEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/customers',
    params: creation,
    run(ctx, params) {
      const created = createCustomer(ctx, {})
      const customer = ctx.db.update('customers', created, fieldsFromParams(ctx, created, params))
      emitCustomerCreated(ctx, customer)
      return presentCustomer(ctx, customer)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/customers',
    params: { ...listParams, created: timeFilter, email: text },
    run(ctx, { email, created, ...page }) {
      return paginate({
        url: '/v1/customers',
        objectName: 'customer',
        records: ctx.db.all('customers'),
        matches: (customer) =>
          !customer.deleted &&
          matchesFilter<string | null>(email, customer.email) &&
          matchesTimeFilter(customer.created, created),
        page,
        present: (customer) => presentCustomer(ctx, customer),
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/customers/:id',
    params: {},
    run(ctx, _params, { id }) {
      const customer = ctx.db.get('customers', id)
      if (!customer) throw resourceMissing('customer', id)
      return presentCustomer(ctx, customer)
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/customers/:id',
    params: fields,
    run(ctx, params, { id }) {
      const customer = getCustomer(ctx, id, 'id')
      return presentCustomer(ctx, patchCustomer(ctx, customer, fieldsFromParams(ctx, customer, params)))
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/customers/:id',
    params: {},
    run: (ctx, _params, { id }) => presentCustomer(ctx, deleteCustomer(ctx, getCustomer(ctx, id, 'id'))),
  }),
]
