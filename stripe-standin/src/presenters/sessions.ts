import type { RequestContext } from '../state/database.ts'
import { completeList } from '../state/emit.ts'
import type {
  AfterCompletion,
  CheckoutSession,
  PortalConfiguration,
  PortalFlow,
  PortalSession,
} from '../state/session-records.ts'
import { presentPrice } from './catalogue.ts'

/** The API's checkout session object. `url` is set while the session is open. */
export function presentCheckoutSession(ctx: RequestContext, session: CheckoutSession) {
  const total = checkoutTotal(ctx, session)
  const customer = session.customer ? ctx.db.get('customers', session.customer) : undefined
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
    url: session.status === 'open' ? `${ctx.url}/pay/checkout/${session.id}` : null,
    wallet_options: null,
  }
}

/** The session's line items as a list object; included only on request. */
export function presentCheckoutLineItems(ctx: RequestContext, session: CheckoutSession) {
  return completeList(
    `/v1/checkout/sessions/${session.id}/line_items`,
    session.line_items.map((line) => {
      const price = ctx.db.getOrThrow('prices', line.price)
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
        description: ctx.db.getOrThrow('products', price.product).name,
        metadata: {},
        price: presentPrice(price),
        quantity: line.quantity,
      }
    }),
  )
}

/** Total of the line items for one period, in cents. */
export function checkoutTotal(ctx: RequestContext, session: Pick<CheckoutSession, 'line_items'>): number {
  return session.line_items.reduce(
    (sum, line) => sum + ctx.db.getOrThrow('prices', line.price).unit_amount * line.quantity,
    0,
  )
}

/** The API's portal session object. A `subscription_update_confirm` flow has its own page. */
export function presentPortalSession(ctx: RequestContext, session: PortalSession) {
  const page = session.flow?.type === 'subscription_update_confirm' ? 'confirm' : 'portal'
  return {
    id: session.id,
    object: 'billing_portal.session',
    configuration: session.configuration,
    created: session.created,
    customer: session.customer,
    customer_account: null,
    flow: session.flow && presentFlow(session.flow, session.after_completion),
    livemode: false,
    locale: session.locale,
    on_behalf_of: null,
    return_url: session.return_url,
    url: `${ctx.url}/pay/${page}/${session.id}`,
  }
}

function presentFlow(flow: PortalFlow, after: AfterCompletion) {
  return {
    after_completion: {
      hosted_confirmation: after.type === 'hosted_confirmation' ? { custom_message: after.custom_message } : null,
      redirect: after.type === 'redirect' ? { return_url: after.return_url } : null,
      type: after.type,
    },
    subscription_cancel:
      flow.type === 'subscription_cancel' ? { retention: null, subscription: flow.subscription } : null,
    subscription_update: flow.type === 'subscription_update' ? { subscription: flow.subscription } : null,
    subscription_update_confirm:
      flow.type === 'subscription_update_confirm'
        ? {
            discounts: null,
            items: [{ id: flow.item, price: flow.price, quantity: flow.quantity }],
            subscription: flow.subscription,
          }
        : null,
    type: flow.type,
  }
}

export function presentPortalConfiguration(configuration: PortalConfiguration) {
  const { features } = configuration
  const update = features.subscription_update
  return {
    id: configuration.id,
    object: 'billing_portal.configuration',
    active: configuration.active,
    application: null,
    business_profile: configuration.business_profile,
    created: configuration.created,
    default_return_url: configuration.default_return_url,
    features: {
      customer_update: features.customer_update,
      invoice_history: features.invoice_history,
      payment_method_update: { ...features.payment_method_update, payment_method_configuration: null },
      subscription_cancel: features.subscription_cancel,
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: update.default_allowed_updates,
        enabled: update.enabled,
        products: update.products.map((entry) => ({
          ...entry,
          adjustable_quantity: { enabled: false, maximum: null, minimum: 1 },
        })),
        proration_behavior: update.proration_behavior,
        schedule_at_period_end: { conditions: update.schedule_at_period_end.map((type) => ({ type })) },
        trial_update_behavior: update.trial_update_behavior,
      },
    },
    is_default: configuration.is_default,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: configuration.metadata,
    name: configuration.name,
    updated: configuration.updated,
  }
}
