import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores(
    Array.from({ length: 60 }, (_, index) => ({
      domain: `meter-${index}.example`,
      name: `Meter ${index}`,
      country: index < 30 ? 'DE' : 'FR',
      lead_fit_score: 100 - index,
    })),
  )
})

const generous = { requests_per_minute: 10_000, requests_per_day: 10_000 }
const search = (key: TestKey, body: object) => key.post('/stores/search', { filters: {}, ...body })
const usageOf = async (key: TestKey) => (await key.get('/usage')).body

async function ledgerSums(key: TestKey): Promise<Record<string, number>> {
  const { rows } = await app.db.query(
    'select meter, sum(amount)::integer as total from ledger where account_id = $1 group by meter',
    [app.accountNumber(key.account)],
  )
  return Object.fromEntries(rows.map((row) => [row.meter, row.total]))
}

describe('store exports', () => {
  test('a store counts once a period, however it is delivered', async () => {
    const key = await app.key({ limits: generous })
    await key.get('/stores/meter-0.example')
    await key.get('/stores/https%3A%2F%2Fwww.METER-0.example%2Fpath')
    await key.post('/stores/enrich', { domains: ['meter-0.example', 'meter-1.example', 'nobody.example'] })
    const page = await search(key, { limit: 3 })
    expect(page.headers.get('x-store-exports-remaining')).toBe(String(5000 - 3))
    expect(page.headers.get('x-search-rows-remaining')).toBe(String(25_000 - 3))
    const usage = await usageOf(key)
    expect(usage.store_exports).toMatchObject({ limit: 5000, used: 3, reserved: 0, remaining: 4997 })
    expect(usage.search_rows).toMatchObject({ limit: 25_000, used: 3, remaining: 24_997 })
    expect(await ledgerSums(key)).toEqual({ store_exports: 3, search_rows: 3 })
    const again = await key.get('/stores/meter-0.example')
    expect(again.headers.get('x-store-exports-remaining')).toBe(String(5000 - 3))
  })

  test('a page with more new stores than exports are left is refused as a whole; exported stores are always delivered', async () => {
    const key = await app.key({ limits: { ...generous, store_exports: 5 } })
    expect((await search(key, { limit: 4 })).status).toBe(200)
    const refused = await search(key, { limit: 6 })
    expect(refused.status).toBe(429)
    expect(refused.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'store_exports' })
    expect(refused.body.error.message).toBe(
      '1 of 5 store exports are left until 2026-12-10, and this reply holds more stores that are new this period; ask for fewer.',
    )
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
    expect((await usageOf(key)).store_exports.used).toBe(4)
    expect((await usageOf(key)).search_rows.used).toBe(4)
    expect((await search(key, { limit: 5 })).status).toBe(200)
    expect((await search(key, { limit: 5 })).status).toBe(200)
    expect((await key.get('/stores/meter-3.example')).status).toBe(200)
    expect((await key.get('/stores/meter-9.example')).status).toBe(429)
    expect(await ledgerSums(key)).toEqual({ store_exports: 5, search_rows: 14 })
  })

  test('50 concurrent lookups of different stores never exceed the allowance', async () => {
    const key = await app.key({ limits: { ...generous, store_exports: 20 } })
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => key.get(`/stores/meter-${i}.example`)))
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(20)
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(30)
    expect((await usageOf(key)).store_exports).toMatchObject({ used: 20, remaining: 0 })
    expect(await ledgerSums(key)).toEqual({ store_exports: 20 })
    // Refused lookups count as requests too, as they show that the store exists. The two usage requests count as well.
    expect((await usageOf(key)).api_requests.used).toBe(52)
  })

  test('stores delivered by 50 overlapping concurrent requests count once each', async () => {
    const key = await app.key({ limits: generous })
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        i % 3 === 0
          ? search(key, { limit: 20 })
          : key.post('/stores/enrich', {
              domains: Array.from({ length: 20 }, (_, j) => `meter-${(i * 7 + j * 3) % 20}.example`),
            }),
      ),
    )
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]))
    expect((await usageOf(key)).store_exports.used).toBe(20)
    expect(await ledgerSums(key)).toEqual({ store_exports: 20, search_rows: 17 * 20 })
  })

  test('live and test mode have counters of their own', async () => {
    const live = await app.key({ limits: generous })
    const sandbox = await app.keyOf(live.account, { mode: 'test' })
    await live.get('/stores/meter-0.example')
    expect((await usageOf(sandbox)).store_exports.used).toBe(0)
    expect((await sandbox.get('/stores/meter-0.example')).status).toBe(404)
  })
})

