import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({ limits: { requests_per_minute: 100_000, search_rows: 1_000_000 } })
  await app.importStores(
    Array.from({ length: 45 }, (_, index) => ({
      domain: `search-${index}.example`,
      name: `Search ${index}`,
      country: index % 3 === 0 ? 'DE' : 'FR',
      lead_fit_score: index % 5 === 0 ? null : index % 7,
      technologies: { apps: index % 2 === 0 ? ['klaviyo'] : [] },
    })),
  )
})

const search = (body: unknown, by: TestKey = key) => by.post('/stores/search', body)

async function walk(filters: object, limits: number[]): Promise<string[]> {
  const domains: string[] = []
  let cursor: string | null = null
  for (let page = 0; ; page++) {
    const limit = limits[page % limits.length]
    const { body, status } = await search({ filters, limit, cursor })
    expect(status).toBe(200)
    domains.push(...body.data.map((store: Json) => store.domain))
    expect(body.has_more).toBe(body.next_cursor !== null)
    if (!body.has_more) return domains
    expect(body.data).toHaveLength(limit!)
    cursor = body.next_cursor
  }
}

test('the best lead fit comes first, stores without a score last, and a page has 25', async () => {
  const { body } = await search({ filters: {} })
  expect(body).toMatchObject({ object: 'list', has_more: true })
  expect(body.data).toHaveLength(25)
  const all = await walk({}, [100])
  const scores = await Promise.all(
    [0, 30, 44].map(async (at) => (await key.get(`/stores/${all[at]}`)).body.lead_fit_score),
  )
  expect(scores).toEqual([6, expect.any(Number), null])
})

test('pages of any size return the same stores once each, in the same order', async () => {
  const whole = await walk({}, [100])
  expect(whole).toHaveLength(45)
  expect(new Set(whole).size).toBe(45)
  expect(await walk({}, [1])).toEqual(whole)
  expect(await walk({}, [7, 3, 10])).toEqual(whole)
})

describe('a cursor', () => {
  const filters = { countries: ['DE', 'FR'], apps: { any: ['klaviyo'] } }
  const cursorOf = async (by: TestKey = key) => (await search({ filters, limit: 5 }, by)).body.next_cursor as string

  test('a cursor works with an equivalent query, another limit and another key of the account', async () => {
    const cursor = await cursorOf()
    const rotated = await app.keyOf(key.account, {})
    const reply = await search(
      { cursor, limit: 9, filters: { apps: { any: ['KLAVIYO'], all: [] }, countries: ['fr', 'de', 'DE'] } },
      rotated,
    )
    expect(reply.status).toBe(200)
    const plain = await search({ filters, limit: 9, cursor })
    expect(reply.body.data).toEqual(plain.body.data)
  })

  test('a cursor is refused with another query, account or mode, if altered, and after a day', async () => {
    const cursor = await cursorOf()
    const stranger = await app.key({})
    const sandbox = await app.keyOf(key.account, { mode: 'test' })
    const other = cursor.at(-5) === 'A' ? 'B' : 'A'
    const refused = [
      await search({ filters: { countries: ['DE'] }, cursor }),
      await search({ filters, cursor }, stranger),
      await search({ filters, cursor }, sandbox),
      await search({ filters, cursor: cursor.slice(0, -5) + other + cursor.slice(-4) }),
      await search({ filters, cursor: 'cur_' }),
      await search({ filters, cursor: 'next' }),
      await search({ filters, cursor: '' }),
    ]
    for (const reply of refused) {
      expect(reply.status).toBe(400)
      expect(reply.body.error).toMatchObject({ code: 'invalid_cursor', param: 'cursor' })
    }
    app.clock.advance(24 * 3_600_000)
    expect((await search({ filters, cursor })).status).toBe(200)
    app.clock.advance(1)
    expect((await search({ filters, cursor })).body.error.code).toBe('invalid_cursor')
  })
})

test('a walk ends at the bound of the plan file, and earlier without a narrowing filter', async () => {
  const bounded = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    plans: { search: { max_rows_walked: 20, max_rows_walked_unfiltered: 10 } },
  })
  const walker = await bounded.key({ limits: { requests_per_minute: 1000 } })
  await bounded.importStores(
    Array.from({ length: 30 }, (_, index) => ({ domain: `b-${index}.example`, name: 'B', country: 'DE' })),
  )
  const pages = async (filters: object) => {
    const sizes: number[] = []
    let cursor: string | null = null
    for (;;) {
      const reply = await walker.post('/stores/search', { filters, limit: 6, cursor })
      sizes.push(reply.body.data.length)
      cursor = reply.body.next_cursor
      expect(reply.body.has_more).toBe(cursor !== null)
      if (cursor === null) return { sizes, end: reply.headers.get('x-search-end') }
      expect(reply.headers.get('x-search-end')).toBeNull()
    }
  }
  const unfiltered = await pages({ platform_plus: false, apps: { none: ['klaviyo'] }, meta_ads: { active_ads_min: 0 } })
  expect(unfiltered.sizes).toEqual([6, 6])
  expect(unfiltered.end).toBe('This search has returned 12 rows, the most it may; add a filter to see others.')
  expect((await pages({ countries: ['DE'] })).sizes).toEqual([6, 6, 6, 6])
  // Nothing more matches: it just ends.
  await bounded.importStores([{ domain: 'c.example', name: 'C', country: 'FR' }])
  expect(await pages({ countries: ['FR'] })).toEqual({ sizes: [1], end: null })

  // A cursor from before the operator lowered the bound.
  const { body } = await walker.post('/stores/search', { filters: {}, limit: 6 })
  Object.assign(bounded.deps.plans.search, { max_rows_walked_unfiltered: 6 })
  const late = await walker.post('/stores/search', { filters: {}, limit: 6, cursor: body.next_cursor })
  expect([late.status, late.body.error.code, late.body.error.param]).toEqual([400, 'search_too_broad', 'filters'])
})

