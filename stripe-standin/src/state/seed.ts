import { type Database, newId } from './database.ts'
import type { Settings, WebhookEndpoint } from './records.ts'

const settingsId = 'settings'
const seededPortalConfiguration = 'bpc_standin_default'

export function getSettings(db: Database): Settings {
  return db.getOrThrow('settings', settingsId)
}

/**
 * Adds missing settings, products, prices, and a portal configuration that offers every plan. Existing records stay.
 */
export function seedDatabase(db: Database, plans: readonly SeedPlan[], now: number): void {
  if (!db.get('settings', settingsId)) {
    db.put('settings', {
      id: settingsId,
      created: now,
      clock_offset_seconds: 0,
      retry_days: [3, 5, 7],
      after_retries: 'cancel',
      draft_seconds: 3_600,
    })
  }
  for (const plan of plans) seedPlan(db, plan, now)
  if (!db.get('portal_configurations', seededPortalConfiguration)) seedPortal(db, plans, now)
}

/** Adds or updates the webhook endpoint given at start. Without a secret, one is generated once. */
export function seedWebhookEndpoint(
  db: Database,
  wanted: { readonly url: string; readonly secret?: string | undefined },
  now: number,
): WebhookEndpoint {
  const id = 'we_standin'
  const known = db.get('webhook_endpoints', id)
  return db.put('webhook_endpoints', {
    id,
    created: known?.created ?? now,
    url: wanted.url,
    secret: wanted.secret ?? known?.secret ?? newId('whsec_', 32),
    enabled_events: ['*'],
    description: 'The endpoint that the stand-in was started with',
    metadata: {},
    status: 'enabled',
    api_version: null,
  })
}

function seedPlan(db: Database, plan: SeedPlan, now: number): void {
  const product = `prod_standin_${plan.slug}`
  if (!db.get('products', product)) {
    db.put('products', {
      id: product,
      created: now,
      updated: now,
      name: plan.name,
      description: null,
      active: true,
      default_price: `price_standin_${plan.slug}_monthly`,
      metadata: {},
      url: null,
    })
  }
  const billings = [
    { billing: 'monthly', interval: 'month', cents: plan.monthly_cents },
    { billing: 'annual', interval: 'year', cents: plan.annual_cents },
  ] as const
  for (const { billing, interval, cents } of billings) {
    const id = `price_standin_${plan.slug}_${billing}`
    if (db.get('prices', id)) continue
    db.put('prices', {
      id,
      created: now,
      product,
      active: true,
      currency: 'usd',
      unit_amount: cents,
      recurring: { interval, interval_count: 1 },
      lookup_key: `storedex_${plan.slug}_${billing}`,
      nickname: null,
      metadata: {},
    })
  }
}

function seedPortal(db: Database, plans: readonly SeedPlan[], now: number): void {
  db.put('portal_configurations', {
    id: seededPortalConfiguration,
    created: now,
    updated: now,
    active: true,
    is_default: true,
    name: null,
    metadata: {},
    default_return_url: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    features: {
      customer_update: { enabled: false, allowed_updates: [] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: {
        enabled: true,
        mode: 'at_period_end',
        proration_behavior: 'none',
        cancellation_reason: { enabled: false, options: [] },
      },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        proration_behavior: 'always_invoice',
        products: plans.map(({ slug }) => ({
          product: `prod_standin_${slug}`,
          prices: [`price_standin_${slug}_monthly`, `price_standin_${slug}_annual`],
        })),
        schedule_at_period_end: ['decreasing_item_amount', 'shortening_interval'],
        trial_update_behavior: 'end_trial',
      },
    },
  })
}

/** A plan to seed, with a monthly and an annual price. */
export interface SeedPlan {
  /** Used in price ids and lookup keys: `price_standin_{slug}_monthly`, `storedex_{slug}_monthly`. */
  readonly slug: string
  readonly name: string
  readonly monthly_cents: number
  readonly annual_cents: number
}

export const defaultSeedPlans: readonly SeedPlan[] = [
  { slug: 'pro', name: 'Pro', monthly_cents: 4_900, annual_cents: 49_000 },
  { slug: 'business', name: 'Business', monthly_cents: 19_900, annual_cents: 199_000 },
  { slug: 'enterprise', name: 'Enterprise', monthly_cents: 99_900, annual_cents: 999_000 },
]

/** Parses STANDIN_PRICES; throws an error with the expected format. */
export function parsePlans(text: string): readonly SeedPlan[] {
  const wanted = 'STANDIN_PRICES must be a JSON list of {"slug","name","monthly_cents","annual_cents"}.'
  try {
    const plans: unknown = JSON.parse(text)
    if (Array.isArray(plans) && plans.length > 0 && plans.every(isSeedPlan)) return plans
  } catch (error) {
    throw new Error(wanted, { cause: error })
  }
  throw new Error(wanted)
}

function isSeedPlan(value: unknown): value is SeedPlan {
  const plan = value as Partial<SeedPlan> | null
  const areCents = [plan?.monthly_cents, plan?.annual_cents].every(
    (cents) => Number.isInteger(cents) && cents! >= 0 && cents! <= 99_999_999,
  )
  return areCents && typeof plan?.name === 'string' && /^[a-z][a-z0-9_]*$/.test(String(plan.slug))
}
