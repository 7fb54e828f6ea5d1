import type { Stripe } from './stripe.ts'

/** Marks the settings that are ours among others of the same Stripe account. */
const ownMetadata = { storedex: 'portal' }

/**
 * The portal's settings that `billing setup` made. Null when there are none: Stripe then takes the account's default
 * ones, which a person sets in its dashboard.
 */
export async function findPortalConfiguration(stripe: Stripe): Promise<string | null> {
  const found = await stripe.billingPortal.configurations
    .list({ active: true, limit: 100 })
    .autoPagingToArray({ limit: 1_000 })
  return found.find(({ metadata }) => metadata?.storedex === ownMetadata.storedex)?.id ?? null
}

/** What a customer may change a subscription to. */
interface Offered {
  product: string
  prices: string[]
}

/** The portal's settings, made or brought up to date. A lower plan and a shorter rhythm wait for the end of the period. */
export async function providePortalConfiguration(
  stripe: Stripe,
  offered: Offered[],
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
        products: offered,
        proration_behavior: 'always_invoice',
        schedule_at_period_end: {
          conditions: [{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }],
        },
      },
    },
    metadata: ownMetadata,
  } satisfies Stripe.BillingPortal.ConfigurationCreateParams
  const known = await findPortalConfiguration(stripe)
  const { id } = known
    ? await stripe.billingPortal.configurations.update(known, settings)
    : await stripe.billingPortal.configurations.create(settings)
  return { id, isNew: known === null }
}
