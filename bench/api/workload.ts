import type { Random } from '../../catalogue/build/random.ts'
import type { StoreRecord } from '../../catalogue/build/store-record.ts'
import type { StoreSearchFilters } from '../../server/src/search/filters.ts'

export const operations = ['lookup', 'search', 'enrich'] as const
export type Operation = (typeof operations)[number]

/** A search for one page: the first, or the one after that many pages. */
export interface SearchItem {
  filters: StoreSearchFilters
  pagesBefore: number
}

/** What callers ask for, the same for the service and for the bare loop. */
export interface Workload {
  lookup: string[]
  search: SearchItem[]
  enrich: string[][]
}

const counts = { lookup: 8_192, search: 768, enrich: 2_048 }
const domainsPerEnrichment = 25
export const searchLimit = 25

/** Draws a workload from the catalogue: filters ask for values that stores have together. */
export function drawWorkload(stores: readonly StoreRecord[], random: Random): Workload {
  const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, i) => make(i))
  const domain = () => random.pick(stores).domain
  return {
    lookup: times(counts.lookup, domain),
    search: times(counts.search, (index) => ({
      filters: drawFilters(templates[index % templates.length]!, stores, random),
      // Two first pages to one later page, in each stretch of the list and of each kind of filter.
      pagesBefore: (index + Math.floor(index / templates.length)) % 3 === 2 ? 1 + random.below(3) : 0,
    })),
    enrich: times(counts.enrich, () => times(domainsPerEnrichment, domain)),
  }
}

/** The beginning of a workload, with every kind of search in it. */
export function sampleOf({ lookup, search, enrich }: Workload): Workload {
  const most = 3 * templates.length
  return { lookup: lookup.slice(0, most), search: search.slice(0, most), enrich: enrich.slice(0, most) }
}

/** A filter after the values of a store; null where that store lacks a value it needs. */
type Template = (store: StoreRecord, random: Random) => StoreSearchFilters | null

function drawFilters(template: Template, stores: readonly StoreRecord[], random: Random): StoreSearchFilters {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const filters = template(random.pick(stores), random)
    if (filters) return filters
  }
  throw new Error('the catalogue has no store to draw a search from')
}

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
