import type { Desk } from '../state/database.ts'
import type { CheckoutSession } from '../state/session-records.ts'
import { presentPrice } from './catalogue.ts'
import { wholeList } from './list.ts'

/** A checkout session as the API shows it; its address is there as long as it can be used. */
export function presentCheckoutSession(desk: Desk, session: CheckoutSession) {
  const total = checkoutTotal(desk, session)
  const customer = session.customer ? desk.book.get('customers', session.customer) : undefined
  const email = customer?.email ?? session.customer_email
  return {
    id: session.id,
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: session.allow_promotion_codes,
    amount_subtotal: total,
    amount_total: session.trial_end || session.trial_period_days ? 0 : total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: session.billing_address_collection,
    cancel_url: session.cancel_url,
    client_reference_id: session.client_reference_id,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: session.created,
    currency: session.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: session.customer,
    customer_account: null,
    customer_creation: session.customer ? null : 'always',
    customer_details: email
      ? {
          address: null,
          business_name: null,
          email,
          individual_name: null,
          name: customer?.name ?? null,
          phone: null,
          tax_exempt: 'none',
          tax_ids: [],
        }
      : null,
    customer_email: session.customer_email,
    discounts: [],
    expires_at: session.expires_at,
    integration_identifier: null,
    invoice: session.invoice,
    invoice_creation: null,
    livemode: false,
    locale: session.locale,
    managed_payments: null,
    metadata: session.metadata,
    mode: session.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: session.payment_method_collection,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: session.payment_status,
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: {
      allow_redisplay_filters: ['always'],
      payment_method_remove: 'disabled',
      payment_method_save: null,
    },
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: session.status,
    submit_type: null,
    subscription: session.subscription,
    success_url: session.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: session.status === 'open' ? `${desk.url}/pay/checkout/${session.id}` : null,
    wallet_options: null,
  }
}

/** What the session sells, as its own list (it is shown only when asked for). */
export function presentSessionLines(desk: Desk, session: CheckoutSession) {
  return wholeList(
    `/v1/checkout/sessions/${session.id}/line_items`,
    session.line_items.map((line) => {
      const price = desk.book.must('prices', line.price)
      const amount = price.unit_amount * line.quantity
      return {
        id: line.id,
        object: 'item',
        adjustable_quantity: null,
        amount_discount: 0,
        amount_subtotal: amount,
        amount_tax: 0,
        amount_total: amount,
        currency: price.currency,
        description: desk.book.must('products', price.product).name,
        metadata: {},
        price: presentPrice(price),
        quantity: line.quantity,
      }
    }),
  )
}

/** Price of all that the session sells, for one period. */
export function checkoutTotal(desk: Desk, session: Pick<CheckoutSession, 'line_items'>): number {
  return session.line_items.reduce(
    (sum, line) => sum + desk.book.must('prices', line.price).unit_amount * line.quantity,
    0,
  )
}
