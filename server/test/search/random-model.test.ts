import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/db/pool.ts'
import type { StoreSearchFilters } from '../../src/search/filters.ts'
import { findStores, type StorePosition } from '../../src/search/postgres/find-stores.ts'
import { normalizeStoreFilters } from '../../src/search/query.ts'
import { type Facet, flagTokens } from '../../src/search/vocabulary.ts'
import { createTestDatabase } from '../support/database.ts'
import { insertRows, type SearchRow } from './catalogue.ts'
import { vocabularyOf } from './vocabularies.ts'

/**
 * Random filters over a random catalogue, every page walked, against a reference that reads the attributes of the stores
 * and knows nothing of tokens, normal forms or SQL. Run once with a fixed seed and once with a new one, which is named
 * when it finds a fault.
 */

const words = {
  category: ['home', 'candles/home', 'scented/candles', 'food', 'coffee/food', 'pets'],
  country: ['DE', 'AT', 'FR', 'US'],
  traffic_tier: ['under_1k', '1k_10k', '10k_50k'],
  revenue_tier: ['under_10k', '10k_50k'],
  theme_type: ['free', 'paid', 'custom'],
  role: ['founder', 'marketing', 'other'],
  app: ['klaviyo', 'klarna', 'gorgias', 'omnisend', 'yotpo'],
  pixel: ['klaviyo', 'meta_pixel', 'tiktok_pixel'],
} satisfies Partial<Record<Facet, string[]>>
const vocabulary = vocabularyOf(words)
const parents = new Map(words.category.map((word) => word.split('/') as [string, string | undefined]))
const categories = [...parents.keys()]
const days = [
  '2019-01-01T00:00:00.000Z',
  '2020-02-29T12:00:00.000Z',
  '2021-06-30T23:59:59.999Z',
  '2024-01-01T00:00:00.000Z',
]

interface StoreFacts {
  mode: 'live' | 'test'
  score: number | null
  category: string | null
  country: string | null
  traffic: string | null
  revenue: string | null
  theme: string | null
  plus: boolean
  apps: string[]
  pixels: string[]
  roles: string[]
  revealable: boolean
  ads: number | null
  createdAt: string | null
  discoveredAt: string | null
}

const orNull = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 4 })
const some = (values: readonly string[]) => fc.subarray([...values])
const storeFacts: fc.Arbitrary<StoreFacts> = fc.record({
  mode: fc.constantFrom('live', 'live', 'live', 'live', 'test'),
  score: orNull([0, 12.5, 50, 71.5, 99.9]),
  category: orNull(categories),
  country: orNull(words.country),
  traffic: orNull(words.traffic_tier),
  revenue: orNull(words.revenue_tier),
  theme: orNull(words.theme_type),
  plus: fc.boolean(),
  apps: some(words.app),
  pixels: some(words.pixel),
  roles: some(words.role),
  revealable: fc.boolean(),
  ads: orNull([0, 1, 5, 100_000]),
  createdAt: orNull(days),
  discoveredAt: orNull(days),
})

const anyCase = (word: string) => fc.constantFrom(word, word.toUpperCase(), word.toLowerCase())
const list = (values: readonly string[]) => fc.array(fc.constantFrom(...values).chain(anyCase), { maxLength: 3 })
const technologies = (values: readonly string[]) =>
  fc
    .record({ any: list(values), all: list(values), none: list(values) }, { requiredKeys: [] })
    .filter(({ all, none }) => !none?.some((word) => all?.some((other) => same(word, other))))
const range = fc
  .record({ from: fc.constantFrom(...days), to: fc.constantFrom(...days) }, { requiredKeys: [] })
  .filter(({ from, to }) => (from ?? to) !== undefined && (from ?? '') <= (to ?? '9'))
/** One to four conditions at a time: with all of them at once next to nothing would ever match. */
const filtersOf = (conditions: { [K in keyof Required<StoreSearchFilters>]: fc.Arbitrary<StoreSearchFilters[K]> }) =>
  fc
    .subarray(Object.keys(conditions) as (keyof StoreSearchFilters)[], { maxLength: 4 })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, conditions[key]]))))
    .map((filters) => filters as StoreSearchFilters)
const storeFilters = filtersOf({
  categories: list(categories),
  countries: list(words.country),
  traffic_tiers: list(words.traffic_tier),
  revenue_tiers: list(words.revenue_tier),
  platform_plus: fc.boolean(),
  apps: technologies(words.app),
  pixels: technologies(words.pixel),
  themes: fc.record({ types: list(words.theme_type) }, { requiredKeys: [] }),
  meta_ads: fc.record({ active_ads_min: fc.constantFrom(0, 1, 5, 6, 100_000) }, { requiredKeys: [] }),
  store_created_at: range,
  first_discovered_at: range,
  contacts: fc.record({ has_revealable_contacts: fc.boolean(), roles_any: list(words.role) }, { requiredKeys: [] }),
})

// ── The reference ──────────────────────────────────────────────────────────────────────────────────────────────────

const same = (a: string, b: string) => a.toUpperCase() === b.toUpperCase()
const lists = (words: string[], value: string) => words.some((word) => same(word, value))
const isUnset = (words: string[] | undefined): words is undefined | [] => !words || words.length === 0
const oneOf = (words: string[] | undefined, values: (string | null)[]) =>
  isUnset(words) || values.some((value) => value !== null && lists(words, value))

