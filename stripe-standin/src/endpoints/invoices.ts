import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import {
  applyMetadataChange,
  boolean,
  ignored,
  integer,
  matchesTimeFilter,
  metadata,
  oneOf,
  required,
  text,
  timeFilter,
  unsettable,
} from '../api/params.ts'
import { attachPaymentMethod, getCustomerPaymentMethod, testCardByName } from '../billing/customers.ts'
import {
  draftInvoice,
  finalizeInvoice,
  markInvoiceUncollectible,
  patchInvoice,
  voidInvoice,
} from '../billing/invoices/invoicing.ts'
import { lineFromInvoiceItem, pendingInvoiceItems } from '../billing/invoices/lines.ts'
import { chargeInvoice, markInvoicePaid, paymentMethodForInvoice } from '../billing/invoices/payments.ts'
import { amountDue, presentInvoice } from '../presenters/invoices.ts'
import type { RequestContext } from '../state/database.ts'
import { emitEvent } from '../state/emit.ts'
import { cardDeclined, invalidRequest } from '../state/errors.ts'
import type { PaymentMethod } from '../state/records.ts'
import type { Invoice } from '../state/subscription-records.ts'
import { getCustomer, getInvoice } from './lookup.ts'

function checkInvoiceStatus(invoice: Invoice, verb: string, ...statuses: readonly Invoice['status'][]): void {
  if (statuses.includes(invoice.status)) return
  throw invalidRequest(
    `You can only ${verb} an invoice that is ${statuses.join(' or ')}; this one is ${invoice.status}.`,
    {
      code: invoice.status === 'draft' ? 'invoice_not_editable' : 'invoice_no_longer_payable',
    },
  )
}

function resolvePaymentMethod(ctx: RequestContext, invoice: Invoice, named: string | undefined): PaymentMethod | null {
  if (named === undefined) return paymentMethodForInvoice(ctx, invoice)
  return testCardByName(named)
    ? attachPaymentMethod(ctx, named, invoice.customer, 'payment_method')
    : getCustomerPaymentMethod(ctx, named, invoice.customer, 'payment_method')
}

/** Pays an invoice. A declined card is an error, but the attempt counts. */
function pay(ctx: RequestContext, invoice: Invoice, named: string | undefined, outOfBand: boolean): Invoice {
  if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid')
  checkInvoiceStatus(invoice, 'pay', 'draft', 'open', 'uncollectible')
  const method = resolvePaymentMethod(ctx, invoice, named)
  const open = invoice.status === 'draft' ? finalizeInvoice(ctx, invoice) : invoice
  if (outOfBand) return markInvoicePaid(ctx, open)
  if (!method && amountDue(open) > 0)
    throw invalidRequest(
      'There is no default payment method set for this customer or invoice. Please set one or provide one.',
    )
  const charged = chargeInvoice(ctx, open, method, { manual: true })
  if (charged.status !== 'paid') throw cardDeclined({ keepsChanges: true })
  return charged
}

