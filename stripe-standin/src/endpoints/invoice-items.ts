import { emit } from '../events/emit.ts'
import { endpoint } from '../http/endpoint.ts'
import { invalidRequest, noSuch } from '../http/errors.ts'
import { allows, listPage, listParams } from '../http/lists.ts'
import { changedMetadata, flag, ignored, integer, metadata, required, text } from '../http/params.ts'
import { presentInvoiceItem } from '../presenters/invoices.ts'
import { type Desk, newId } from '../state/database.ts'
import type { InvoiceItem } from '../state/subscription-records.ts'
import { customerNamed, subscriptionNamed } from './lookup.ts'

function itemNamed(desk: Desk, id: string): InvoiceItem {
  const item = desk.book.get('invoice_items', id)
  if (!item) throw noSuch('invoiceitem', id)
  return item
}

export const invoiceItemEndpoints = [
  endpoint({
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
    run(desk, params) {
      const customer = customerNamed(desk, params.customer)
      const { amount, currency, description, subscription } = params
      if (subscription !== undefined) subscriptionNamed(desk, subscription, 'subscription')
      const item = desk.book.put('invoice_items', {
        id: newId('ii_1'),
        created: desk.now,
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
        period: { start: desk.now, end: desk.now },
        metadata: changedMetadata({}, params.metadata),
      })
      emit(desk, 'invoiceitem.created', presentInvoiceItem(desk, item))
      return presentInvoiceItem(desk, item)
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/invoiceitems',
    params: { ...listParams, customer: text, invoice: text, pending: flag },
    run(desk, { customer, invoice, pending, ...page }) {
      return listPage({
        url: '/v1/invoiceitems',
        what: 'invoiceitem',
        records: desk.book.all('invoice_items'),
        matches: (item) =>
          allows(customer, item.customer) &&
          allows<string | null>(invoice, item.invoice) &&
          allows(pending, item.invoice === null),
        page,
        present: (item) => presentInvoiceItem(desk, item),
      })
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/invoiceitems/:id',
    params: {},
    run: (desk, _params, { id }) => presentInvoiceItem(desk, itemNamed(desk, id)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/invoiceitems/:id',
    params: {},
    run(desk, _params, { id }) {
      const item = itemNamed(desk, id)
      if (item.invoice !== null) throw invalidRequest('You cannot delete an invoice item that is part of an invoice.')
      desk.book.remove('invoice_items', id)
      emit(desk, 'invoiceitem.deleted', presentInvoiceItem(desk, item))
      return { id, object: 'invoiceitem', deleted: true }
    },
  }),
]
