import type { RequestContext } from '../state/database.ts'
import { completeList } from '../state/emit.ts'
import type { Invoice, InvoiceItem, InvoiceLine } from '../state/subscription-records.ts'

/** The amount due in cents, after the customer's credit and before any payment. */
export function amountDue(invoice: Invoice): number {
  return Math.max(0, invoice.total + invoice.starting_balance)
}

export function presentInvoice(ctx: RequestContext, invoice: Invoice) {
  const due = amountDue(invoice)
  return {
    id: invoice.id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Local stand-in',
    account_tax_ids: null,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: invoice.amount_paid,
    amount_remaining: due - invoice.amount_paid,
    amount_shipping: 0,
    application: null,
    attempt_count: invoice.attempt_count,
    attempted: invoice.attempt_count > 0 || invoice.status === 'paid',
    auto_advance: invoice.auto_advance,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: invoice.automatically_finalizes_at,
    billing_reason: invoice.billing_reason,
    collection_method: invoice.collection_method,
    created: invoice.created,
    currency: invoice.currency,
    custom_fields: null,
    customer: invoice.customer,
    customer_account: null,
    customer_address: null,
    customer_email: invoice.billed_to.email,
    customer_name: invoice.billed_to.name,
    customer_phone: invoice.billed_to.phone,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: invoice.default_payment_method,
    default_source: null,
    default_tax_rates: [],
    description: invoice.description,
    discounts: [],
    due_date: invoice.due_date,
    effective_at: invoice.finalized_at,
    ending_balance: invoice.finalized_at === null ? null : Math.min(0, invoice.total + invoice.starting_balance),
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: completeList(
      `/v1/invoices/${invoice.id}/lines`,
      invoice.lines.map((line) => presentLine(ctx, invoice, line)),
    ),
    livemode: false,
    metadata: invoice.metadata,
    next_payment_attempt: invoice.next_payment_attempt,
    number: invoice.number,
    on_behalf_of: null,
    parent: invoice.subscription && {
      quote_details: null,
      subscription_details: {
        metadata: invoice.subscription_metadata,
        subscription: invoice.subscription,
      },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: invoice.period_end,
    period_start: invoice.period_start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: invoice.starting_balance,
    statement_descriptor: null,
    status: invoice.status,
    status_transitions: {
      finalized_at: invoice.finalized_at,
      marked_uncollectible_at: invoice.marked_uncollectible_at,
      paid_at: invoice.paid_at,
      voided_at: invoice.voided_at,
    },
    subtotal: invoice.total,
    subtotal_excluding_tax: invoice.total,
    test_clock: null,
    total: invoice.total,
    total_discount_amounts: [],
    total_excluding_tax: invoice.total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  }
}

function presentLine(ctx: RequestContext, invoice: Invoice, line: InvoiceLine) {
  const proration = { proration: line.proration, proration_details: { credited_items: null } }
  return {
    id: line.id,
    object: 'line_item',
    amount: line.amount,
    currency: invoice.currency,
    description: line.description,
    discount_amounts: [],
    discountable: !line.proration,
    discounts: [],
    invoice: invoice.id,
    livemode: false,
    metadata: {},
    parent: line.invoice_item
      ? {
          invoice_item_details: {
            ...proration,
            invoice_item: line.invoice_item,
            subscription: line.subscription,
          },
          subscription_item_details: null,
          type: 'invoice_item_details',
        }
      : {
          invoice_item_details: null,
          subscription_item_details: {
            ...proration,
            invoice_item: null,
            subscription: line.subscription,
            subscription_item: line.subscription_item,
          },
          type: 'subscription_item_details',
        },
    period: line.period,
    pretax_credit_amounts: [],
    pricing: presentPricing(ctx, line),
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription: line.subscription,
    subtotal: line.amount,
    taxes: [],
  }
}

function presentPricing(ctx: RequestContext, line: { price: string | null; amount: number }) {
  if (!line.price) return { type: 'price_details', unit_amount_decimal: String(line.amount) }
  const price = ctx.db.getOrThrow('prices', line.price)
  return {
    price_details: { price: price.id, product: price.product },
    type: 'price_details',
    unit_amount_decimal: String(price.unit_amount),
  }
}

export function presentInvoiceItem(ctx: RequestContext, item: InvoiceItem) {
  return {
    id: item.id,
    object: 'invoiceitem',
    amount: item.amount,
    currency: item.currency,
    customer: item.customer,
    customer_account: null,
    date: item.created,
    description: item.description,
    discountable: !item.proration,
    discounts: [],
    invoice: item.invoice,
    livemode: false,
    metadata: item.metadata,
    net_amount: item.amount,
    parent: item.subscription && {
      subscription_details: { subscription: item.subscription, subscription_item: item.subscription_item },
      type: 'subscription_details',
    },
    period: item.period,
    pricing: presentPricing(ctx, item),
    proration: item.proration,
    quantity: item.quantity,
    quantity_decimal: String(item.quantity),
    tax_rates: [],
    test_clock: null,
  }
}
