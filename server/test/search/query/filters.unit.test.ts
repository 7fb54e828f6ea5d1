import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { ContactPersonFilters, ContactStoreFilters, StoreSearchFilters } from '../../../src/search/query/filters.ts'

const everything = {
  categories: ['home_garden'],
  countries: ['DE'],
  traffic_tiers: ['10k_50k'],
  revenue_tiers: ['50k_100k'],
  platform_plus: true,
  apps: { any: ['klaviyo'], all: ['gorgias'], none: ['mailchimp'] },
  pixels: { any: ['meta_pixel'], all: [], none: [] },
  themes: { types: ['Custom'] },
  meta_ads: { active_ads_min: 100_000 },
  store_created_at: { from: '2019-01-01T00:00:00Z' },
  first_discovered_at: { to: '2026-01-01T00:00:00Z' },
}
const contacts = { has_revealable_contacts: true, roles_any: ['marketing'] }
const words = (count: number) => Array.from({ length: count }, (_, index) => `word_${index}`)

test('the schemas accept every field, and no field', () => {
  expect(Value.Check(StoreSearchFilters, { ...everything, contacts })).toBe(true)
  expect(Value.Check(ContactStoreFilters, { ...everything, domains: ['aurora-candles.example'] })).toBe(true)
  expect(
    Value.Check(ContactPersonFilters, {
      roles_any: ['founder'],
      seniority_any: ['executive'],
      has_verified_email: true,
      has_phone: false,
      has_profile: true,
    }),
  ).toBe(true)
  for (const shape of [StoreSearchFilters, ContactStoreFilters, ContactPersonFilters])
    expect(Value.Check(shape, {})).toBe(true)
})

describe('store filters refuse', () => {
  test.each([
    ['an unknown field', { categorys: ['home_garden'] }],
    ['domains, which belong to contact search', { domains: ['aurora-candles.example'] }],
    ['an unknown list of a technology', { apps: { some: ['klaviyo'] } }],
    ['an unknown field of themes', { themes: { names: ['Dawn'] } }],
    ['an unknown field of ads', { meta_ads: { active_ads_max: 1 } }],
    ['an unknown bound', { store_created_at: { from: '2019-01-01T00:00:00Z', after: '2019-01-01T00:00:00Z' } }],
    ['an unknown field of contacts', { contacts: { roles_all: ['founder'] } }],
    ['a range without bounds', { first_discovered_at: {} }],
    ['null in place of a list', { countries: null }],
    ['a word in place of a list', { countries: 'DE' }],
    ['a number among words', { countries: [1] }],
    ['a word for a flag', { platform_plus: 'true' }],
    ['more than 50 values', { pixels: { none: words(51) } }],
    ['an endless word', { countries: ['x'.repeat(101)] }],
    ['negative ads', { meta_ads: { active_ads_min: -1 } }],
    ['too many ads', { meta_ads: { active_ads_min: 100_001 } }],
    ['a fraction of an ad', { meta_ads: { active_ads_min: 1.5 } }],
    ['a list', []],
  ])('%s', (_, filters) => {
    expect(Value.Check(StoreSearchFilters, filters)).toBe(false)
  })

  test('but accept 50 values', () => {
    expect(Value.Check(StoreSearchFilters, { pixels: { none: words(50) } })).toBe(true)
  })
})

test('contact filters refuse fields of the wrong object', () => {
  expect(Value.Check(ContactStoreFilters, { contacts })).toBe(false)
  expect(Value.Check(ContactPersonFilters, { roles_all: ['founder'] })).toBe(false)
})
