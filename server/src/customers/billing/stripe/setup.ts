import type { PlanFile } from '../../accounts/plans.ts'
import type { Offer, PaidPlan } from '../provider.ts'
import { handledEventTypes } from '../sync/webhooks.ts'
import { isMissingObject, type Stripe, type StripeConnection } from './connection.ts'
import { ensurePortalConfiguration } from './portal.ts'

/** Plans for sale, by the names of their prices in the configuration. */
const offers = {
  pro_monthly: { plan: 'pro', billing: 'monthly', defaultCents: 49_00 },
  pro_annual: { plan: 'pro', billing: 'annual', defaultCents: 490_00 },
  business_monthly: { plan: 'business', billing: 'monthly', defaultCents: 199_00 },
  business_annual: { plan: 'business', billing: 'annual', defaultCents: 1_990_00 },
  enterprise_monthly: { plan: 'enterprise', billing: 'monthly', defaultCents: 999_00 },
  enterprise_annual: { plan: 'enterprise', billing: 'annual', defaultCents: 9_990_00 },
} as const satisfies Record<string, Offer & { defaultCents: number }>
export type OfferName = keyof typeof offers
export const offerNames = Object.keys(offers) as OfferName[]

export interface StripeSetupOptions {
  /** Public base URL of the service. */
  publicUrl: string
  /** For the product names. */
  plans: PlanFile
  currency: string
  /** Amounts of new prices in hundredths of the currency; default: `defaultCents`. */
  cents: Partial<Record<OfferName, number>>
}

export interface StripeSetupResult {
  prices: Record<OfferName, string>
  portal_configuration: string
  webhook_endpoint: string
  /** Stripe returns it only when the endpoint is created; null if the endpoint existed. */
  webhook_secret: string | null
  /** Names of the objects that were created. */
  created: string[]
}

/**
 * Creates the missing objects at Stripe: a product for each plan, a price with a lookup key for each offer, the portal
 * configuration and the webhook endpoint. Existing prices keep their amounts. Can be repeated.
 */
export async function setUpStripe({ call }: StripeConnection, options: StripeSetupOptions): Promise<StripeSetupResult> {
  const created: string[] = []
  const found = await call((stripe) =>
    stripe.prices.list({ lookup_keys: offerNames.map(lookupKey), active: true, limit: offerNames.length }),
  )
  const prices = new Map(found.data.map((price) => [price.lookup_key, price]))
  const products = new Map<PaidPlan, string>()
  for (const name of offerNames) {
    const { plan } = offers[name]
    const product = prices.get(lookupKey(name))?.product ?? products.get(plan)
    if (product) products.set(plan, idOf(product))
  }
  for (const name of offerNames) {
    if (prices.has(lookupKey(name))) continue
    const { plan } = offers[name]
    if (!products.has(plan)) products.set(plan, await call((stripe) => ensureProduct(stripe, plan, options, created)))
    const price = await call((stripe) => createPrice(stripe, name, products.get(plan)!, options))
    prices.set(lookupKey(name), price)
    created.push(`price ${name}`)
  }
  const priceIds = Object.fromEntries(offerNames.map((name) => [name, prices.get(lookupKey(name))!.id]))
  const portalProducts = [...products].map(([plan, product]) => ({
    product,
    prices: offerNames.filter((name) => offers[name].plan === plan).map((name) => priceIds[name]!),
  }))
  const portal = await call((stripe) => ensurePortalConfiguration(stripe, portalProducts, options.publicUrl))
  if (portal.isNew) created.push('portal configuration')
  const endpoint = await call((stripe) => ensureWebhookEndpoint(stripe, `${options.publicUrl}/webhooks/stripe`))
  if (endpoint.secret !== null) created.push('webhook endpoint')
  return {
    prices: priceIds as Record<OfferName, string>,
    portal_configuration: portal.id,
    webhook_endpoint: endpoint.id,
    webhook_secret: endpoint.secret,
    created,
  }
}

function lookupKey(name: OfferName): string {
  return `storedex_${name}`
}

function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id
}

/** Uses a fixed product id, so a plan never gets a second product. */
async function ensureProduct(
  stripe: Stripe,
  plan: PaidPlan,
  { plans }: StripeSetupOptions,
  created: string[],
): Promise<string> {
  const id = `storedex_${plan}`
  try {
    const { active } = await stripe.products.retrieve(id)
    if (!active) await stripe.products.update(id, { active: true })
  } catch (error) {
    if (!isMissingObject(error)) throw error
    await stripe.products.create({ id, name: `Storedex ${plans.plans[plan].name}` })
    created.push(`product ${plan}`)
  }
  return id
}

function createPrice(
  stripe: Stripe,
  name: OfferName,
  product: string,
  { currency, cents }: StripeSetupOptions,
): Promise<Stripe.Price> {
  const { billing, defaultCents } = offers[name]
  return stripe.prices.create({
    product,
    currency,
    unit_amount: cents[name] ?? defaultCents,
    recurring: { interval: billing === 'monthly' ? 'month' : 'year' },
    lookup_key: lookupKey(name),
    // An archived price may still have the lookup key.
    transfer_lookup_key: true,
  })
}

async function ensureWebhookEndpoint(stripe: Stripe, url: string): Promise<{ id: string; secret: string | null }> {
  const enabled_events = [...handledEventTypes]
  const known = await stripe.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 })
  const existing = known.find((endpoint) => endpoint.url === url)
  if (existing) {
    await stripe.webhookEndpoints.update(existing.id, { enabled_events, disabled: false })
    return { id: existing.id, secret: null }
  }
  const created = await stripe.webhookEndpoints.create({ url, enabled_events })
  return { id: created.id, secret: created.secret ?? null }
}
