import { attachPaymentMethod, ownPaymentMethod, testCardNamed } from '../billing/customers.ts'
import {
  changeInvoice,
  draftInvoice,
  finalizeInvoice,
  markUncollectible,
  voidInvoice,
} from '../billing/invoices/invoicing.ts'
import { lineOfItem, pendingItems } from '../billing/invoices/lines.ts'
import { chargeInvoice, methodFor, settleInvoice } from '../billing/invoices/payments.ts'
import { emit } from '../events/emit.ts'
import { endpoint } from '../http/endpoint.ts'
import { cardDeclined, invalidRequest } from '../http/errors.ts'
import { allows, listPage, listParams } from '../http/lists.ts'
import {
  changedMetadata,
  flag,
  ignored,
  integer,
  isWithin,
  metadata,
  moments,
  oneOf,
  required,
  text,
  unsettable,
} from '../http/params.ts'
import { amountDue, presentInvoice } from '../presenters/invoices.ts'
import type { Desk } from '../state/database.ts'
import type { PaymentMethod } from '../state/records.ts'
import type { Invoice } from '../state/subscription-records.ts'
import { customerNamed, invoiceNamed } from './lookup.ts'

function mustBe(invoice: Invoice, verb: string, ...statuses: readonly Invoice['status'][]): void {
  if (statuses.includes(invoice.status)) return
  throw invalidRequest(
    `You can only ${verb} an invoice that is ${statuses.join(' or ')}; this one is ${invoice.status}.`,
    {
      code: invoice.status === 'draft' ? 'invoice_not_editable' : 'invoice_no_longer_payable',
    },
  )
}

function payingMethod(desk: Desk, invoice: Invoice, named: string | undefined): PaymentMethod | null {
  if (named === undefined) return methodFor(desk, invoice)
  return testCardNamed(named)
    ? attachPaymentMethod(desk, named, invoice.customer, 'payment_method')
    : ownPaymentMethod(desk, named, invoice.customer, 'payment_method')
}

/** Charges an invoice as asked; a card that is declined is told as an error, though the attempt stays counted. */
function pay(desk: Desk, invoice: Invoice, named: string | undefined, outOfBand: boolean): Invoice {
  if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid')
  mustBe(invoice, 'pay', 'draft', 'open', 'uncollectible')
  const method = payingMethod(desk, invoice, named)
  const open = invoice.status === 'draft' ? finalizeInvoice(desk, invoice) : invoice
  if (outOfBand) return settleInvoice(desk, open)
  if (!method && amountDue(open) > 0)
    throw invalidRequest(
      'There is no default payment method set for this customer or invoice. Please set one or provide one.',
    )
  const tried = chargeInvoice(desk, open, method, { byHand: true })
  if (tried.status !== 'paid') throw cardDeclined({ keepsChanges: true })
  return tried
}

