import { type Seniority, seniorities } from '@storedex/search-index'
import fc from 'fast-check'
import type { ContactPersonFilters, StoreConditions, StoreSearchFilters } from '../../../src/search/query/filters.ts'
import { type Facet, type Term, Vocabulary } from '../../../src/search/query/vocabulary.ts'

export const same = (a: string, b: string) => a.toUpperCase() === b.toUpperCase()

/** A vocabulary from lists of values; `child/parent` names a parent. Tokens count from 1000 in order. */
export function vocabularyOf(words: Partial<Record<Facet, string[]>>): Vocabulary {
  const terms: Term[] = []
  for (const [facet, list] of Object.entries(words) as [Facet, string[]][])
    for (const word of list) {
      const [value, parent] = word.split('/') as [string, string | undefined]
      terms.push({ facet, value, token: 1000 + terms.length, parent: parent ?? null })
    }
  return new Vocabulary(terms)
}

/** Random stores with contacts, as plain attributes. */

export const words = {
  category: ['home', 'candles/home', 'scented/candles', 'food', 'coffee/food', 'pets'],
  country: ['DE', 'AT', 'FR', 'US'],
  traffic_tier: ['under_1k', '1k_10k', '10k_50k'],
  revenue_tier: ['under_10k', '10k_50k'],
  theme_type: ['free', 'paid', 'custom'],
  role: ['founder', 'marketing', 'other'],
  seniority: [...seniorities],
  app: ['klaviyo', 'klarna', 'gorgias', 'omnisend', 'yotpo', 'rare_app', 'rarer_app'],
  pixel: ['klaviyo', 'meta_pixel', 'tiktok_pixel'],
} satisfies Partial<Record<Facet, string[]>>
export const vocabulary = vocabularyOf(words)
/** Category → parent category. */
export const parents = new Map(words.category.map((word) => word.split('/') as [string, string | undefined]))
const days = [
  '2019-01-01T00:00:00.000Z',
  '2020-02-29T12:00:00.000Z',
  '2021-06-30T23:59:59.999Z',
  '2024-01-01T00:00:00.000Z',
]

export interface PersonFacts {
  role: string | null
  seniority: Seniority
  verifiedEmail: boolean
  otherEmail: boolean
  phone: boolean
  profile: boolean
}

export interface StoreFacts {
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
  people: PersonFacts[]
  ads: number | null
  createdAt: string | null
  discoveredAt: string | null
}

/** Contact numbers by index, with gaps like those left by erasures. */
export const numberOf = (index: number) => index * 3

const orNull = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 4 })
const some = (values: readonly string[]) => fc.subarray([...values])
/** A few common apps, and sometimes a rare one. */
const apps = fc
  .tuple(some(words.app.slice(0, 5)), fc.integer({ min: 0, max: 99 }))
  .map(([common, lot]) => [...common, ...(lot < 3 ? ['rare_app'] : []), ...(lot === 50 ? ['rarer_app'] : [])])
const rarely = fc.constantFrom(true, false, false)
export const personFacts: fc.Arbitrary<PersonFacts> = fc.record({
  role: orNull(words.role),
  seniority: fc.constantFrom(...seniorities),
  verifiedEmail: rarely,
  otherEmail: rarely,
  phone: rarely,
  profile: rarely,
})
export const storeFacts: fc.Arbitrary<StoreFacts> = fc.record({
  mode: fc.constantFrom('live', 'live', 'live', 'live', 'test'),
  score: orNull([0, 12.5, 50, 71.5, 99.9]),
  category: orNull([...parents.keys()]),
  country: orNull(words.country),
  traffic: orNull(words.traffic_tier),
  revenue: orNull(words.revenue_tier),
  theme: orNull(words.theme_type),
  plus: fc.boolean(),
  apps,
  pixels: some(words.pixel),
  people: fc.array(personFacts, { maxLength: 5 }),
  ads: orNull([0, 1, 5, 100_000]),
  createdAt: orNull(days),
  discoveredAt: orNull(days),
})

/** The same catalogue for the same seed; `place` is the order of the ids. */
export function randomStores(seed: number, count: number): (StoreFacts & { place: number })[] {
  const catalogue = fc.array(storeFacts, { minLength: count, maxLength: count, size: 'max' })
  return fc.sample(catalogue, { seed, numRuns: 1 })[0]!.map((store, place) => ({ ...store, place }))
}

/** Random filters of both searches, in any letter case, with empty lists and repetitions. */

const anyCase = (word: string) => fc.constantFrom(word, word.toUpperCase(), word.toLowerCase())
const list = (values: readonly string[]) => fc.array(fc.constantFrom(...values).chain(anyCase), { maxLength: 3 })
const technologies = (values: readonly string[]) =>
  fc
    .record({ any: list(values), all: list(values), none: list(values) }, { requiredKeys: [] })
    .filter(({ all, none }) => !none?.some((word) => all?.some((other) => same(word, other))))
const range = fc
  .record({ from: fc.constantFrom(...days), to: fc.constantFrom(...days) }, { requiredKeys: [] })
  .filter(({ from, to }) => (from ?? to) !== undefined && (from ?? '') <= (to ?? '9'))
const conditions: { [K in keyof Required<StoreConditions>]: fc.Arbitrary<StoreConditions[K]> } = {
  categories: list([...parents.keys()]),
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
}
const contacts = fc.record({ has_revealable_contacts: fc.boolean(), roles_any: list(words.role) }, { requiredKeys: [] })

/** A few conditions at a time: all together would match almost nothing. */
function someOf<T extends object>(all: Record<string, fc.Arbitrary<unknown>>, maxLength: number): fc.Arbitrary<T> {
  return fc
    .subarray(Object.keys(all), { maxLength })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, all[key]!])))) as fc.Arbitrary<T>
}

export const storeConditions = someOf<StoreConditions>(conditions, 2)
export const storeFilters = someOf<StoreSearchFilters>({ ...conditions, contacts }, 4)
export const personFilters = someOf<ContactPersonFilters>(
  {
    roles_any: list(words.role),
    seniority_any: list(words.seniority),
    has_verified_email: fc.boolean(),
    has_phone: fc.boolean(),
    has_profile: fc.boolean(),
  },
  3,
)
export const modes = fc.constantFrom('live' as const, 'live' as const, 'test' as const)
export const pageLimits = fc.array(fc.constantFrom(1, 7, 26, 101, 101, 101), { minLength: 1, maxLength: 3 })
