import { exampleIds } from '../../foundation/http/openapi/examples.ts'

/** The shop of the examples, as replies show it. */
export const exampleStore = {
  id: exampleIds.store,
  object: 'store',
  domain: 'aurora-candles.example',
  name: 'Aurora Candles',
  category: 'home_garden',
  country: 'DE',
  traffic_tier: '10k_50k',
  revenue_tier: '50k_100k',
  platform_plus: false,
  lead_fit_score: 71.5,
  store_created_at: {
    estimate: '2019-03-01T00:00:00.000Z',
    resolution: 'month',
    source: 'first_product',
    confidence: 'medium',
  },
  first_discovered_at: '2021-06-11T08:00:00.000Z',
  contacts_summary: {
    total: 4,
    has_revealable_contacts: true,
    verified_email_count: 2,
    roles: ['customer_support', 'ecommerce', 'founder', 'marketing'],
  },
  technologies: { apps: ['klaviyo'], pixels: ['meta_pixel'], theme: { name: 'Dawn', type: 'free' } },
}

/** A person of that shop, as previews show her. */
export const examplePreview = {
  id: exampleIds.contact,
  object: 'contact_preview',
  first_name: 'Mara',
  last_name_obfuscated: 'L***',
  role: 'marketing',
  seniority: 'decision_maker',
  title: 'Head of Marketing',
  has_verified_email: true,
  has_phone: true,
  has_profile: true,
  revealed: false,
  store: {
    id: exampleIds.store,
    domain: 'aurora-candles.example',
    name: 'Aurora Candles',
    category: 'home_garden',
    traffic_tier: '10k_50k',
    technologies: { apps: ['klaviyo'], pixels: ['meta_pixel'] },
  },
}
