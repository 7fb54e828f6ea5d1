import { beforeAll, describe, expect, test, vi } from 'vitest'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { isInBackground } from '../../support/statements/watch.ts'

const storeCount = 24
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2024-01-01T00:00:00.000Z' })
  await app.importStores(
    Array.from({ length: storeCount }, (_, index) => ({ domain: `period-${index}.example`, name: `Period ${index}` })),
  )
})

const usageOf = async (key: TestKey) => (await key.get('/usage')).body
const shown = async (key: TestKey) =>
  JSON.parse((await runCommand(app.deps, ['accounts', 'show', key.account, '--json'])).stdout)
const lookUp = (key: TestKey, store: number) => key.get(`/stores/period-${store}.example`)

const second = 1_000

/** Crosses period boundaries with an allowance of one store: used up before each boundary, renewed at it. */
async function expectBoundaries(key: TestKey, start: string, boundaries: string[]): Promise<void> {
  app.clock.set(start)
  expect((await lookUp(key, 0)).status).toBe(200)
  let opened = new Date(start).toISOString()
  for (const [index, boundary] of boundaries.entries()) {
    const end = new Date(boundary).toISOString()
    app.clock.set(new Date(Date.parse(end) - second))
    const refused = await lookUp(key, index + 1)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    for (const meter of ['contact_credits', 'store_exports', 'search_rows'])
      expect((await usageOf(key))[meter]).toMatchObject({ period_start: opened, period_end: end })

    app.clock.set(end)
    expect((await usageOf(key)).store_exports).toMatchObject({ used: 0, remaining: 1, period_start: end })
    expect((await lookUp(key, index + 1)).status).toBe(200)
    opened = end
  }
}

describe('a month ends on its anchor day and time, or on its last day', () => {
  test.each([
    [
      'the 31st',
      '2027-12-31T09:30:00Z',
      ['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31', '2028-06-30'],
    ],
    ['the 30th', '2026-11-30T09:30:00Z', ['2026-12-30', '2027-01-30', '2027-02-28', '2027-03-30']],
    ['the 29th', '2027-12-29T09:30:00Z', ['2028-01-29', '2028-02-29', '2028-03-29']],
    ['a leap day', '2024-02-29T09:30:00Z', ['2024-03-29', '2024-04-29']],
    ['the last instant of a year', '2026-12-31T23:59:59.999Z', ['2027-01-31', '2027-02-28']],
  ])('%s', async (_what, start, days) => {
    app.clock.set(start)
    const key = await app.key({ limits: { store_exports: 1 } })
    const timeOfDay = start.slice(10)
    await expectBoundaries(
      key,
      start,
      days.map((day) => day + timeOfDay),
    )
  })

  test('an anchor on a leap day comes back after four years', async () => {
    const key = await app.key({ periodStart: '2024-02-29T00:00:00.000Z' })
    for (const [now, start, end] of [
      ['2025-03-01T00:00:00Z', '2025-02-28', '2025-03-29'],
      ['2028-02-28T23:59:59Z', '2028-01-29', '2028-02-29'],
      ['2028-02-29T00:00:00Z', '2028-02-29', '2028-03-29'],
    ] as const) {
      app.clock.set(now)
      expect((await usageOf(key)).search_rows).toMatchObject({
        period_start: `${start}T00:00:00.000Z`,
        period_end: `${end}T00:00:00.000Z`,
      })
    }
  })

  test('an annual plan renews monthly as well', async () => {
    const start = '2026-01-31T06:00:00Z'
    app.clock.set(start)
    const key = await app.key({ limits: { store_exports: 1 } })
    await app.setAccount(key.account, { billing: 'annual' })
    await expectBoundaries(key, start, ['2026-02-28T06:00:00Z', '2026-03-31T06:00:00Z'])
    app.clock.set('2027-02-27T00:00:00Z')
    expect((await usageOf(key)).contact_credits.period_start).toBe('2027-01-31T06:00:00.000Z')
  })
})

