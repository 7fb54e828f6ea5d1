import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import { applyMetadataChange, boolean, ignored, integer, metadata, required, text } from '../api/params.ts'
import { presentInvoiceItem } from '../presenters/invoices.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { emitEvent } from '../state/emit.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import type { InvoiceItem } from '../state/subscription-records.ts'
import { getCustomer, getSubscription } from './lookup.ts'

function getInvoiceItem(ctx: RequestContext, id: string): InvoiceItem {
  const item = ctx.db.get('invoice_items', id)
  if (!item) throw resourceMissing('invoiceitem', id)
  return item
}

export const invoiceItemEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/invoiceitems',
    params: {
      amount: required(integer({ min: -99_999_999, max: 99_999_999 })),
      currency: text,
      customer: required(text),
      description: text,
      metadata,
      period: ignored,
      subscription: text,
    },
    run(ctx, params) {
      const customer = getCustomer(ctx, params.customer)
      const { amount, currency, description, subscription } = params
      if (subscription !== undefined) getSubscription(ctx, subscription, 'subscription')
      const item = ctx.db.put('invoice_items', {
        id: newId('ii_1'),
        created: ctx.now,
        customer: customer.id,
        invoice: null,
        subscription: subscription ?? null,
        subscription_item: null,
        amount,
        currency: (currency ?? 'usd').toLowerCase(),
        description: description ?? null,
        price: null,
        quantity: 1,
        proration: false,
        period: { start: ctx.now, end: ctx.now },
        metadata: applyMetadataChange({}, params.metadata),
      })
      emitEvent(ctx, 'invoiceitem.created', presentInvoiceItem(ctx, item))
      return presentInvoiceItem(ctx, item)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/invoiceitems',
    params: { ...listParams, customer: text, invoice: text, pending: boolean },
    run(ctx, { customer, invoice, pending, ...page }) {
      return paginate({
        url: '/v1/invoiceitems',
        objectName: 'invoiceitem',
        records: ctx.db.all('invoice_items'),
        matches: (item) =>
          matchesFilter(customer, item.customer) &&
          matchesFilter<string | null>(invoice, item.invoice) &&
          matchesFilter(pending, item.invoice === null),
        page,
        present: (item) => presentInvoiceItem(ctx, item),
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/invoiceitems/:id',
    params: {},
    run: (ctx, _params, { id }) => presentInvoiceItem(ctx, getInvoiceItem(ctx, id)),
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/invoiceitems/:id',
    params: {},
    run(ctx, _params, { id }) {
      const item = getInvoiceItem(ctx, id)
      if (item.invoice !== null) throw invalidRequest('You cannot delete an invoice item that is part of an invoice.')
      ctx.db.remove('invoice_items', id)
      emitEvent(ctx, 'invoiceitem.deleted', presentInvoiceItem(ctx, item))
      return { id, object: 'invoiceitem', deleted: true }
    },
  }),
]