export const invoiceEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/invoices',
    params: {
      auto_advance: boolean,
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      currency: text,
      customer: required(text),
      days_until_due: integer({ max: 365 }),
      default_payment_method: text,
      description: text,
      metadata,
      pending_invoice_items_behavior: oneOf('exclude', 'include'),
    },
    run(ctx, params) {
      const customer = getCustomer(ctx, params.customer)
      const currency = params.currency ?? 'usd'
      const included = params.pending_invoice_items_behavior === 'include'
      if (params.default_payment_method)
        getCustomerPaymentMethod(ctx, params.default_payment_method, customer.id, 'default_payment_method')
      const invoice = draftInvoice(ctx, {
        customer: customer.id,
        currency,
        reason: 'manual',
        lines: included ? pendingInvoiceItems(ctx, customer.id, currency).map(lineFromInvoiceItem) : [],
        period: { start: ctx.now, end: ctx.now },
        fields: {
          auto_advance: params.auto_advance ?? false,
          automatically_finalizes_at: params.auto_advance ? ctx.now + 3_600 : null,
          collection_method: params.collection_method ?? 'charge_automatically',
          default_payment_method: params.default_payment_method ?? null,
          description: params.description ?? null,
          due_date: params.days_until_due === undefined ? null : ctx.now + params.days_until_due * 86_400,
          metadata: applyMetadataChange({}, params.metadata),
        },
      })
      return presentInvoice(ctx, invoice)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/invoices',
    params: {
      ...listParams,
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      created: timeFilter,
      customer: text,
      status: oneOf('draft', 'open', 'paid', 'uncollectible', 'void'),
      subscription: text,
    },
    run(ctx, { collection_method: method, created, customer, status, subscription, ...page }) {
      return paginate({
        url: '/v1/invoices',
        objectName: 'invoice',
        records: ctx.db.all('invoices'),
        matches: (invoice) =>
          matchesFilter(customer, invoice.customer) &&
          matchesFilter<string | null>(subscription, invoice.subscription) &&
          matchesFilter(status, invoice.status) &&
          matchesFilter(method, invoice.collection_method) &&
          matchesTimeFilter(invoice.created, created),
        page,
        present: (invoice) => presentInvoice(ctx, invoice),
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/invoices/:id',
    params: {},
    run: (ctx, _params, { id }) => presentInvoice(ctx, getInvoice(ctx, id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/invoices/:id',
    params: {
      auto_advance: boolean,
      default_payment_method: unsettable(text),
      description: unsettable(text),
      metadata,
    },
    run(ctx, params, { id }) {
      const invoice = getInvoice(ctx, id)
      if (params.default_payment_method)
        getCustomerPaymentMethod(ctx, params.default_payment_method, invoice.customer, 'default_payment_method')
      const { auto_advance, default_payment_method, description, metadata: change } = params
      const changed = patchInvoice(ctx, invoice, {
        ...(auto_advance !== undefined && { auto_advance }),
        ...(default_payment_method !== undefined && { default_payment_method }),
        ...(description !== undefined && { description }),
        metadata: applyMetadataChange(invoice.metadata, change),
      })
      return presentInvoice(ctx, changed)
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/invoices/:id',
    params: {},
    run(ctx, _params, { id }) {
      const invoice = getInvoice(ctx, id)
      if (invoice.status !== 'draft' || invoice.subscription !== null)
        throw invalidRequest('You can only delete draft invoices that do not belong to a subscription.')
      for (const item of ctx.db.all('invoice_items'))
        if (item.invoice === id) ctx.db.update('invoice_items', item, { invoice: null })
      ctx.db.remove('invoices', id)
      emitEvent(ctx, 'invoice.deleted', presentInvoice(ctx, invoice))
      return { id, object: 'invoice', deleted: true }
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/invoices/:id/finalize',
    params: { auto_advance: boolean },
    run(ctx, _params, { id }) {
      const invoice = getInvoice(ctx, id)
      checkInvoiceStatus(invoice, 'finalize', 'draft')
      const open = finalizeInvoice(ctx, invoice)
      return presentInvoice(ctx, amountDue(open) === 0 ? markInvoicePaid(ctx, open) : open)
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/invoices/:id/pay',
    params: { forgive: ignored, off_session: boolean, paid_out_of_band: boolean, payment_method: text },
    run(ctx, { payment_method: named, paid_out_of_band: outOfBand }, { id }) {
      return presentInvoice(ctx, pay(ctx, getInvoice(ctx, id), named, outOfBand ?? false))
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/invoices/:id/send',
    params: {},
    run(ctx, _params, { id }) {
      const invoice = getInvoice(ctx, id)
      checkInvoiceStatus(invoice, 'send', 'draft', 'open')
      const open = invoice.status === 'draft' ? finalizeInvoice(ctx, invoice) : invoice
      emitEvent(ctx, 'invoice.sent', presentInvoice(ctx, open))
      return presentInvoice(ctx, open)
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/invoices/:id/void',
    params: {},
    run(ctx, _params, { id }) {
      const invoice = getInvoice(ctx, id)
      checkInvoiceStatus(invoice, 'void', 'open', 'uncollectible')
      return presentInvoice(ctx, voidInvoice(ctx, invoice))
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/invoices/:id/mark_uncollectible',
    params: {},
    run(ctx, _params, { id }) {
      const invoice = getInvoice(ctx, id)
      checkInvoiceStatus(invoice, 'mark as uncollectible', 'open')
      return presentInvoice(ctx, markInvoiceUncollectible(ctx, invoice))
    },
  }),
]