test('a request admitted before a period boundary is charged to the earlier period', async () => {
  app.clock.set('2026-05-10T00:00:00Z')
  const key = await app.key({})
  const boundary = '2026-06-10T00:00:00.000Z'
  const before = new Date(Date.parse(boundary) - 1)
  app.clock.set(boundary)
  // Only the request's first reading is before the boundary.
  const readings = [before]
  const { now } = app.deps.clock
  const clock = vi.spyOn(app.deps.clock, 'now')
  clock.mockImplementation(() => (isInBackground() ? undefined : readings.pop()) ?? now())
  const page = await key.post('/stores/search', { filters: {}, limit: 3 })
  clock.mockRestore()
  expect(page.status).toBe(200)
  const { rows } = await app.db.query('select distinct period_start, spent_at from ledger where account_id = $1', [
    app.accountNumber(key.account),
  ])
  expect(rows).toEqual([{ period_start: new Date('2026-05-10T00:00:00.000Z'), spent_at: before }])
  expect((await usageOf(key)).search_rows).toMatchObject({ used: 0, period_start: boundary })
})

describe('plans', () => {
  const start = '2026-07-05T00:00:00.000Z'
  const stay = { periodStart: new Date(start) }

  async function spendThree(key: TestKey): Promise<void> {
    await key.post('/stores/search', { filters: {}, limit: 3 })
  }

  test('a plan with the same period start as the one before keeps the usage', async () => {
    app.clock.set(start)
    const key = await app.key({})
    app.clock.set('2026-07-20T00:00:00.000Z')
    await spendThree(key)
    await app.setAccount(key.account, { plan: 'business', ...stay })
    expect((await usageOf(key)).store_exports).toMatchObject({
      limit: 25_000,
      used: 3,
      remaining: 24_997,
      period_start: start,
    })
    await app.setAccount(key.account, { plan: 'pro', limits: { store_exports: 2 }, ...stay })
    expect((await usageOf(key)).store_exports).toMatchObject({ limit: 2, used: 3, remaining: 0 })
    expect((await lookUp(key, 9)).status).toBe(429)
    const known = await key.post('/stores/search', { filters: {}, limit: 3 })
    expect(known.status).toBe(200)
  })

  test('a granted plan starts a new period', async () => {
    app.clock.set(start)
    const key = await app.key({})
    await spendThree(key)
    const granted = '2026-07-20T12:00:00.000Z'
    app.clock.set(granted)
    await app.setAccount(key.account, { plan: 'business' })
    expect((await usageOf(key)).store_exports).toMatchObject({
      limit: 25_000,
      used: 0,
      period_start: granted,
      period_end: '2026-08-20T12:00:00.000Z',
    })
  })

  test('an account that lapses and returns within a month keeps its usage', async () => {
    app.clock.set(start)
    const key = await app.key({})
    await spendThree(key)
    app.clock.set('2026-07-20T12:00:00.000Z')
    await app.setAccount(key.account, { status: 'past_due' })
    expect((await key.get('/usage')).body.error.code).toBe('api_access_required')
    await app.setAccount(key.account, { status: 'active' })
    expect((await usageOf(key)).search_rows).toMatchObject({ used: 3, period_start: start })
  })

  test('a canceled account is on the free plan with periods from its creation, and a new plan starts a new period', async () => {
    app.clock.set('2026-06-17T00:00:00.000Z')
    const key = await app.key({ periodStart: start })
    app.clock.set('2026-07-20T12:00:00.000Z')
    await spendThree(key)
    await app.setAccount(key.account, { status: 'canceled' })
    expect((await lookUp(key, 0)).status).toBe(403)
    expect(await shown(key)).toMatchObject({
      plan: 'free',
      usage: {
        live: {
          contact_credits: { total: 0, paid_plan_total: 0 },
          store_exports: { limit: 0, used: 0, remaining: 0, period_start: '2026-07-17T00:00:00.000Z' },
        },
      },
    })
    await app.setAccount(key.account, { plan: 'pro' })
    expect((await usageOf(key)).store_exports).toMatchObject({
      used: 0,
      period_start: '2026-07-20T12:00:00.000Z',
    })
  })
})
