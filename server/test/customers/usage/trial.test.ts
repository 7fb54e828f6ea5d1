import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { spendCredits } from '../ledger/support/spend.ts'

const start = '2026-03-10T08:00:00.000Z'
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: start })
})

const usageOf = async (key: TestKey) => (await key.get('/usage')).body
const creditsOf = async (key: TestKey) => (await usageOf(key)).contact_credits

function openTrial(trialEnds: string, limits = {}): Promise<TestKey> {
  app.clock.set(start)
  return app.key({ scopes: ['usage:read', 'contacts:reveal'], status: 'trialing', trialEnds, limits })
}

describe('a trial has one cap of 250 credits', () => {
  test('the trial cap holds within one month', async () => {
    const key = await openTrial('2026-03-24T08:00:00.000Z')
    expect(await spendCredits(app, key, 249)).toBe(1)
    app.clock.set('2026-03-24T07:59:59.000Z')
    await expect(spendCredits(app, key, 2)).rejects.toMatchObject({
      code: 'insufficient_contact_credits',
      param: 'contact_ids',
      billing: { action: 'end_trial_to_unlock_pro_credits', current_limit: 250, paid_plan_limit: 1000 },
    })
    expect(await spendCredits(app, key, 1)).toBe(0)
    await expect(spendCredits(app, key, 1)).rejects.toMatchObject({ code: 'insufficient_contact_credits' })
    expect(await creditsOf(key)).toEqual({
      total: 250,
      used: 250,
      remaining: 0,
      paid_plan_total: 1000,
      period_start: start,
      period_end: '2026-04-10T08:00:00.000Z',
    })
  })

  test('a trial granted by a clock ten years ahead keeps its cap once the clock is right', async () => {
    app.clock.set('2036-03-10T08:00:00.000Z')
    const key = await app.key({
      scopes: ['usage:read', 'contacts:reveal'],
      status: 'trialing',
      trialEnds: '2026-03-24T08:00:00.000Z',
    })
    await spendCredits(app, key, 200)
    app.clock.set(start)
    expect(await spendCredits(app, key, 50)).toBe(0)
    await expect(spendCredits(app, key, 1)).rejects.toMatchObject({ code: 'insufficient_contact_credits' })
    const { period_start, period_end } = await creditsOf(key)
    expect(Date.parse(period_end)).toBeGreaterThan(Date.parse(period_start))
  })

  test('the trial cap spans the end of a month, which renews only exports and rows', async () => {
    const key = await openTrial('2026-04-20T00:00:00.000Z')
    await spendCredits(app, key, 200)
    app.clock.set('2026-04-10T08:00:00.000Z')
    const usage = await usageOf(key)
    expect(usage.contact_credits).toMatchObject({
      used: 200,
      remaining: 50,
      period_start: start,
      period_end: '2026-05-10T08:00:00.000Z',
    })
    for (const meter of ['store_exports', 'search_rows'])
      expect(usage[meter]).toMatchObject({ period_start: '2026-04-10T08:00:00.000Z' })
    await expect(spendCredits(app, key, 51)).rejects.toMatchObject({ code: 'insufficient_contact_credits' })
    expect(await spendCredits(app, key, 50)).toBe(0)
  })

  test('the trial cap spans several months, and the time beyond the planned end', async () => {
    const key = await openTrial('2026-05-25T00:00:00.000Z')
    for (const [now, left] of [
      [start, 190],
      ['2026-04-09T00:00:00.000Z', 130],
      ['2026-05-09T00:00:00.000Z', 70],
      ['2026-07-30T00:00:00.000Z', 10],
    ] as const) {
      app.clock.set(now)
      expect(await spendCredits(app, key, 60)).toBe(left)
    }
    expect(await creditsOf(key)).toMatchObject({
      used: 240,
      remaining: 10,
      period_start: start,
      period_end: '2026-08-10T08:00:00.000Z',
    })
    await expect(spendCredits(app, key, 11)).rejects.toMatchObject({ code: 'insufficient_contact_credits' })
  })

  test('the trial cap stays when the plan changes during the trial', async () => {
    const key = await openTrial('2026-04-20T00:00:00.000Z')
    await spendCredits(app, key, 200)
    app.clock.set('2026-03-28T00:00:00.000Z')
    await app.setAccount(key.account, { plan: 'business' })
    expect(await creditsOf(key)).toMatchObject({ total: 250, used: 200, remaining: 50, paid_plan_total: 5000 })
    expect((await usageOf(key)).billing.paid_plan_limit).toBe(5000)
  })

  test('an account can have a trial cap of its own', async () => {
    const key = await openTrial('2026-04-20T00:00:00.000Z', { trial_contact_credits: 3, contact_credits: 40 })
    expect(await creditsOf(key)).toMatchObject({ total: 3, paid_plan_total: 40 })
    expect((await usageOf(key)).billing).toMatchObject({ current_limit: 3, paid_plan_limit: 40 })
    expect(await spendCredits(app, key, 3)).toBe(0)
    await expect(spendCredits(app, key, 1)).rejects.toMatchObject({ code: 'insufficient_contact_credits' })
  })
})

