import type { Desk } from '../state/database.ts'
import type { AfterCompletion, PortalConfiguration, PortalFlow, PortalSession } from '../state/session-records.ts'

/** A portal session as the API shows it. Confirming one exact change has a page of its own. */
export function presentPortalSession(desk: Desk, session: PortalSession) {
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
    url: `${desk.url}/pay/${page}/${session.id}`,
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

/** A portal configuration as the API shows it. */
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
