import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import type { StoreSearchFilters } from '../../../src/search/query/filters.ts'
import {
  hashQuery,
  narrowsStores,
  normalizeStoreConditions,
  normalizeStoreFilters,
} from '../../../src/search/query/store-query.ts'
import { type Facet, flagTokens } from '../../../src/search/query/vocabulary.ts'
import { vocabularyOf } from '../support/random-catalogue.ts'

const vocabulary = vocabularyOf({
  category: ['home', 'candles/home'],
  country: ['DE', 'AT', 'FR'],
  traffic_tier: ['under_1k', '1k_10k'],
  revenue_tier: ['under_10k', '10k_50k'],
  theme_type: ['free', 'paid', 'custom'],
  role: ['founder', 'marketing'],
  app: ['klaviyo', 'gorgias', 'klarna', 'omnisend'],
  pixel: ['klaviyo', 'meta_pixel'],
})

const normalize = (filters: StoreSearchFilters) => normalizeStoreFilters(vocabulary, filters, 'all')
const tokenOf = (facet: Facet, value: string) => vocabulary.find(facet, value)!.token
const empty = { clauses: [], noneOf: [], minActiveAds: null, createdBetween: null, discoveredBetween: null }

const refusal = (filters: StoreSearchFilters) => refusalOf(() => normalize(filters))

function refusalOf(work: () => unknown) {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal)
    const { code, param, message } = error as Refusal
    return { code, param, message }
  }
  throw new Error('not refused')
}

describe('conditions', () => {
  test('empty lists, empty objects and a minimum of 0 ads set none', () => {
    expect(
      normalize({
        categories: [],
        apps: { any: [], all: [], none: [] },
        pixels: {},
        themes: {},
        contacts: { roles_any: [] },
        meta_ads: { active_ads_min: 0 },
      }),
    ).toEqual(empty)
  })

  test('the values of a list are alternatives; every required technology is a clause', () => {
    const query = normalize({
      countries: ['DE', 'at'],
      apps: { any: ['klaviyo', 'klarna'], all: ['gorgias', 'omnisend'], none: ['klarna'] },
    })
    const clauses = [
      [tokenOf('country', 'DE'), tokenOf('country', 'AT')],
      [tokenOf('app', 'gorgias')],
      [tokenOf('app', 'omnisend')],
      [tokenOf('app', 'klaviyo')],
    ]
    expect(query.clauses).toHaveLength(clauses.length)
    expect(query.clauses).toEqual(expect.arrayContaining(clauses))
    expect(query.noneOf).toEqual([tokenOf('app', 'klarna')])
  })

  test('alternatives that are all excluded leave a clause that no store meets', () => {
    expect(normalize({ apps: { any: ['klarna'], none: ['klarna'] } }).clauses).toEqual([[]])
  })

  test('an app and a pixel with the same name are different', () => {
    const query = normalize({ apps: { all: ['klaviyo'] }, pixels: { none: ['klaviyo'] } })
    expect(query.clauses).toEqual([[tokenOf('app', 'klaviyo')]])
    expect(query.noneOf).toEqual([tokenOf('pixel', 'klaviyo')])
  })

  test('a flag requires or excludes', () => {
    expect(normalize({ platform_plus: true, contacts: { has_revealable_contacts: true } }).clauses).toEqual([
      [flagTokens.platformPlus],
      [flagTokens.revealableContacts],
    ])
    const without = normalize({ platform_plus: false, contacts: { has_revealable_contacts: false } })
    expect(without).toEqual({ ...empty, noneOf: [flagTokens.platformPlus, flagTokens.revealableContacts] })
  })

  test('the delivery rule decides which contacts are revealable', () => {
    const ask = (wanted: boolean) =>
      normalizeStoreFilters(vocabulary, { contacts: { has_revealable_contacts: wanted } }, 'verified')
    expect(ask(true)).toEqual({ ...empty, clauses: [[flagTokens.verifiedRevealableContacts]] })
    expect(ask(false)).toEqual({ ...empty, noneOf: [flagTokens.verifiedRevealableContacts] })
  })

  test('ranges are moments, open where no bound is given', () => {
    const query = normalize({
      store_created_at: { from: '2019-01-01T01:00:00+01:00', to: '2019-01-01T00:00:00Z' },
      first_discovered_at: { to: '1970-01-01T00:00:00Z' },
    })
    const start2019 = Date.UTC(2019, 0, 1)
    expect(query.createdBetween).toEqual({ from: start2019, to: start2019 })
    expect(query.discoveredBetween).toEqual({ from: null, to: 0 })
  })
})