describe('the end of a trial', () => {
  test.each([
    ['its end date is removed', { trialEndsAt: null }],
    ['the account becomes active', { status: 'active' }],
  ] as const)(
    'the end of a trial unlocks the paid credits at once, less those used in the same month: %s',
    async (_what, ending) => {
      const key = await openTrial('2026-04-20T00:00:00.000Z')
      await spendCredits(app, key, 250)
      expect((await usageOf(key)).billing).toMatchObject({ can_unlock_paid_credits_now: false })
      await app.setAccount(key.account, ending)
      const usage = await usageOf(key)
      expect(usage.billing).toBeUndefined()
      expect(usage.contact_credits).toEqual({
        total: 1000,
        used: 250,
        remaining: 750,
        paid_plan_total: 1000,
        period_start: start,
        period_end: '2026-04-10T08:00:00.000Z',
      })
      await expect(spendCredits(app, key, 751)).rejects.toMatchObject({ code: 'insufficient_contact_credits' })
      expect(await spendCredits(app, key, 750)).toBe(0)
    },
  )

  test('a trial that ends in a later month leaves no credits used', async () => {
    const key = await openTrial('2026-04-20T00:00:00.000Z')
    await spendCredits(app, key, 250)
    app.clock.set('2026-04-15T00:00:00.000Z')
    await app.setAccount(key.account, { trialEndsAt: null })
    expect(await creditsOf(key)).toMatchObject({
      total: 1000,
      used: 0,
      remaining: 1000,
      period_start: '2026-04-10T08:00:00.000Z',
      period_end: '2026-05-10T08:00:00.000Z',
    })
    expect(await spendCredits(app, key, 1000)).toBe(0)
  })

  test('after the trial the account has its own credit limit', async () => {
    const limits = { trial_contact_credits: 3, contact_credits: 40 }
    const key = await openTrial('2026-04-20T00:00:00.000Z', limits)
    await spendCredits(app, key, 2)
    await app.setAccount(key.account, { trialEndsAt: null })
    expect(await creditsOf(key)).toMatchObject({ total: 40, used: 2, remaining: 38, paid_plan_total: 40 })
    await app.setAccount(key.account, { limits: { contact_credits: 1 } })
    expect(await creditsOf(key)).toMatchObject({ total: 1, used: 2, remaining: 0, paid_plan_total: 1 })
    await app.setAccount(key.account, { limits: { contact_credits: null } })
    expect(await creditsOf(key)).toMatchObject({ total: 1000, used: 2, remaining: 998 })
  })
})

test('paid credits renew with the month, to the second', async () => {
  app.clock.set(start)
  const key = await app.key({ scopes: ['usage:read', 'contacts:reveal'], limits: { contact_credits: 5 } })
  await spendCredits(app, key, 5)
  app.clock.set('2026-04-10T07:59:59.000Z')
  await expect(spendCredits(app, key, 1)).rejects.toMatchObject({ code: 'insufficient_contact_credits' })
  app.clock.set('2026-04-10T08:00:00.000Z')
  expect(await spendCredits(app, key, 1)).toBe(4)
})

test('a trial that starts in a paid month includes the credits used in it', async () => {
  app.clock.set(start)
  const key = await app.key({ scopes: ['usage:read', 'contacts:reveal'] })
  await spendCredits(app, key, 100)
  app.clock.set('2026-03-20T00:00:00.000Z')
  await app.setAccount(key.account, { trialEndsAt: new Date('2026-04-20T00:00:00.000Z') })
  expect(await creditsOf(key)).toMatchObject({ total: 250, used: 100, remaining: 150, period_start: start })
})
