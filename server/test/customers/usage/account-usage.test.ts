import { beforeAll, describe, expect, test } from 'vitest'
import type { Meter } from '../../../src/customers/accounts/plans.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'

const start = '2026-11-20T10:00:00.000Z'
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: start })
  await app.importStores(
    Array.from({ length: 12 }, (_, index) => ({ domain: `spent-${index}.example`, name: `Spent ${index}` })),
  )
})

const usageOf = async (user: TestUser, query = '') => (await user.get(`/accounts/${user.account}/usage${query}`)).body

interface Entry {
  at: string
  amount: number
  meter?: Meter
  mode?: 'live' | 'test'
  key?: number
  person?: number
}

/** Writes entries as charges do, at other times and by others. */
async function writeEntries(account: string, entries: Entry[]): Promise<void> {
  for (const { at, amount, meter = 'search_rows', mode = 'live', key = null, person: user = null } of entries)
    await app.db.query(
      `insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
       values ($1, $2, $3, '2026-11-01', $4, 'req_aaaaaaaaaaaaaaaaaaaa', $5, $6, $7)`,
      [app.accountNumber(account), mode, meter, amount, at, key, user],
    )
}

const numberOf = (id: string) => app.deps.ids.open(id)!.value

describe('the usage of an account', () => {
  test('equals that of the API, without counting as a request', async () => {
    app.clock.set(start)
    const key = await app.key({ periodStart: '2026-11-05T00:00:00Z' })
    const user = await app.person({ account: key.account, role: 'viewer' })
    await key.post('/stores/search', { filters: {}, limit: 5 })
    const { key: _, request_id: __, ...byApi } = (await key.get('/usage')).body
    const { alerts, mode, kept_exports, request_id: ___, ...byConsole } = await usageOf(user)
    expect(byConsole).toEqual(byApi)
    expect({ alerts, mode }).toEqual({ alerts: [], mode: 'live' })
    expect(kept_exports).toEqual({ files: 0, files_limit: 50, bytes: 0, bytes_limit: 500_000_000 })
    expect(byConsole.search_rows).toMatchObject({ used: 5, period_start: '2026-11-05T00:00:00.000Z' })
    expect((await usageOf(user, '?mode=test')).search_rows).toMatchObject({ used: 0 })
  })

  test('warns from 80 percent on, and when nothing is left', async () => {
    app.clock.set(start)
    const key = await app.key({ limits: { search_rows: 10, store_exports: 1000, requests_per_day: 2 } })
    const user = await app.person({ account: key.account })
    await key.post('/stores/search', { filters: {}, limit: 7 })
    expect((await usageOf(user)).alerts).toEqual([])
    await key.post('/stores/search', { filters: {}, limit: 1 })
    expect((await usageOf(user)).alerts).toEqual([
      { meter: 'search_rows', level: 80 },
      { meter: 'api_requests', level: 100 },
    ])
  })

  test('is there without access; a plan without credits has nothing to warn of', async () => {
    const user = await app.person({ plan: 'free' })
    expect(await usageOf(user)).toMatchObject({ plan: { slug: 'free' }, contact_credits: { total: 0 }, alerts: [] })
  })

  test('is for members only', async () => {
    const [user, stranger] = [await app.person(), await app.person()]
    for (const path of ['usage', 'usage/daily', 'ledger', 'ledger/file']) {
      const refused = await stranger.get(`/accounts/${user.account}/${path}`)
      expect(refused).toMatchObject({ status: 404, body: { error: { code: 'account_not_found' } } })
    }
  })
})

