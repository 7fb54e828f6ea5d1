import type { ContactPersonFilters, StoreConditions, StoreSearchFilters } from '../../../../src/search/query/filters.ts'

/** Random records, and random filters over the same values. */

export type Random = () => number

const words = {
  category: ['apparel_accessories', 'apparel_accessories_shoes', 'animals_pet_supplies', 'arts_entertainment'],
  country: ['US', 'DE', 'FR', 'AT'],
  trafficTier: ['under_1k', '1k_10k', '10k_50k'],
  revenueTier: ['under_10k', '10k_50k', '50k_100k'],
  app: ['klaviyo', 'judge_me', 'recharge', 'adyen', 'affirm'],
  pixel: ['google_analytics', 'meta_pixel', 'adroll'],
  themeType: ['free', 'paid', 'custom'],
  role: ['ceo', 'founder', 'marketing', 'other'],
  seniority: ['decision_maker', 'executive', 'other'],
}
const years = [2018, 2019, 2020, 2021, 2022]
const peoplePerStore = 40

export function oneOf<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!
}

export function someOf<T>(random: Random, items: readonly T[], share: number): T[] {
  return items.filter(() => random() < share)
}

/** A store record; most filterable fields are random each time. */
export function drawStore(random: Random, index: number): object {
  const orNull = <T>(draw: () => T) => (random() < 0.15 ? null : draw())
  const word = (kind: keyof typeof words) => orNull(() => oneOf(random, words[kind]))
  const moment = () => `${oneOf(random, years)}-0${1 + Math.floor(random() * 9)}-01T00:00:00Z`
  return {
    domain: `shop-${index}.example`,
    name: `Shop ${index}`,
    category: word('category'),
    country: word('country'),
    traffic_tier: word('trafficTier'),
    revenue_tier: word('revenueTier'),
    platform_plus: random() < 0.2,
    lead_fit_score: orNull(() => Math.floor(random() * 40) / 2),
    active_ads: orNull(() => Math.floor(random() * 12)),
    store_created_at: orNull(() => ({
      estimate: moment(),
      resolution: 'month',
      source: 'first_product',
      confidence: 'medium',
    })),
    first_discovered_at: orNull(moment),
    technologies: {
      apps: someOf(random, words.app, 0.3),
      pixels: someOf(random, words.pixel, 0.3),
      theme: { name: null, type: word('themeType') },
    },
  }
}

/** A person at one of this many stores: a new one, or a changed existing one. */
export function drawPerson(random: Random, stores: number): object {
  const domain = `shop-${Math.floor(random() * stores)}.example`
  const name = `person-${Math.floor(random() * peoplePerStore)}`
  const status = oneOf(random, ['verified', 'unverified'])
  return {
    store_domain: domain,
    external_id: name,
    first_name: 'Mara',
    last_name: 'Lindqvist',
    role: random() < 0.2 ? null : oneOf(random, words.role),
    seniority: oneOf(random, words.seniority),
    emails: random() < 0.8 ? [{ email: `${name}@${domain}`, status, type: 'work', is_primary: true }] : [],
    profile_url: random() < 0.4 ? `https://www.linkedin.com/in/${name}-${domain.replaceAll('.', '-')}` : null,
  }
}

/** Some of the conditions that both searches share. */
export function drawConditions(random: Random): StoreConditions {
  const list = (kind: keyof typeof words) => someOf(random, words[kind], 0.5)
  const technologies = (kind: 'app' | 'pixel') => {
    const [first, ...rest] = list(kind)
    return oneOf(random, [{ any: list(kind) }, { all: first ? [first] : [] }, { none: rest }])
  }
  const all: StoreConditions[] = [
    { categories: list('category') },
    { countries: list('country') },
    { traffic_tiers: list('trafficTier') },
    { revenue_tiers: list('revenueTier') },
    { platform_plus: random() < 0.5 },
    { apps: technologies('app') },
    { pixels: technologies('pixel') },
    { themes: { types: list('themeType') } },
    { meta_ads: { active_ads_min: Math.floor(random() * 12) } },
    { store_created_at: { from: `${oneOf(random, years)}-01-01T00:00:00Z` } },
    { first_discovered_at: { to: `${oneOf(random, years)}-06-01T00:00:00Z` } },
  ]
  return Object.assign({}, ...someOf(random, all, 0.15))
}

export function drawStoreFilters(random: Random): StoreSearchFilters {
  const contacts = oneOf(random, [
    {},
    { has_revealable_contacts: random() < 0.5 },
    { roles_any: [oneOf(random, words.role)] },
  ])
  return { ...drawConditions(random), contacts }
}

export function drawPersonFilters(random: Random): ContactPersonFilters {
  const all: ContactPersonFilters[] = [
    { roles_any: someOf(random, words.role, 0.5) },
    { seniority_any: [oneOf(random, words.seniority)] },
    { has_verified_email: random() < 0.5 },
    { has_profile: random() < 0.5 },
  ]
  return Object.assign({}, ...someOf(random, all, 0.3))
}