describe('search rows', () => {
  test('a limit above the rows left is refused before the search runs', async () => {
    const key = await app.key({ limits: { ...generous, search_rows: 12 } })
    expect((await search(key, { limit: 10 })).status).toBe(200)
    const refused = await search(key, { limit: 3, filters: { countries: ['FR'] } })
    expect(refused.status).toBe(429)
    expect(refused.body.error.message).toBe('2 of 12 search rows are left until 2026-12-10; ask for limit 2 or less.')
    expect((await usageOf(key)).search_rows).toMatchObject({ used: 10, remaining: 2 })
    expect((await search(key, { limit: 2 })).status).toBe(200)
    expect((await search(key, { limit: 1 })).status).toBe(429)
  })

  test('the rows left are those of the current period, also after its start was moved back', async () => {
    const key = await app.key({ limits: { ...generous, search_rows: 12 } })
    await search(key, { limit: 10 })
    const periodStart = new Date(app.clock.now().getTime() - 86_400_000)
    await app.setAccount(key.account, { periodStart })
    expect((await search(key, { limit: 10 })).status).toBe(200)
    const refused = await search(key, { limit: 3, filters: { countries: ['JP'] } })
    expect(refused.status).toBe(429)
    expect(refused.body.error.message).toContain('2 of 12')
  })

  test('only returned rows count', async () => {
    const key = await app.key({ limits: generous })
    const page = await search(key, { limit: 100, filters: { countries: ['DE'] } })
    expect(page.body.data).toHaveLength(30)
    expect((await usageOf(key)).search_rows.used).toBe(30)
    expect((await search(key, { filters: { countries: ['JP'] } })).body.data).toEqual([])
    expect((await usageOf(key)).search_rows.used).toBe(30)
  })

  test('50 concurrent searches never exceed the quota, and the counter equals the rows delivered', async () => {
    const key = await app.key({ limits: { ...generous, search_rows: 100 } })
    const replies = await Promise.all(Array.from({ length: 50 }, () => search(key, { limit: 7 })))
    const delivered = replies.filter((reply) => reply.status === 200)
    expect(delivered).toHaveLength(14)
    expect((await usageOf(key)).search_rows.used).toBe(98)
    expect(await ledgerSums(key)).toEqual({ search_rows: 98, store_exports: 7 })
  })
})

