import fc from 'fast-check'
import type { DeliverEmails } from '../../src/search/delivery.ts'
import type { ContactPersonFilters, StoreConditions, StoreSearchFilters } from '../../src/search/filters.ts'
import { packTraits, type Seniority, seniorities, signatureToken, traitsToken } from '../../src/search/traits.ts'
import { type Facet, flagTokens } from '../../src/search/vocabulary.ts'
import type { PersonRow, SearchRow } from './catalogue.ts'
import { vocabularyOf } from './vocabularies.ts'

/**
 * Random stores with their people, random filters, and a reference that reads their attributes and knows nothing of tokens,
 * traits, normal forms or SQL.
 */

const words = {
  category: ['home', 'candles/home', 'scented/candles', 'food', 'coffee/food', 'pets'],
  country: ['DE', 'AT', 'FR', 'US'],
  traffic_tier: ['under_1k', '1k_10k', '10k_50k'],
  revenue_tier: ['under_10k', '10k_50k'],
  theme_type: ['free', 'paid', 'custom'],
  role: ['founder', 'marketing', 'other'],
  seniority: [...seniorities],
  app: ['klaviyo', 'klarna', 'gorgias', 'omnisend', 'yotpo'],
  pixel: ['klaviyo', 'meta_pixel', 'tiktok_pixel'],
} satisfies Partial<Record<Facet, string[]>>
export const vocabulary = vocabularyOf(words)
const parents = new Map(words.category.map((word) => word.split('/') as [string, string | undefined]))
const categories = [...parents.keys()]
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

const orNull = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 4 })
const some = (values: readonly string[]) => fc.subarray([...values])
const rarely = fc.constantFrom(true, false, false)
const personFacts: fc.Arbitrary<PersonFacts> = fc.record({
  role: orNull(words.role),
  seniority: fc.constantFrom(...seniorities),
  verifiedEmail: rarely,
  otherEmail: rarely,
  phone: rarely,
  profile: rarely,
})
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
  people: fc.array(personFacts, { maxLength: 5 }),
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
const conditions: { [K in keyof Required<StoreConditions>]: fc.Arbitrary<StoreConditions[K]> } = {
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

/** The same catalogue for the same seed; a store's place in it is the order of its id. */
export function randomStores(seed: number, count: number): (StoreFacts & { place: number })[] {
  const catalogue = fc.array(storeFacts, { minLength: count, maxLength: count, size: 'max' })
  return fc.sample(catalogue, { seed, numRuns: 1 })[0]!.map((store, place) => ({ ...store, place }))
}

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

/** Whether somebody of the store can be revealed. */
function hasRevealable({ people }: StoreFacts, deliverEmails: DeliverEmails): boolean {
  const isRevealable = ({ verifiedEmail, otherEmail, phone, profile }: PersonFacts) =>
    verifiedEmail || phone || profile || (otherEmail && deliverEmails === 'all')
  return people.some(isRevealable)
}

export function matchesStore(store: StoreFacts, filters: StoreSearchFilters, deliverEmails: DeliverEmails): boolean {
  const adsMin = filters.meta_ads?.active_ads_min ?? 0
  const wantsRevealable = filters.contacts?.has_revealable_contacts
  const roles = store.people.map((person) => person.role)
  return (
    isUnder(store.category, filters.categories) &&
    oneOf(filters.countries, [store.country]) &&
    oneOf(filters.traffic_tiers, [store.traffic]) &&
    oneOf(filters.revenue_tiers, [store.revenue]) &&
    oneOf(filters.themes?.types, [store.theme]) &&
    oneOf(filters.contacts?.roles_any, roles) &&
    (filters.platform_plus === undefined || store.plus === filters.platform_plus) &&
    (wantsRevealable === undefined || hasRevealable(store, deliverEmails) === wantsRevealable) &&
    uses(store.apps, filters.apps) &&
    uses(store.pixels, filters.pixels) &&
    (adsMin === 0 || (store.ads !== null && store.ads >= adsMin)) &&
    isWithin(store.createdAt, filters.store_created_at) &&
    isWithin(store.discoveredAt, filters.first_discovered_at)
  )
}

export function matchesPerson(person: PersonFacts, filters: ContactPersonFilters): boolean {
  const agrees = (wanted: boolean | undefined, has: boolean) => wanted === undefined || wanted === has
  return (
    oneOf(filters.roles_any, [person.role]) &&
    oneOf(filters.seniority_any, [person.seniority]) &&
    agrees(filters.has_verified_email, person.verifiedEmail) &&
    agrees(filters.has_phone, person.phone) &&
    agrees(filters.has_profile, person.profile)
  )
}

/** Better score first, stores without one last, then in order of insertion, which is the order of ids. */
export function inResultOrder<T extends StoreFacts & { place: number }>(stores: T[]): T[] {
  const rank = (store: StoreFacts) => store.score ?? Number.NEGATIVE_INFINITY
  return [...stores].sort((a, b) => (rank(a) === rank(b) ? a.place - b.place : rank(a) > rank(b) ? -1 : 1))
}

/** The most senior first, those with a verified email before the others, then in order of their numbers. */
export function peopleInResultOrder<T extends { person: PersonFacts; number: number }>(people: T[]): T[] {
  const rank = ({ seniority, verifiedEmail }: PersonFacts) =>
    ['executive', 'decision_maker', 'other'].indexOf(seniority) + (verifiedEmail ? 0 : 0.5)
  return [...people].sort((a, b) => rank(a.person) - rank(b.person) || a.number - b.number)
}

// ── As rows ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What an import would leave; document and preview say which store it is. */
export function rowOf(store: StoreFacts, place: number): SearchRow {
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
      ...tokens('app', store.apps),
      ...tokens('pixel', store.pixels),
      ...(store.plus ? [flagTokens.platformPlus] : []),
      ...(hasRevealable(store, 'all') ? [flagTokens.revealableContacts] : []),
      ...(hasRevealable(store, 'verified') ? [flagTokens.verifiedRevealableContacts] : []),
      ...(store.people.length > 0 ? [flagTokens.contacts] : []),
      ...store.people.flatMap((person) => [
        traitsToken(traitsOf(person)),
        ...tokens('role', [person.role]),
        ...tokens('role', [person.role]).map((role) => signatureToken(role, traitsOf(person))),
      ]),
    ],
    activeAds: store.ads,
    createdEstimate: store.createdAt === null ? null : new Date(store.createdAt),
    firstDiscoveredAt: store.discoveredAt === null ? null : new Date(store.discoveredAt),
    document: String(place),
    preview: String(place),
  }
}

/** The people of a store, with gaps between their numbers as erased ones leave them. */
export function peopleRowsOf(store: StoreFacts, storeId: number): PersonRow[] {
  return store.people.map((person, index) => ({
    storeId,
    number: numberOf(index),
    role: person.role,
    traits: traitsOf(person),
    preview: String(numberOf(index)),
  }))
}

export const numberOf = (index: number) => index * 3

function traitsOf({ seniority, verifiedEmail, phone, profile }: PersonFacts): number {
  return packTraits({ seniority, hasVerifiedEmail: verifiedEmail, hasPhone: phone, hasProfile: profile })
}
