import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { watchStatements } from '../../support/statements/watch.ts'

const generous = { requests_per_minute: 100_000, requests_per_day: 100_000, search_rows: 1_000_000 }
const seniorities = ['other', 'executive', 'decision_maker']

/** Imports twenty stores with one to five people each, sixty in all. */
async function fill(app: TestApp): Promise<void> {
  const domains = Array.from({ length: 20 }, (_, index) => `page-${index}.example`)
  await app.importStores(
    domains.map((domain, index) => ({ domain, name: domain, country: 'DE', lead_fit_score: index % 4 || null })),
  )
  await app.importContacts(
    domains.flatMap((store_domain, index) =>
      Array.from({ length: 1 + (index % 5) }, (_, at) => ({
        store_domain,
        first_name: `P${index}-${at}`,
        role: at % 2 === 0 ? 'founder' : 'marketing',
        seniority: seniorities[at % 3],
      })),
    ),
  )
}

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({ limits: generous })
  await fill(app)
})

const search = (body: object, by: TestKey = key) => by.post('/contacts/search', body)
const namesIn = ({ body }: { body: Json }): string[] => body.data.map((preview: Json) => preview.first_name)

async function walk(query: object, limits: number[]): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  for (let page = 0; ; page++) {
    const limit = limits[page % limits.length]!
    const reply = await search({ ...query, limit, cursor })
    expect(reply.status).toBe(200)
    names.push(...namesIn(reply))
    expect(reply.body.has_more).toBe(reply.body.next_cursor !== null)
    if (!reply.body.has_more) return names
    expect(reply.body.data).toHaveLength(limit)
    cursor = reply.body.next_cursor
  }
}

describe('pages of any size return the same people once each, in the same order', () => {
  test.each([
    [1, 20],
    [2, 36],
    [3, 48],
    [10, 60],
  ])('with at most %i contacts per store there are %i', async (max_contacts_per_store, total) => {
    const query = { max_contacts_per_store }
    const whole = await walk(query, [100])
    expect(whole).toHaveLength(total)
    expect(new Set(whole).size).toBe(total)
    for (const limits of [[1], [2], [5, 1, 7], [total], [total - 1]]) expect(await walk(query, limits)).toEqual(whole)
  })
})

describe('a cursor', () => {
  const query = {
    person: { roles_any: ['founder', 'marketing'], seniority_any: ['executive', 'other'] },
    store: { countries: ['DE'], domains: ['page-3.example', 'page-4.example', 'page-8.example', 'page-9.example'] },
    max_contacts_per_store: 3,
  }
  const cursorOf = async (by: TestKey = key) => (await search({ ...query, limit: 2 }, by)).body.next_cursor as string

  test('a cursor works with an equivalent query, another limit and another key of the account', async () => {
    const cursor = await cursorOf()
    const rotated = await app.keyOf(key.account, {})
    const otherwise = {
      cursor,
      limit: 5,
      max_contacts_per_store: 3,
      store: {
        domains: [
          'https://PAGE-9.example/',
          'page-3.example',
          'www.page-8.example',
          'page-4.example.',
          'page-4.example',
        ],
        apps: { all: [] },
        countries: ['de', 'DE'],
      },
      person: { seniority_any: ['OTHER', 'executive', 'Other'], roles_any: ['Marketing', 'FOUNDER'] },
    }
    const reply = await search(otherwise, rotated)
    expect(reply.status).toBe(200)
    expect(namesIn(reply)).toEqual(namesIn(await search({ ...query, limit: 5, cursor })))
    expect(namesIn(reply)).toEqual((await walk(query, [100])).slice(2, 7))
  })

  test('a cursor is refused with another query, account, mode or endpoint, if altered, and after a day', async () => {
    const cursor = await cursorOf()
    const other = cursor.at(-5) === 'A' ? 'B' : 'A'
    const stores = await key.post('/stores/search', { filters: {}, limit: 5 })
    const refused = [
      await search({ ...query, max_contacts_per_store: 2, cursor }),
      await search({ ...query, person: {}, cursor }),
      await search({ ...query, person: { ...query.person, has_phone: false }, cursor }),
      await search({ ...query, store: { countries: ['DE'] }, cursor }),
      await search({ ...query, store: { ...query.store, platform_plus: false }, cursor }),
      await search({ ...query, cursor }, await app.key({})),
      await search({ ...query, cursor }, await app.keyOf(key.account, { mode: 'test' })),
      await search({ ...query, cursor: cursor.slice(0, -5) + other + cursor.slice(-4) }),
      await search({ ...query, cursor: 'cur_' }),
      await search({ cursor: stores.body.next_cursor }),
      await key.post('/stores/search', { filters: {}, cursor: (await search({ limit: 5 })).body.next_cursor }),
    ]
    for (const reply of refused) {
      expect(reply.status).toBe(400)
      expect(reply.body.error).toMatchObject({ code: 'invalid_cursor', param: 'cursor' })
    }
    app.clock.advance(24 * 3_600_000)
    expect((await search({ ...query, cursor })).status).toBe(200)
    app.clock.advance(1)
    expect((await search({ ...query, cursor })).body.error.code).toBe('invalid_cursor')
  })
})

