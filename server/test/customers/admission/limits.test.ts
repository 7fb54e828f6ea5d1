import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startSecondServer } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { connectClient, countLockWaits } from '../../support/database.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([{ domain: 'window-shop.example', name: 'Window Shop' }])
})

describe('request limits', () => {
  test('the minute opens with the first request and holds exactly its limit', async () => {
    const key = await app.key({ limits: { requests_per_minute: 3 } })
    for (const remaining of ['2', '1', '0']) {
      const reply = await key.get('/taxonomy')
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-ratelimit-remaining')).toBe(remaining)
    }
    app.clock.advance(20_000)
    const refused = await key.get('/taxonomy')
    expect(refused.status).toBe(429)
    expect(refused.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'requests_per_minute' })
    expect(refused.headers.get('retry-after')).toBe('40')
    app.clock.advance(39_999)
    expect((await key.get('/taxonomy')).status).toBe(429)
    app.clock.advance(1)
    expect((await key.get('/taxonomy')).status).toBe(200)
  })

  test('a request refused for a full window writes nothing', async () => {
    const key = await app.key({ limits: { requests_per_minute: 1 } })
    await key.get('/taxonomy')
    const rowVersion = async () => {
      const { rows } = await app.db.query('select xmin::text, xmax::text from request_windows where account_id = $1', [
        app.accountNumber(key.account),
      ])
      return rows[0]
    }
    const before = await rowVersion()
    expect((await key.get('/taxonomy')).status).toBe(429)
    expect(await rowVersion()).toEqual(before)
  })

  test('the day is the UTC day, and its refusal names the time to midnight', async () => {
    const key = await app.key({ limits: { requests_per_day: 2 } })
    app.clock.set('2026-11-11T23:59:00.000Z')
    await key.get('/taxonomy')
    await key.get('/taxonomy')
    const refused = await key.get('/taxonomy')
    expect(refused.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'requests_per_day' })
    expect(refused.headers.get('retry-after')).toBe('60')
    app.clock.set('2026-11-12T00:00:00.000Z')
    expect((await key.get('/taxonomy')).status).toBe(200)
  })

  test('refusals with 401, 403 and the 429 of search rows do not count; 400 and 404 do', async () => {
    const key = await app.key({ limits: { search_rows: 10 } })
    const usedToday = async () => (await key.get('/usage')).body.api_requests.used
    expect(await usedToday()).toBe(1)
    expect((await key.get('/stores/not..a..domain')).status).toBe(400)
    expect((await key.get('/stores/unknown-shop.example')).status).toBe(404)
    expect(await usedToday()).toBe(4)
    const tooMany = await key.post('/stores/search', { filters: {}, limit: 11 })
    expect(tooMany.status).toBe(429)
    expect(tooMany.body.error.param).toBe('search_rows')
    expect(tooMany.headers.get('ratelimit')).toMatch(/"requests_per_minute";r=56;.*"requests_per_day";r=4996;/)
    const blind = await app.keyOf(key.account, { scopes: ['stores:read'] })
    expect((await blind.get('/usage')).status).toBe(403)
    expect((await app.anon.get('/usage')).status).toBe(401)
    expect(await usedToday()).toBe(5)
  })

  test('limits belong to the account and mode, not to the key', async () => {
    const first = await app.key({ limits: { requests_per_minute: 2 } })
    const second = await app.keyOf(first.account, {})
    const sandbox = await app.keyOf(first.account, { mode: 'test' })
    expect((await first.get('/taxonomy')).status).toBe(200)
    expect((await second.get('/taxonomy')).status).toBe(200)
    expect((await second.get('/taxonomy')).status).toBe(429)
    expect((await sandbox.get('/taxonomy')).status).toBe(200)
  })

  test('every authenticated reply has headers for both windows, refusals included', async () => {
    const key = await app.key({ scopes: ['usage:read'], limits: { requests_per_minute: 10, requests_per_day: 11 } })
    const replies = [await key.get('/usage'), await key.get('/taxonomy'), await key.get('/stores/x')]
    expect(replies.map((reply) => reply.status)).toEqual([200, 403, 403])
    for (const reply of replies) {
      expect(reply.headers.get('ratelimit-policy')).toBe(
        '"requests_per_minute";q=10;w=60, "requests_per_day";q=11;w=86400',
      )
      expect(reply.headers.get('ratelimit')).toMatch(/^"requests_per_minute";r=9;t=\d+, "requests_per_day";r=10;t=\d+$/)
      expect(reply.headers.get('x-ratelimit-limit')).toBe('10')
    }
    const anonymous = await app.anon.get('/usage')
    expect(anonymous.headers.get('ratelimit')).toBeNull()
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('of 50 concurrent requests exactly the limit is admitted', async () => {
    for (const meter of ['requests_per_minute', 'requests_per_day'] as const) {
      const key = await app.key({ limits: { requests_per_minute: 1000, requests_per_day: 1000, [meter]: 17 } })
      const replies = await Promise.all(Array.from({ length: 50 }, () => key.get('/taxonomy')))
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(17)
      const refused = replies.filter((reply) => reply.status === 429)
      expect(refused).toHaveLength(33)
      for (const reply of refused) expect(reply.body.error.param).toBe(meter)
    }
  })

  test.each(['requests_per_minute', 'requests_per_day'])(
    'of two requests on two servers that both saw room for one (%s), one is admitted',
    async (meter) => {
      const key = await app.key({ limits: { requests_per_minute: 1000, requests_per_day: 1000, [meter]: 2 } })
      const atSecondServer = await startSecondServer(app)
      await key.get('/taxonomy')
      const holder = await connectClient(app.deps.databaseUrl)
      onTestFinished(() => holder.end())
      await holder.query('begin')
      await holder.query('select from request_windows where account_id = $1 for update', [
        app.accountNumber(key.account),
      ])
      const replies = [key, atSecondServer(key)].map((caller) => caller.get('/taxonomy'))
      await expect.poll(() => countLockWaits(app.db)).toBe(2)
      await holder.query('rollback')
      expect((await Promise.all(replies)).map(({ status }) => status).sort()).toEqual([200, 429])
    },
  )
})

