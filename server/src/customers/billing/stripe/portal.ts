import { isInvalidRequest, isMissingCustomer, type Stripe } from './connection.ts'

/** Metadata that identifies this service's configurations and their purpose. */
type Purpose = 'portal' | 'payment_method'
const metadataOf = (purpose: Purpose) => ({ storedex: purpose })

/**
 * The portal configuration created by `billing setup`. Null if there is none: Stripe then uses the default one from its
 * dashboard.
 */
export async function findPortalConfiguration(stripe: Stripe): Promise<string | null> {
  return (await findConfiguration(stripe, 'portal'))?.id ?? null
}

/**
 * The configuration of a portal that can only change the payment method. A flow merely hides the rest of the portal; this
 * configuration disables it. Created on first use, and restricted again if more was enabled.
 */
export async function ensurePaymentMethodConfiguration(stripe: Stripe): Promise<string> {
  const found = await findConfiguration(stripe, 'payment_method')
  const configuration = found ?? (await stripe.billingPortal.configurations.create(paymentMethodOnly))
  if (allowsMore(configuration))
    await stripe.billingPortal.configurations.update(configuration.id, paymentMethodOnlyUpdate)
  return configuration.id
}

// Features left out of a new configuration are disabled.
const paymentMethodOnly = {
  business_profile: { headline: 'Storedex' },
  features: { payment_method_update: { enabled: true } },
  metadata: metadataOf('payment_method'),
} satisfies Stripe.BillingPortal.ConfigurationCreateParams

const paymentMethodOnlyUpdate = {
  features: {
    customer_update: { enabled: false },
    invoice_history: { enabled: false },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: false },
    subscription_update: { enabled: false },
  },
} satisfies Stripe.BillingPortal.ConfigurationUpdateParams

function allowsMore({ features }: Stripe.BillingPortal.Configuration): boolean {
  const { payment_method_update, ...others } = features
  return !payment_method_update.enabled || Object.values(others).some(({ enabled }) => enabled)
}

/** A portal session that opens at the payment method and continues to the portal's home. */
export async function createSessionAtPaymentMethod(
  stripe: Stripe,
  params: Stripe.BillingPortal.SessionCreateParams,
): Promise<Stripe.BillingPortal.Session> {
  try {
    return await stripe.billingPortal.sessions.create({ ...params, flow_data: { type: 'payment_method_update' } })
  } catch (error) {
    // Without `billing setup` the configuration is the dashboard's, where changing the payment method may be disabled.
    if (!isInvalidRequest(error) || isMissingCustomer(error)) throw error
    return stripe.billingPortal.sessions.create(params)
  }
}

async function findConfiguration(
  stripe: Stripe,
  purpose: Purpose,
): Promise<Stripe.BillingPortal.Configuration | undefined> {
  const found = await stripe.billingPortal.configurations
    .list({ active: true, limit: 100 })
    .autoPagingToArray({ limit: 1_000 })
  return found.find(({ metadata }) => metadata?.storedex === purpose)
}

/** A product to which customers may switch, with its prices. */
interface PortalProduct {
  product: string
  prices: string[]
}

/** Creates or updates the portal configuration. Downgrades and shorter intervals take effect at the end of the period. */
export async function ensurePortalConfiguration(
  stripe: Stripe,
  products: PortalProduct[],
  returnUrl: string,
): Promise<{ id: string; isNew: boolean }> {
  const settings = {
    business_profile: { headline: 'Storedex' },
    default_return_url: returnUrl,
    features: {
      customer_update: { enabled: true, allowed_updates: ['name', 'email', 'address', 'tax_id'] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products,
        proration_behavior: 'always_invoice',
        schedule_at_period_end: {
          conditions: [{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }],
        },
      },
    },
    metadata: metadataOf('portal'),
  } satisfies Stripe.BillingPortal.ConfigurationCreateParams
  const known = await findPortalConfiguration(stripe)
  const { id } = known
    ? await stripe.billingPortal.configurations.update(known, settings)
    : await stripe.billingPortal.configurations.create(settings)
  return { id, isNew: known === null }
}