export const invoiceEndpoints = [
  endpoint({
    method: 'POST',
    path: '/v1/invoices',
    params: {
      auto_advance: flag,
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      currency: text,
      customer: required(text),
      days_until_due: integer({ max: 365 }),
      default_payment_method: text,
      description: text,
      metadata,
      pending_invoice_items_behavior: oneOf('exclude', 'include'),
    },
    run(desk, params) {
      const customer = customerNamed(desk, params.customer)
      const currency = params.currency ?? 'usd'
      const included = params.pending_invoice_items_behavior === 'include'
      if (params.default_payment_method)
        ownPaymentMethod(desk, params.default_payment_method, customer.id, 'default_payment_method')
      const invoice = draftInvoice(desk, {
        customer: customer.id,
        currency,
        reason: 'manual',
        lines: included ? pendingItems(desk, customer.id, currency).map(lineOfItem) : [],
        period: { start: desk.now, end: desk.now },
        facts: {
          auto_advance: params.auto_advance ?? false,
          automatically_finalizes_at: params.auto_advance ? desk.now + 3_600 : null,
          collection_method: params.collection_method ?? 'charge_automatically',
          default_payment_method: params.default_payment_method ?? null,
          description: params.description ?? null,
          due_date: params.days_until_due === undefined ? null : desk.now + params.days_until_due * 86_400,
          metadata: changedMetadata({}, params.metadata),
        },
      })
      return presentInvoice(desk, invoice)
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/invoices',
    params: {
      ...listParams,
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      created: moments,
      customer: text,
      status: oneOf('draft', 'open', 'paid', 'uncollectible', 'void'),
      subscription: text,
    },
    run(desk, { collection_method: method, created, customer, status, subscription, ...page }) {
      return listPage({
        url: '/v1/invoices',
        what: 'invoice',
        records: desk.book.all('invoices'),
        matches: (invoice) =>
          allows(customer, invoice.customer) &&
          allows<string | null>(subscription, invoice.subscription) &&
          allows(status, invoice.status) &&
          allows(method, invoice.collection_method) &&
          isWithin(invoice.created, created),
        page,
        present: (invoice) => presentInvoice(desk, invoice),
      })
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/invoices/:id',
    params: {},
    run: (desk, _params, { id }) => presentInvoice(desk, invoiceNamed(desk, id)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/invoices/:id',
    params: { auto_advance: flag, default_payment_method: unsettable(text), description: unsettable(text), metadata },
    run(desk, params, { id }) {
      const invoice = invoiceNamed(desk, id)
      if (params.default_payment_method)
        ownPaymentMethod(desk, params.default_payment_method, invoice.customer, 'default_payment_method')
      const { auto_advance, default_payment_method, description, metadata: change } = params
      const changed = changeInvoice(desk, invoice, {
        ...(auto_advance !== undefined && { auto_advance }),
        ...(default_payment_method !== undefined && { default_payment_method }),
        ...(description !== undefined && { description }),
        metadata: changedMetadata(invoice.metadata, change),
      })
      return presentInvoice(desk, changed)
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/invoices/:id',
    params: {},
    run(desk, _params, { id }) {
      const invoice = invoiceNamed(desk, id)
      if (invoice.status !== 'draft' || invoice.subscription !== null)
        throw invalidRequest('You can only delete draft invoices that no subscription has made.')
      for (const item of desk.book.all('invoice_items'))
        if (item.invoice === id) desk.book.amend('invoice_items', item, { invoice: null })
      desk.book.remove('invoices', id)
      emit(desk, 'invoice.deleted', presentInvoice(desk, invoice))
      return { id, object: 'invoice', deleted: true }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/invoices/:id/finalize',
    params: { auto_advance: flag },
    run(desk, _params, { id }) {
      const invoice = invoiceNamed(desk, id)
      mustBe(invoice, 'finalize', 'draft')
      const open = finalizeInvoice(desk, invoice)
      return presentInvoice(desk, amountDue(open) === 0 ? settleInvoice(desk, open) : open)
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/invoices/:id/pay',
    params: { forgive: ignored, off_session: flag, paid_out_of_band: flag, payment_method: text },
    run(desk, { payment_method: named, paid_out_of_band: outOfBand }, { id }) {
      return presentInvoice(desk, pay(desk, invoiceNamed(desk, id), named, outOfBand ?? false))
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/invoices/:id/send',
    params: {},
    run(desk, _params, { id }) {
      const invoice = invoiceNamed(desk, id)
      mustBe(invoice, 'send', 'draft', 'open')
      const open = invoice.status === 'draft' ? finalizeInvoice(desk, invoice) : invoice
      emit(desk, 'invoice.sent', presentInvoice(desk, open))
      return presentInvoice(desk, open)
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/invoices/:id/void',
    params: {},
    run(desk, _params, { id }) {
      const invoice = invoiceNamed(desk, id)
      mustBe(invoice, 'void', 'open', 'uncollectible')
      return presentInvoice(desk, voidInvoice(desk, invoice))
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/invoices/:id/mark_uncollectible',
    params: {},
    run(desk, _params, { id }) {
      const invoice = invoiceNamed(desk, id)
      mustBe(invoice, 'mark as uncollectible', 'open')
      return presentInvoice(desk, markUncollectible(desk, invoice))
    },
  }),
]