function isUnder(category: string | null, words: string[] | undefined): boolean {
  if (isUnset(words)) return true
  for (let at = category ?? undefined; at !== undefined; at = parents.get(at)) if (lists(words, at)) return true
  return false
}

function uses(has: string[], filter: StoreSearchFilters['apps']): boolean {
  return (
    oneOf(filter?.any, has) &&
    (filter?.all ?? []).every((word) => has.some((value) => same(word, value))) &&
    !(filter?.none ?? []).some((word) => has.some((value) => same(word, value)))
  )
}

function isWithin(day: string | null, filter: StoreSearchFilters['store_created_at']): boolean {
  if (!filter) return true
  return (
    day !== null && (filter.from === undefined || day >= filter.from) && (filter.to === undefined || day <= filter.to)
  )
}

function matches(store: StoreFacts, filters: StoreSearchFilters): boolean {
  const adsMin = filters.meta_ads?.active_ads_min ?? 0
  const wantsRevealable = filters.contacts?.has_revealable_contacts
  return (
    isUnder(store.category, filters.categories) &&
    oneOf(filters.countries, [store.country]) &&
    oneOf(filters.traffic_tiers, [store.traffic]) &&
    oneOf(filters.revenue_tiers, [store.revenue]) &&
    oneOf(filters.themes?.types, [store.theme]) &&
    oneOf(filters.contacts?.roles_any, store.roles) &&
    (filters.platform_plus === undefined || store.plus === filters.platform_plus) &&
    (wantsRevealable === undefined || store.revealable === wantsRevealable) &&
    uses(store.apps, filters.apps) &&
    uses(store.pixels, filters.pixels) &&
    (adsMin === 0 || (store.ads !== null && store.ads >= adsMin)) &&
    isWithin(store.createdAt, filters.store_created_at) &&
    isWithin(store.discoveredAt, filters.first_discovered_at)
  )
}

/** Better score first, stores without one last, then in order of insertion, which is the order of ids. */
function inResultOrder(stores: (StoreFacts & { place: number })[]) {
  const rank = (store: StoreFacts) => store.score ?? Number.NEGATIVE_INFINITY
  return [...stores].sort((a, b) => (rank(a) === rank(b) ? a.place - b.place : rank(a) > rank(b) ? -1 : 1))
}

// ── The walk ───────────────────────────────────────────────────────────────────────────────────────────────────────

function rowOf(store: StoreFacts, place: number): SearchRow {
  const tokens = (facet: Facet, values: (string | null)[]) =>
    values.flatMap((value) => (value === null ? [] : vocabulary.find(facet, value)!.token))
  return {
    mode: store.mode,
    negatedScore: store.score === null ? Number.POSITIVE_INFINITY : -store.score,
    tokens: [
      ...tokens('category', [store.category]),
      ...tokens('country', [store.country]),
      ...tokens('traffic_tier', [store.traffic]),
      ...tokens('revenue_tier', [store.revenue]),
      ...tokens('theme_type', [store.theme]),
      ...tokens('role', store.roles),
      ...tokens('app', store.apps),
      ...tokens('pixel', store.pixels),
      ...(store.plus ? [flagTokens.platformPlus] : []),
      ...(store.revealable ? [flagTokens.revealableContacts] : []),
    ],
    activeAds: store.ads,
    createdEstimate: store.createdAt === null ? null : new Date(store.createdAt),
    firstDiscoveredAt: store.discoveredAt === null ? null : new Date(store.discoveredAt),
    document: String(place),
  }
}

let pool: Pool
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'random model test', maxConnections: 1 })
})
afterAll(() => pool.end())

/** Places of the stores found, page by page; limits are taken in turn. */
async function walk(mode: 'live' | 'test', filters: StoreSearchFilters, limits: number[]): Promise<number[]> {
  const query = normalizeStoreFilters(vocabulary, filters, 'all')
  const places: number[] = []
  let after: StorePosition | null = null
  for (let page = 0; ; page++) {
    const limit = limits[page % limits.length]!
    const found = await findStores(pool, { mode, query, after, limit, deliverEmails: 'all' })
    expect(found.length).toBeLessThanOrEqual(limit)
    places.push(...found.map((store) => Number(store.document)))
    const last = found.at(-1)
    if (!last || found.length < limit) return places
    after = { negatedScore: last.negatedScore, storeId: last.id }
  }
}

const seeds = [20_261_101, Math.floor(Math.random() * 2 ** 31)]

test.each(seeds)('every page of every filter is what the reference finds (seed %i)', async (seed) => {
  const catalogue = fc.sample(fc.array(storeFacts, { minLength: 300, maxLength: 300, size: 'max' }), {
    seed,
    numRuns: 1,
  })[0]!
  const stores = catalogue.map((store, place) => ({ ...store, place }))
  await pool.query('truncate stores restart identity')
  await insertRows(pool, stores.map(rowOf))
  await pool.query('analyze stores')

  let pagesWithStores = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('live' as const, 'live' as const, 'test' as const),
      storeFilters,
      fc.array(fc.constantFrom(1, 7, 26, 101, 101, 101), { minLength: 1, maxLength: 3 }),
      async (mode, filters, limits) => {
        const expected = inResultOrder(stores.filter((store) => store.mode === mode && matches(store, filters)))
        const found = await walk(mode, filters, limits)
        expect(found).toEqual(expected.map((store) => store.place))
        if (found.length > 0) pagesWithStores++
      },
    ),
    { seed, numRuns: 1500 },
  )
  // A walk over nothing but empty results would prove nothing.
  expect(pagesWithStores).toBeGreaterThan(700)
})