describe('refusals', () => {
  test('an unknown value is reported with its parameter and suggestions', () => {
    expect(refusal({ apps: { any: ['klaviyo', 'Klavyo'] } })).toEqual({
      code: 'invalid_filter_value',
      param: 'filters.apps.any[1]',
      message: '"Klavyo" is not a known app; nearest: klaviyo, klarna.',
    })
    expect(refusal({ contacts: { roles_any: ['zzzzzzzzzzzz'] } })).toEqual({
      code: 'invalid_filter_value',
      param: 'filters.contacts.roles_any[0]',
      message: '"zzzzzzzzzzzz" is not a known role; one of: founder, marketing.',
    })
  })

  test.each([
    ['filters.categories[0]', { categories: ['garden'] }],
    ['filters.countries[1]', { countries: ['DE', 'XX'] }],
    ['filters.traffic_tiers[0]', { traffic_tiers: ['10k'] }],
    ['filters.revenue_tiers[0]', { revenue_tiers: ['1k_10k'] }],
    ['filters.apps.all[0]', { apps: { all: ['meta_pixel'] } }],
    ['filters.pixels.none[0]', { pixels: { none: ['gorgias'] } }],
    ['filters.themes.types[0]', { themes: { types: ['premium'] } }],
    ['filters.countries[0]', { countries: ['__proto__'] }],
    ['filters.store_created_at.from', { store_created_at: { from: '2026-02-30T00:00:00Z' } }],
    ['filters.first_discovered_at.to', { first_discovered_at: { to: '2026-02-20' } }],
    ['filters.store_created_at', { store_created_at: {} }],
    [
      'filters.first_discovered_at',
      { first_discovered_at: { from: '2026-02-20T00:00:00.001Z', to: '2026-02-20T00:00:00Z' } },
    ],
  ] satisfies [string, StoreSearchFilters][])('the fault is at %s', (param, filters) => {
    expect(refusal(filters)).toMatchObject({ code: 'invalid_filter_value', param })
  })

  test('a value both required and excluded is a conflict, in any letter case', () => {
    expect(refusal({ apps: { all: ['gorgias', 'klaviyo'], none: ['klarna', 'Klaviyo'] } })).toEqual({
      code: 'conflicting_filters',
      param: 'filters.apps.none[1]',
      message: '"Klaviyo" is both required and excluded.',
    })
  })

  test('parameters have the names that the caller used', () => {
    const ofStore = refusalOf(() => normalizeStoreConditions(vocabulary, { countries: ['XX'] }, 'store'))
    expect(ofStore.param).toBe('store.countries[0]')
  })

  test('the message quotes only a short printable part of the text', () => {
    const hostile = `\u0000\u202e\ud800${'\u{1f56f}'.repeat(70)}\n`
    const { message } = refusal({ countries: [hostile] })
    expect(message.startsWith(`"${'\u{1f56f}'.repeat(60)}…" is not a known country code; `)).toBe(true)
  })
})

describe('the hash of a query', () => {
  const filters: StoreSearchFilters = {
    categories: ['candles', 'home'],
    countries: ['DE', 'FR', 'de'],
    apps: { any: ['klaviyo', 'klarna'], all: ['gorgias', 'omnisend', 'gorgias'] },
    pixels: { none: ['klaviyo', 'meta_pixel'] },
    store_created_at: { from: '2019-01-01T00:00:00Z' },
  }
  const hash = (other: StoreSearchFilters, kind = 'stores') => hashQuery(normalize(other), kind)

  test('is the same for another order of keys and values, another letter case, repeats, empty lists', () => {
    const same: StoreSearchFilters = {
      store_created_at: { from: '2019-01-01T02:00:00.000+02:00' },
      traffic_tiers: [],
      pixels: { none: ['META_PIXEL', 'Klaviyo', 'klaviyo'], any: [] },
      apps: { all: ['omnisend', 'GORGIAS'], any: ['Klarna', 'klaviyo'] },
      meta_ads: { active_ads_min: 0 },
      countries: ['fr', 'DE'],
      categories: ['home', 'candles'],
    }
    expect(hash(same)).toBe(hash(filters))
    expect(hash(filters)).toMatch(/^[0-9a-f]{32}$/)
  })

  test('differs for everything else', () => {
    const others: StoreSearchFilters[] = [
      filters,
      {},
      { ...filters, countries: ['DE'] },
      { ...filters, apps: { any: ['klaviyo', 'klarna', 'gorgias', 'omnisend'] } },
      { ...filters, pixels: { any: ['klaviyo', 'meta_pixel'] } },
      { ...filters, platform_plus: false },
      { ...filters, meta_ads: { active_ads_min: 1 } },
      { ...filters, store_created_at: { to: '2019-01-01T00:00:00Z' } },
      { ...filters, store_created_at: { from: '2019-01-01T00:00:00.001Z' } },
      { ...filters, store_created_at: { from: '2019-01-01T00:00:00Z', to: '2019-01-01T00:00:00Z' } },
      { first_discovered_at: { from: '2019-01-01T00:00:00Z' } },
      { store_created_at: { from: '2019-01-01T00:00:00Z' } },
    ]
    const hashes = [...others.map((other) => hash(other)), hash(filters, 'contacts')]
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})

test.each([
  [false, {}],
  [false, { platform_plus: false, contacts: { has_revealable_contacts: false } }],
  [false, { apps: { none: ['klarna'] }, pixels: { none: ['meta_pixel'] }, meta_ads: { active_ads_min: 0 } }],
  [true, { countries: ['DE'] }],
  [true, { platform_plus: true }],
  [true, { apps: { all: ['klarna'], none: ['gorgias'] } }],
  [true, { meta_ads: { active_ads_min: 1 } }],
  [true, { store_created_at: { to: '2026-01-01T00:00:00Z' } }],
  [true, { first_discovered_at: { from: '2026-01-01T00:00:00Z' } }],
] satisfies [boolean, StoreSearchFilters][])(
  'whether a query narrows the catalogue: %s for %j',
  (expected, filters) => {
    expect(narrowsStores(normalize(filters))).toBe(expected)
  },
)