test.each([
  [undefined, 'invalid_request', undefined],
  [[], 'invalid_request', undefined],
  [{}, 'missing_parameter', 'filters'],
  [{ filters: null }, 'invalid_request', 'filters'],
  [{ filters: {}, limit: 0 }, 'invalid_limit', 'limit'],
  [{ filters: {}, limit: 101 }, 'invalid_limit', 'limit'],
  [{ filters: {}, limit: '5' }, 'invalid_request', 'limit'],
  [{ filters: {}, page: 2 }, 'unknown_parameter', 'page'],
  [{ filters: {}, cursor: 5 }, 'invalid_request', 'cursor'],
  [{ filters: { country: ['DE'] } }, 'unknown_parameter', 'filters.country'],
  [{ filters: { apps: { some: [] } } }, 'unknown_parameter', 'filters.apps.some'],
  [{ filters: { domains: ['a.example'] } }, 'unknown_parameter', 'filters.domains'],
  [{ filters: { countries: 'DE' } }, 'invalid_request', 'filters.countries'],
  [{ filters: { countries: ['DE', 5] } }, 'invalid_request', 'filters.countries[1]'],
  [{ filters: { countries: Array(51).fill('DE') } }, 'invalid_request', 'filters.countries'],
  [{ filters: { countries: ['Germany'] } }, 'invalid_filter_value', 'filters.countries[0]'],
  [{ filters: { apps: { any: ['klaviyo', 'klavio'] } } }, 'invalid_filter_value', 'filters.apps.any[1]'],
  [{ filters: { themes: { types: ['rented'] } } }, 'invalid_filter_value', 'filters.themes.types[0]'],
  [{ filters: { platform_plus: 'true' } }, 'invalid_request', 'filters.platform_plus'],
  [{ filters: { meta_ads: { active_ads_min: -1 } } }, 'invalid_filter_value', 'filters.meta_ads.active_ads_min'],
  [{ filters: { meta_ads: { active_ads_min: 100_001 } } }, 'invalid_filter_value', 'filters.meta_ads.active_ads_min'],
  [{ filters: { meta_ads: { active_ads_min: 1.5 } } }, 'invalid_filter_value', 'filters.meta_ads.active_ads_min'],
  [{ filters: {}, limit: 2.5 }, 'invalid_limit', 'limit'],
  [{ filters: { store_created_at: {} } }, 'invalid_filter_value', 'filters.store_created_at'],
  [{ filters: { store_created_at: { from: '2020-01-01' } } }, 'invalid_filter_value', 'filters.store_created_at.from'],
  [
    { filters: { first_discovered_at: { from: '2021-01-02T00:00:00Z', to: '2021-01-01T00:00:00Z' } } },
    'invalid_filter_value',
    'filters.first_discovered_at',
  ],
  [{ filters: { apps: { all: ['klaviyo'], none: ['Klaviyo'] } } }, 'conflicting_filters', 'filters.apps.none[0]'],
])('%j is refused as %s at %s', async (body, code, param) => {
  const reply = await search(body)
  expect(reply.status).toBe(400)
  expect(reply.body.error.code).toBe(code)
  expect(reply.body.error.param).toBe(param)
})

test('the error for a misspelt value suggests the nearest ones', async () => {
  const { body } = await search({ filters: { apps: { any: ['klavio'] } } })
  expect(body.error.message).toContain('klaviyo')
})

test('contact filters reflect the contacts on file', async () => {
  await app.importStores([
    { domain: 'people-1.example', name: 'People 1' },
    { domain: 'people-2.example', name: 'People 2' },
  ])
  await app.importContacts([
    {
      store_domain: 'people-1.example',
      first_name: 'A',
      role: 'founder',
      seniority: 'executive',
      emails: [{ email: 'a@people-1.example', status: 'verified' }],
    },
    { store_domain: 'people-2.example', first_name: 'B', role: 'ceo', seniority: 'executive' },
    { store_domain: 'people-2.example', first_name: 'C', role: 'finance', seniority: 'other' },
  ])
  const found = async (contacts: object) =>
    (await search({ filters: { contacts } })).body.data.map((store: Json) => store.domain)
  expect(await found({ has_revealable_contacts: true })).toEqual(['people-1.example'])
  expect(await found({ roles_any: ['FOUNDER', 'finance'] })).toEqual(['people-1.example', 'people-2.example'])
  expect(await found({ roles_any: ['ceo'], has_revealable_contacts: false })).toEqual(['people-2.example'])
})

test('a category moved below another is found there at once, without a new import', async () => {
  await app.importStores([{ domain: 'gnomes.example', name: 'Gnomes', category: 'toys_games_puzzles' }])
  const found = async (category: string) =>
    (await search({ filters: { categories: [category] } })).body.data.map((store: Json) => store.domain)
  expect(await found('toys_games')).toEqual(['gnomes.example'])
  expect(await found('home_garden')).toEqual([])
  await app.db.query(
    "update taxonomy_values set parent = 'home_garden' where facet = 'category' and value = 'toys_games_puzzles'",
  )
  await app.db.query('update catalogue_state set taxonomy_version = taxonomy_version + 1')
  await app.deps.taxonomy.refresh()
  expect(await found('home_garden')).toEqual(['gnomes.example'])
  expect(await found('toys_games')).toEqual([])
})