describe('usage by day', () => {
  const dailyOf = async (user: TestUser, query: string) =>
    (await user.get(`/accounts/${user.account}/usage/daily?${query}`)).body

  test('sums the entries of each UTC day, for the period unless told', async () => {
    app.clock.set(start)
    const key = await app.key({ periodStart: '2026-11-05T12:00:00Z' })
    const user = await app.person({ account: key.account, role: 'viewer' })
    await writeEntries(key.account, [
      { at: '2026-11-04T23:59:59.999Z', amount: 100 },
      { at: '2026-11-05T00:00:00Z', amount: 1 },
      { at: '2026-11-05T23:59:59.999Z', amount: 2 },
      { at: '2026-11-06T00:00:00Z', amount: 4 },
      { at: '2026-11-06T00:00:00Z', amount: 8, mode: 'test' },
      { at: '2026-11-07T12:00:00Z', amount: 16, meter: 'contact_credits' },
    ])
    expect(await dailyOf(user, '')).toEqual({
      object: 'usage_by_day',
      from: '2026-11-05',
      to: '2026-12-05',
      kept_since: '2025-10-01',
      by: 'meter',
      series: [
        {
          ...{ meter: 'contact_credits', kind: 'meter', id: null, name: 'Contact credits' },
          days: [{ day: '2026-11-07', amount: 16 }],
        },
        {
          ...{ meter: 'search_rows', kind: 'meter', id: null, name: 'Search rows' },
          days: [
            { day: '2026-11-05', amount: 3 },
            { day: '2026-11-06', amount: 4 },
          ],
        },
      ],
      request_id: expect.any(String),
    })
    const sandbox = await dailyOf(user, 'mode=test&from=2026-11-06&to=2026-11-06')
    expect(sandbox.series).toMatchObject([{ days: [{ day: '2026-11-06', amount: 8 }] }])
  })

  test('by key and by person it names who spent, and says what was not recorded', async () => {
    app.clock.set(start)
    const key = await app.key({})
    const user = await app.person({ account: key.account, name: 'Mara Muster' })
    const [keyId, userId] = [numberOf(key.id), numberOf(user.id)]
    await writeEntries(key.account, [
      { at: '2026-11-20T01:00:00Z', amount: 9, key: keyId },
      { at: '2026-11-20T02:00:00Z', amount: 5, person: userId },
      { at: '2026-11-20T03:00:00Z', amount: 4, person: 999_999_999 },
      { at: '2026-11-20T04:00:00Z', amount: 1 },
    ])
    const seriesBy = async (by: string) =>
      (await dailyOf(user, `by=${by}&from=2026-11-20&to=2026-11-20`)).series.map((each: Json) => [
        each.kind,
        each.id,
        each.name,
        each.days[0].amount,
      ])
    expect(await seriesBy('key')).toEqual([
      ['key', key.id, 'test key', 9],
      ['people', null, 'People in the console', 9],
      ['unknown', null, 'Not recorded', 1],
    ])
    expect(await seriesBy('person')).toEqual([
      ['keys', null, 'API keys', 9],
      ['person', user.id, 'Mara Muster', 5],
      ['person', expect.stringMatching(/^per_/), 'A removed person', 4],
      ['unknown', null, 'Not recorded', 1],
    ])
  })

  test('adds up the smallest of many spenders', async () => {
    app.clock.set(start)
    const key = await app.key({})
    const user = await app.person({ account: key.account })
    const others = await Promise.all(Array.from({ length: 10 }, () => app.keyOf(key.account, {})))
    await writeEntries(
      key.account,
      others.map(({ id }, index) => ({ at: '2026-11-20T01:00:00Z', amount: 100 - index, key: numberOf(id) })),
    )
    const { series } = await dailyOf(user, 'by=key')
    expect(series.map((each: Json) => each.id)).toEqual([...others.slice(0, 8).map(({ id }) => id), null])
    expect(series.at(-1)).toMatchObject({ kind: 'others', name: 'Others', days: [{ amount: 92 + 91 }] })
  })

  test('begins where entries are kept one by one', async () => {
    app.clock.set(start)
    const user = await app.person()
    expect(await dailyOf(user, 'from=2025-09-15&to=2025-10-15')).toMatchObject({
      from: '2025-10-01',
      to: '2025-10-15',
    })
  })

  test.each([
    ['a day that does not exist', 'from=2026-02-30', 'from'],
    ['the end before the beginning', 'from=2026-11-10&to=2026-11-09', 'from'],
    ['more than 400 days', 'from=2025-10-16&to=2026-11-20', 'from'],
    ['days that are packed', 'from=2024-01-01&to=2024-02-01', 'to'],
    ['another series', 'by=store', 'by'],
    ['an unknown parameter', 'until=2026-11-20', 'until'],
  ])('refuses %s', async (_what, query, param) => {
    app.clock.set(start)
    const user = await app.person()
    const refused = await user.get(`/accounts/${user.account}/usage/daily?${query}`)
    expect(refused).toMatchObject({ status: 400, body: { error: { param } } })
  })

  test('400 days are one request', async () => {
    app.clock.set(start)
    const user = await app.person()
    expect(await dailyOf(user, 'from=2025-10-17&to=2026-11-20')).toMatchObject({ from: '2025-10-17' })
  })
})