describe('the cost of a page', () => {
  const usageOf = async (by: TestKey) => (await by.get('/usage')).body

  test('a page costs a row per contact, and an export per store and period', async () => {
    const own = await app.key({})
    const page = await search({ max_contacts_per_store: 10, limit: 10 }, own)
    const stores = new Set(page.body.data.map((preview: Json) => preview.store.id))
    expect(stores.size).toBeGreaterThan(1)
    expect(stores.size).toBeLessThan(10)
    expect(page.headers.get('x-search-rows-remaining')).toBe(String(25_000 - 10))
    expect(page.headers.get('x-store-exports-remaining')).toBe(String(5_000 - stores.size))
    await search({ max_contacts_per_store: 10, limit: 5 }, own)
    await own.get(`/stores/${page.body.data[0].store.domain}`)
    const { search_rows, store_exports, contact_credits } = await usageOf(own)
    expect(search_rows.used).toBe(15)
    expect(store_exports.used).toBe(stores.size)
    expect(contact_credits.used).toBe(0)
  })

  test('an empty page costs nothing', async () => {
    const own = await app.key({})
    expect(namesIn(await search({ person: { roles_any: ['finance'] } }, own))).toEqual([])
    expect(namesIn(await search({ store: { domains: ['nobody.example'] } }, own))).toEqual([])
    const { search_rows, store_exports } = await usageOf(own)
    expect([search_rows.used, store_exports.used]).toEqual([0, 0])
  })

  test('a limit above the rows left is refused', async () => {
    const own = await app.key({ limits: { search_rows: 12 } })
    expect((await search({ limit: 10 }, own)).status).toBe(200)
    const refused = await search({ limit: 3, person: { roles_any: ['finance'] } }, own)
    expect(refused.status).toBe(429)
    expect(refused.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'search_rows' })
    expect(refused.body.error.message).toContain('ask for limit 2 or less')
    expect((await search({ limit: 2 }, own)).status).toBe(200)
    expect((await usageOf(own)).search_rows).toMatchObject({ used: 12, remaining: 0 })
  })

  test('a page with more new stores than exports are left is refused as a whole', async () => {
    const own = await app.key({ limits: { store_exports: 3 } })
    const refused = await search({ limit: 4 }, own)
    expect(refused.status).toBe(429)
    expect(refused.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'store_exports' })
    expect(refused.body).not.toHaveProperty('data')
    expect((await search({ limit: 3 }, own)).status).toBe(200)
    expect((await search({ limit: 3, max_contacts_per_store: 10 }, own)).status).toBe(200)
    const { search_rows, store_exports } = await usageOf(own)
    expect([search_rows.used, store_exports.used]).toEqual([6, 3])
  })

  test('a page takes one statement besides the search, which admits and delivers', async () => {
    await search({ limit: 3 })
    const statements = watchStatements(app.deps.db)
    await search({ limit: 3 })
    expect(statements()).toHaveLength(1)
  })

  test('a contact that disappears between search and delivery is not charged, and the next page continues after it', async () => {
    const whole = await walk({}, [100])
    const own = await app.key({ limits: generous })
    const found = app.deps.search.findContacts.bind(app.deps.search)
    const missing = { negatedScore: 0, storeId: 999_999, contact: 0 }
    const find = vi.spyOn(app.deps.search, 'findContacts').mockImplementationOnce(async (query) => {
      const [first, , ...others] = await found(query)
      return [first!, missing, ...others]
    })
    onTestFinished(() => find.mockRestore())
    const page = await search({ limit: 3 }, own)
    expect(namesIn(page)).toEqual([whole[0], whole[2]])
    expect(page.body.has_more).toBe(true)
    const { search_rows, store_exports } = await usageOf(own)
    expect([search_rows.used, store_exports.used]).toEqual([2, 2])
    const next = await search({ limit: 3, cursor: page.body.next_cursor }, own)
    expect(namesIn(next)).toEqual(whole.slice(3, 6))
  })
})

test('a walk ends at the bound of the plan file, and earlier without a narrowing filter', async () => {
  const bounded = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    plans: { search: { max_rows_walked: 20, max_rows_walked_unfiltered: 10 } },
  })
  await fill(bounded)
  const walker = await bounded.key({ limits: generous })
  const pages = async (query: object) => {
    const sizes: number[] = []
    let cursor: string | null = null
    for (;;) {
      const reply = await search({ max_contacts_per_store: 10, ...query, limit: 6, cursor }, walker)
      sizes.push(reply.body.data.length)
      cursor = reply.body.next_cursor
      if (cursor === null) return { sizes, end: reply.headers.get('x-search-end') }
    }
  }
  for (const query of [{}, { person: { has_phone: false }, store: { platform_plus: false, domains: [] } }]) {
    const { sizes, end } = await pages(query)
    expect(sizes).toEqual([6, 6])
    expect(end).toBe('This search has returned 12 rows, the most it may; add a filter to see others.')
  }
  const domains = Array.from({ length: 20 }, (_, index) => `page-${index}.example`)
  for (const query of [
    { person: { roles_any: ['founder', 'marketing'] } },
    { store: { countries: ['DE'] } },
    { store: { domains } },
  ])
    expect((await pages(query)).sizes).toEqual([6, 6, 6, 6])
})