describe('who may call', () => {
  test('a lapsed account is told how to reactivate before its scope is checked', async () => {
    const key = await app.key({ scopes: ['usage:read'] })
    await app.setAccount(key.account, { status: 'past_due' })
    const number = app.accountNumber(key.account)
    await app.db.query("update accounts set subscription_id = 'sub_lapsed' where id = $1", [number])
    const refused = await key.get('/stores/window-shop.example')
    expect(refused.status).toBe(403)
    expect(refused.body.error).toMatchObject({
      type: 'permission_error',
      code: 'api_access_required',
      billing: { action: 'manage_billing', endpoint: '/api/v1/billing/portal-link' },
    })
    await app.setAccount(key.account, { status: 'canceled' })
    expect((await key.get('/usage')).body.error.billing).toMatchObject({ action: 'create_subscription_link' })
    await app.setAccount(key.account, { status: 'active' })
    expect((await key.get('/usage')).status).toBe(200)
  })

  test('a revoked, suspended or expired key is refused as such, a made-up one as invalid', async () => {
    const key = await app.key({})
    await app.suspendKey(key)
    expect((await key.get('/usage')).body.error.code).toBe('suspended_api_key')
    await app.resumeKey(key)
    expect((await key.get('/usage')).status).toBe(200)
    await app.revokeKey(key)
    expect((await key.get('/usage')).body.error.code).toBe('revoked_api_key')
    const shortLived = await app.keyOf(key.account, { expires: new Date(app.clock.now().getTime() + 1000) })
    expect((await shortLived.get('/usage')).status).toBe(200)
    app.clock.advance(1000)
    expect((await shortLived.get('/usage')).body.error.code).toBe('expired_api_key')
    for (const authorization of ['Bearer sdx_live_x', 'Basic abc', `Bearer ${key.secret}x`])
      expect((await app.anon.get('/usage', { authorization })).body.error.code).toBe('invalid_api_key')
    for (const headers of [{}, { authorization: 'Bearer' }])
      expect((await app.anon.get('/usage', headers)).body.error.code).toBe('missing_api_key')
  })
})
