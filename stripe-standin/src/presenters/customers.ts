import type { RequestContext } from '../state/database.ts'
import type { Customer, PaymentMethod } from '../state/records.ts'

/** The API's customer object; a deleted customer has its id only. */
export function presentCustomer(ctx: RequestContext, customer: Customer) {
  if (customer.deleted) return { id: customer.id, object: 'customer', deleted: true }
  return {
    id: customer.id,
    object: 'customer',
    address: null,
    balance: customer.balance,
    created: customer.created,
    currency: ctx.db.all('invoices').find((invoice) => invoice.customer === customer.id)?.currency ?? null,
    customer_account: null,
    default_source: null,
    delinquent: customer.delinquent,
    description: customer.description,
    discount: null,
    email: customer.email,
    invoice_prefix: customer.invoice_prefix,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: customer.default_payment_method,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: customer.metadata,
    name: customer.name,
    next_invoice_sequence: customer.next_invoice_sequence,
    phone: customer.phone,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  }
}

/** The API's payment method object. It does not reveal how the card behaves when charged. */
export function presentPaymentMethod(method: PaymentMethod) {
  return {
    id: method.id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null },
      email: method.billing_details.email,
      name: method.billing_details.name,
      phone: null,
      tax_id: null,
    },
    card: {
      brand: method.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: method.brand,
      exp_month: 12,
      exp_year: 2040,
      fingerprint: `standin${method.last4}`,
      funding: 'credit',
      generated_from: null,
      last4: method.last4,
      networks: { available: [method.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: method.created,
    customer: method.customer,
    customer_account: null,
    livemode: false,
    metadata: method.metadata,
    type: 'card',
  }
}
