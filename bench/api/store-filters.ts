import type { Random } from '../../catalogue/build/random.ts'
import type { StoreRecord } from '../../catalogue/build/records.ts'
import type { StoreSearchFilters } from '../../server/src/search/filters.ts'

/** What a store search says beside the page. */
export interface StoreFilters {
  filters: StoreSearchFilters
}

/** Draws filters of the kind asked for, by its number. */
export function drawStoreFilters(stores: readonly StoreRecord[], random: Random): (kind: number) => StoreFilters {
  return (kind) => ({ filters: drawUntil(() => templates[kind]!(random.pick(stores), random)) })
}

/** The first draw that gives filters. */
export function drawUntil<T>(draw: () => T | null): T {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const filters = draw()
    if (filters) return filters
  }
  throw new Error('the catalogue has nothing to draw a search from')
}

/** A filter after the values of a store; null where that store lacks a value it needs. */
type Template = (store: StoreRecord, random: Random) => StoreSearchFilters | null

const dayMs = 86_400_000
const daysAround = (moment: string, days: number) => ({
  from: new Date(Date.parse(moment) - days * dayMs).toISOString(),
  to: new Date(Date.parse(moment) + days * dayMs).toISOString(),
})

/** Twelve kinds of search that callers make, from broad to narrow. */
const templates: readonly Template[] = [
  ({ country }) => (country ? { countries: [country] } : null),
  ({ category }) => (category ? { categories: [category] } : null),
  ({ country, category }) => (country && category ? { countries: [country], categories: [category] } : null),
  ({ country, traffic_tier: tier }) => (country && tier ? { countries: [country], traffic_tiers: [tier] } : null),
  ({ category, revenue_tier: tier }) => (category && tier ? { categories: [category], revenue_tiers: [tier] } : null),
  ({ technologies }, random) => {
    const apps = technologies?.apps ?? []
    return apps.length > 0 ? { apps: { any: [...new Set([random.pick(apps), random.pick(apps)])] } } : null
  },
  ({ technologies, country }) => {
    const [first, second] = technologies?.apps ?? []
    return first && second && country ? { apps: { all: [first, second] }, countries: [country] } : null
  },
  ({ technologies, category }, random) => {
    const [first, second] = technologies?.apps ?? []
    const pixels = technologies?.pixels ?? []
    if (!first || !second || pixels.length === 0 || !category) return null
    return { apps: { any: [first], none: [second] }, pixels: { any: [random.pick(pixels)] }, categories: [category] }
  },
  ({ category }) => (category ? { platform_plus: true, categories: [category] } : null),
  ({ country }) =>
    country ? { themes: { types: ['custom'] }, meta_ads: { active_ads_min: 5 }, countries: [country] } : null,
  ({ store_created_at: created, category }) =>
    created?.estimate && category
      ? { store_created_at: daysAround(created.estimate, 365), categories: [category] }
      : null,
  ({ first_discovered_at: discovered, country, technologies }, random) => {
    const pixels = technologies?.pixels ?? []
    if (!discovered || !country || pixels.length === 0) return null
    return {
      first_discovered_at: daysAround(discovered, 90),
      pixels: { all: [random.pick(pixels)] },
      countries: [country],
    }
  },
]
