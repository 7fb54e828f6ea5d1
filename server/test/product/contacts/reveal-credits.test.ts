import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { addCrowd, generous, reveal, storedUsage, usageOf } from './support/reveals.ts'

let app: TestApp
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  ids = await addCrowd(app, 30)
})

describe('credits', () => {
  test('credits are shared by all keys of the account', async () => {
    const key = await app.key({ limits: { ...generous, contact_credits: 5 } })
    const colleague = await app.keyOf(key.account, {})
    expect((await reveal(key, ids.slice(0, 3))).body.credits).toEqual({ spent: 3, remaining: 2 })
    expect((await reveal(colleague, ids.slice(2, 5))).body.credits).toEqual({ spent: 2, remaining: 0 })
    expect((await usageOf(key)).contact_credits).toMatchObject({ total: 5, used: 5, remaining: 0 })
    expect((await reveal(colleague, ids.slice(0, 5))).status).toBe(200)
    expect((await reveal(key, ids.slice(4, 6))).status).toBe(402)
  })

  test('a reveal of more contacts than credits are left reveals nobody, and counts as a request', async () => {
    const key = await app.key({ limits: { ...generous, contact_credits: 3 }, periodStart: '2026-11-01T00:00:00.000Z' })
    await reveal(key, [ids[0], ids[10]])
    const before = await storedUsage(app, key)
    const reply = await reveal(key, [ids[0], ids[20], ids[21], ids[22]])
    expect(reply.status).toBe(402)
    expect(reply.body.error).toEqual({
      type: 'quota_error',
      code: 'insufficient_contact_credits',
      message: '3 contact credits are needed, but 1 of 3 is left until 2026-12-01.',
      param: 'contact_ids',
      request_id: reply.headers.get('x-request-id'),
    })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(await storedUsage(app, key)).toEqual(before)
    expect((await usageOf(key)).api_requests.used).toBe(3)
    expect((await reveal(key, [ids[20]])).body.credits).toEqual({ spent: 1, remaining: 0 })
  })

  test('credits renew with the period', async () => {
    const key = await app.key({ limits: { ...generous, contact_credits: 1 }, periodStart: '2026-11-01T00:00:00.000Z' })
    await reveal(key, [ids[0]])
    expect((await reveal(key, [ids[1]])).status).toBe(402)
    app.clock.set('2026-12-01T00:00:00.000Z')
    const renewed = await reveal(key, [ids[1]])
    app.clock.set('2026-11-10T12:00:00.000Z')
    expect(renewed.body.credits).toEqual({ spent: 1, remaining: 0 })
  })

  test('an allowance lowered below the credits used leaves none, and earlier reveals stay free', async () => {
    const key = await app.key({ limits: { ...generous, contact_credits: 5 } })
    await reveal(key, ids.slice(0, 4))
    await app.setAccount(key.account, { limits: { contact_credits: 2 } })
    expect((await reveal(key, ids.slice(0, 4))).body.credits).toEqual({ spent: 0, remaining: 0 })
    expect((await reveal(key, [ids[4]])).body.error.message).toMatch(/^1 contact credit is needed, but 0 of 2 are left/)
  })
})

describe('during a trial', () => {
  test('a trial without credits left is told how to get those of the paid plan, which its end unlocks at once', async () => {
    const key = await app.key({
      status: 'trialing',
      trialEnds: '2026-11-24T00:00:00.000Z',
      limits: { ...generous, trial_contact_credits: 3 },
    })
    expect((await reveal(key, ids.slice(0, 3))).body.credits).toEqual({ spent: 3, remaining: 0 })
    const { error } = (await reveal(key, [ids[3]])).body
    expect(error).toMatchObject({ type: 'quota_error', code: 'insufficient_contact_credits', param: 'contact_ids' })
    const { billing } = await usageOf(key)
    expect(error.billing).toEqual(billing)
    expect(billing).toMatchObject({
      action: 'end_trial_to_unlock_pro_credits',
      current_limit: 3,
      paid_plan_limit: 1000,
      trial_ends_at: '2026-11-24T00:00:00.000Z',
    })
    await app.setAccount(key.account, { status: 'active' })
    expect((await reveal(key, [ids[3]])).body.credits).toEqual({ spent: 1, remaining: 996 })
  })

  test('trial credits are one cap for the whole trial, also in its second month', async () => {
    const key = await app.key({
      status: 'trialing',
      trialEnds: '2027-01-01T00:00:00.000Z',
      limits: { ...generous, trial_contact_credits: 3 },
    })
    await reveal(key, ids.slice(0, 2))
    app.clock.set('2026-12-15T00:00:00.000Z')
    const later = await reveal(key, [ids[2]])
    const tooMany = await reveal(key, [ids[3]])
    const usage = await usageOf(key)
    app.clock.set('2026-11-10T12:00:00.000Z')
    expect(later.body.credits).toEqual({ spent: 1, remaining: 0 })
    expect(tooMany.status).toBe(402)
    expect(usage.contact_credits).toMatchObject({ total: 3, used: 3, remaining: 0 })
    expect(usage.store_exports.used).toBe(1)
  })
})

describe('store exports', () => {
  test('a reveal exports each store once per period, also after a search of it', async () => {
    const key = await app.key({ limits: generous })
    await key.get('/stores/crowd-0.example')
    await reveal(key, [ids[0], ids[1], ids[10]])
    await key.post('/stores/enrich', { domains: ['crowd-0.example', 'crowd-1.example'] })
    expect((await usageOf(key)).store_exports.used).toBe(2)
    expect((await reveal(key, [ids[1], ids[11]])).headers.get('x-store-exports-remaining')).toBe('4998')
  })

  test('a repeated reveal in a later period exports the store again', async () => {
    const key = await app.key({ limits: generous, periodStart: '2026-11-01T00:00:00.000Z' })
    await reveal(key, [ids[0]])
    app.clock.set('2026-12-02T00:00:00.000Z')
    const later = await reveal(key, [ids[0]])
    const usage = await usageOf(key)
    app.clock.set('2026-11-10T12:00:00.000Z')
    expect(later.body.credits.spent).toBe(0)
    expect([usage.store_exports.used, usage.contact_credits.used]).toEqual([1, 0])
  })

  test('a reveal of more new stores than exports are left is refused with 429, and counts as a request', async () => {
    const key = await app.key({ limits: { ...generous, store_exports: 1 } })
    await reveal(key, [ids[0]])
    const before = await storedUsage(app, key)
    const reply = await reveal(key, [ids[1], ids[10], ids[20]])
    expect(reply.status).toBe(429)
    expect(reply.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'store_exports' })
    expect(reply.body.error.message).toContain('0 of 1')
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(await storedUsage(app, key)).toEqual(before)
    expect((await usageOf(key)).api_requests.used).toBe(3)
  })

  test('credits are checked before store exports', async () => {
    const key = await app.key({ limits: { ...generous, store_exports: 0, contact_credits: 0 } })
    expect((await reveal(key, [ids[0]])).status).toBe(402)
    await app.setAccount(key.account, { limits: { contact_credits: 1 } })
    expect((await reveal(key, [ids[0]])).status).toBe(429)
  })
})