describe('periods', () => {
  test('credits, exports and rows renew on the anchor day, or on the last day of a shorter month', async () => {
    app.clock.set('2027-01-31T10:00:00.000Z')
    const key = await app.key({ limits: { ...generous, store_exports: 1 }, periodStart: '2027-01-31T09:00:00.000Z' })
    expect((await key.get('/stores/meter-0.example')).status).toBe(200)
    expect((await key.get('/stores/meter-1.example')).status).toBe(429)
    app.clock.set('2027-02-28T08:59:59.999Z')
    expect((await usageOf(key)).store_exports).toMatchObject({
      used: 1,
      period_start: '2027-01-31T09:00:00.000Z',
      period_end: '2027-02-28T09:00:00.000Z',
    })
    app.clock.set('2027-02-28T09:00:00.000Z')
    expect((await key.get('/stores/meter-1.example')).status).toBe(200)
    expect((await usageOf(key)).store_exports).toMatchObject({
      used: 1,
      remaining: 0,
      period_start: '2027-02-28T09:00:00.000Z',
      period_end: '2027-03-31T09:00:00.000Z',
    })
  })

  test('a trial has its own caps and says how to unlock the paid ones', async () => {
    const key = await app.key({ status: 'trialing', trialEnds: '2027-04-01T00:00:00.000Z' })
    const usage = await usageOf(key)
    expect(usage.plan).toMatchObject({
      slug: 'pro',
      status: 'trialing',
      trial: { active: true, ends_at: '2027-04-01T00:00:00.000Z' },
    })
    expect(usage.contact_credits).toMatchObject({ total: 250, used: 0, remaining: 250, paid_plan_total: 1000 })
    expect(usage.store_exports.limit).toBe(500)
    expect(usage.billing).toMatchObject({
      action: 'end_trial_to_unlock_pro_credits',
      current_limit: 250,
      paid_plan_limit: 1000,
      can_unlock_paid_credits_now: false,
      trial_ends_at: '2027-04-01T00:00:00.000Z',
    })
    await app.setAccount(key.account, { status: 'active', trialEndsAt: null })
    const paid = await usageOf(key)
    expect(paid.contact_credits.total).toBe(1000)
    expect(paid.store_exports.limit).toBe(5000)
    expect(paid.billing).toBeUndefined()
  })
})

describe('without exports left', () => {
  const operations = {
    lookup: (key: TestKey, isThere: boolean) => key.get(`/stores/${isThere ? 'meter-1' : 'nobody'}.example`),
    search: (key: TestKey, isThere: boolean) =>
      search(key, { limit: 100, filters: { countries: [isThere ? 'FR' : 'AQ'] } }),
    'contact search': (key: TestKey, isThere: boolean) =>
      key.post('/contacts/search', {
        store: { domains: ['meter-people.example'] },
        person: { roles_any: [isThere ? 'marketing' : 'sales'] },
      }),
    enrichment: (key: TestKey, isThere: boolean) =>
      key.post('/stores/enrich', { domains: [isThere ? 'meter-1.example' : 'nobody.example'] }),
  }
  const headersOf = ({ headers }: TestReply) =>
    ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => headers.get(name))

  beforeAll(async () => {
    await app.importStores([{ domain: 'meter-people.example', name: 'Meter People' }])
    await app.importContacts([
      { store_domain: 'meter-people.example', external_id: 'only', first_name: 'Mara', role: 'marketing' },
    ])
  })

  test.each(Object.entries(operations))(
    'a %s costs one request without exports left, whether it finds something or not',
    async (_, send) => {
      const [finds, misses] = [
        await app.key({ limits: { requests_per_minute: 10, store_exports: 0 } }),
        await app.key({ limits: { requests_per_minute: 10, store_exports: 0 } }),
      ]
      const found = await send(finds, true)
      const missed = await send(misses, false)
      expect(found.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'store_exports' })
      expect([200, 404]).toContain(missed.status)
      expect(headersOf(found)).toEqual(headersOf(missed))
      expect(found.headers.get('x-ratelimit-remaining')).toBe('9')
      for (const key of [finds, misses]) {
        expect((await usageOf(key)).api_requests.used).toBe(2)
        expect(await ledgerSums(key)).toEqual({})
      }
      // The message has no number that depends on the matches.
      expect(found.body.error.message).toMatch(
        /^0 of 0 store exports are left until [\d-]{10}, and this reply holds more stores that are new this period\.$/,
      )
    },
  )

  test('the limit of requests a minute ends probing without exports left', async () => {
    const key = await app.key({ limits: { requests_per_minute: 5, store_exports: 0 } })
    const replies = []
    for (let i = 0; i < 7; i++) replies.push(await operations['contact search'](key, true))
    const params = replies.map(({ body }) => body.error.param)
    expect(params).toEqual([...Array(5).fill('store_exports'), 'requests_per_minute', 'requests_per_minute'])
  })
})
