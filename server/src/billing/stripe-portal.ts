import type { Stripe } from './stripe.ts'

/** Marks what `billing setup` made, so that it is found again. */
export const ownMetadata = { storedex: 'billing' }

/**
 * The portal's settings that `billing setup` made. Null when there are none: Stripe then takes the account's default
 * ones, which a person sets in its dashboard.
 */
export async function findPortalConfiguration(stripe: Stripe): Promise<string | null> {
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 100 })
  return data.find(({ metadata }) => metadata?.storedex === ownMetadata.storedex)?.id ?? null
}
