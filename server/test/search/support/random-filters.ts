import fc from 'fast-check'
import type { ContactPersonFilters, StoreConditions, StoreSearchFilters } from '../../../src/search/query/filters.ts'
import { days, parents, words } from './random-catalogue.ts'
import { same } from './reference.ts'

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

/** A few conditions at a time: with all of them at once next to nothing would ever match. */
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
