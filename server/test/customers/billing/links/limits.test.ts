import { describe, expect, test } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import type { TestKey } from '../../../support/app.ts'
import type { TestReply } from '../../../support/client.ts'
import { expectLimited, startAppWithTestProvider } from '../support/test-provider-app.ts'

const { app, provider, free, customer } = await startAppWithTestProvider()

const readStatus = (key: TestKey) => key.get('/billing/status')
const subscribe = (key: TestKey, plan = 'business') => key.post('/billing/subscription-link', { plan })
const manage = (key: TestKey) => key.post('/billing/portal-link', undefined)

const rateHeaders = ({ headers }: TestReply) => ({
  policy: headers.get('ratelimit-policy'),
  state: headers.get('ratelimit'),
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  reset: headers.get('x-ratelimit-reset'),
})
const epochOf = (moment: Date) => String(Math.ceil(moment.getTime() / 1000))
const requestsOf = async (key: TestKey) => {
  const { rows } = await app.db.query('select minute_used, day_used from request_windows where account_id = $1', [
    app.accountNumber(key.account),
  ])
  return rows[0]
}

describe('billing status checks', () => {
  test('are limited to 60 in the hour that starts with the first, and count against no other limit', async () => {
    const key = await app.key({ scopes, limits: { requests_per_minute: 0 } })
    const opened = app.clock.now()
    for (let left = 59; left >= 0; left--) {
      const reply = await readStatus(key)
      expect(reply.status).toBe(200)
      expect(rateHeaders(reply)).toEqual({
        policy: '"billing_status";q=60;w=3600',
        state: `"billing_status";r=${left};t=3600`,
        limit: '60',
        remaining: String(left),
        reset: epochOf(new Date(opened.getTime() + 3_600_000)),
      })
    }
    app.clock.advance(600_000)
    const refused = await readStatus(key)
    expectLimited(refused, 'billing_status')
    expect(refused.headers.get('retry-after')).toBe('3000')
    expect(refused.body.error.message).toMatch(/60 billing status checks/)
    app.clock.advance(2_999_999)
    expectLimited(await readStatus(key), 'billing_status')
    app.clock.advance(1)
    expect((await readStatus(key)).headers.get('x-ratelimit-remaining')).toBe('59')
    expect(await requestsOf(key)).toBeUndefined()
  })

  test('that are refused do not count, and write nothing once the limit is reached', async () => {
    const key = await app.key({ scopes, limits: { billing_status_per_hour: 1 } })
    const unscoped = await app.keyOf(key.account, { scopes: ['usage:read'] })
    const refused = await readStatus(unscoped)
    expect({ status: refused.status, param: refused.body.error.param }).toEqual({ status: 403, param: 'billing:read' })
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('1')
    expect((await readStatus(key)).status).toBe(200)
    const version = async () => (await app.db.query('select xmin::text, xmax::text from billing_windows')).rows
    const before = await version()
    expectLimited(await readStatus(key), 'billing_status')
    // The limit is checked before the scope.
    expectLimited(await readStatus(unscoped), 'billing_status')
    expect(await version()).toEqual(before)
  })

  test('sent concurrently are admitted exactly up to the limit', async () => {
    const key = await app.key({ scopes, limits: { billing_status_per_hour: 17 } })
    const replies = await Promise.all(Array.from({ length: 50 }, () => readStatus(key)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(17)
    for (const reply of replies.filter(({ status }) => status !== 200)) expectLimited(reply, 'billing_status')
  })

  test('are counted per account and mode, with the limit of the plan in force', async () => {
    const plans = structuredClone(app.deps.plans)
    plans.plans.business.limits.billing_status_per_hour = 2
    const { app: other } = await startAppWithTestProvider({ plans })
    const key = await other.key({ scopes, plan: 'business' })
    const again = await other.keyOf(key.account, { scopes })
    const sandbox = await other.keyOf(key.account, { scopes, mode: 'test' })
    expect([(await readStatus(key)).status, (await readStatus(again)).status]).toEqual([200, 200])
    expectLimited(await readStatus(key), 'billing_status')
    expect((await readStatus(sandbox)).status).toBe(200)
    await other.setAccount(key.account, { plan: 'pro' })
    expect((await readStatus(key)).headers.get('x-ratelimit-remaining')).toBe('57')
  })
})

describe('billing links', () => {
  test('are limited to five an hour of both kinds together, and count against minute and day as well', async () => {
    const key = await customer({})
    const opened = app.clock.now()
    for (const [i, ask] of [subscribe, manage, subscribe, manage, manage].entries()) {
      const reply = await ask(key)
      expect(reply.status).toBe(200)
      expect(rateHeaders(reply)).toEqual({
        policy: '"requests_per_minute";q=60;w=60, "requests_per_day";q=5000;w=86400, "billing_links";q=5;w=3600',
        state: expect.stringMatching(
          `^"requests_per_minute";r=${59 - i};t=60, "requests_per_day";r=${4999 - i};t=\\d+, "billing_links";r=${4 - i};t=3600$`,
        ),
        limit: '5',
        remaining: String(4 - i),
        reset: epochOf(new Date(opened.getTime() + 3_600_000)),
      })
    }
    app.clock.advance(10_000)
    for (const ask of [subscribe, manage]) {
      const refused = await ask(key)
      expectLimited(refused, 'billing_links')
      expect(refused.headers.get('retry-after')).toBe('3590')
    }
    expect(await requestsOf(key)).toEqual({ minute_used: 5, day_used: 5 })
    app.clock.advance(3_590_000)
    expect((await manage(key)).headers.get('x-ratelimit-remaining')).toBe('4')
  })

  test('count only if they are created', async () => {
    const key = await customer({})
    provider.before = (call) => {
      if (call === 'createPortal') throw new Refusal('billing_provider_unavailable', 'The provider is away.')
    }
    const attempts = [
      await subscribe(key, 'pro'),
      await subscribe(key, 'free'),
      await manage(key),
      await key.post('/billing/portal-link', { more: 1 }),
      await manage(await free()),
    ]
    provider.before = () => {}
    expect(attempts.map(({ status }) => status)).toEqual([409, 400, 503, 400, 404])
    for (const attempt of attempts)
      expect(attempt.headers.get('ratelimit') ?? '"billing_links";r=5;').toContain('"billing_links";r=5;')
    expect(await requestsOf(key)).toEqual({ minute_used: 4, day_used: 4 })
    for (let i = 0; i < 5; i++) expect((await manage(key)).status).toBe(200)
    expectLimited(await manage(key), 'billing_links')
  })

  test('requested concurrently are never more than five, and the refused requests do not count', async () => {
    const key = await customer({})
    const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? subscribe(key) : manage(key))))
    const made = replies.filter(({ status }) => status === 200)
    expect(made).toHaveLength(5)
    for (const reply of replies.filter(({ status }) => status !== 200)) expectLimited(reply, 'billing_links')
    expect(new Set(made.map(({ body }) => body.url)).size).toBe(5)
    expect(await requestsOf(key)).toEqual({ minute_used: 5, day_used: 5 })
  })

  test('requested concurrently with some failures are five in the end', async () => {
    const key = await customer({})
    let calls = 0
    provider.before = (call) => {
      if (call === 'createPortal' && ++calls % 2) throw new Refusal('billing_provider_unavailable', 'Away.')
    }
    let made = 0
    for (let round = 0; round < 6; round++) {
      const replies = await Promise.all(Array.from({ length: 3 }, () => manage(key)))
      made += replies.filter(({ status }) => status === 200).length
    }
    provider.before = () => {}
    for (let i = 0; i < 5; i++) if ((await manage(key)).status === 200) made++
    expect(made).toBe(5)
  })

  test('are refused when the limit of the minute or the day is reached, like any request', async () => {
    for (const limit of ['requests_per_minute', 'requests_per_day']) {
      const key = await free({ [limit]: 1 })
      expect((await subscribe(key)).status).toBe(200)
      const refused = await subscribe(key)
      expectLimited(refused, limit)
      // The headers show the reached limit, not the hourly one.
      expect(rateHeaders(refused)).toMatchObject({ limit: '1', remaining: '0' })
    }
  })

  test('over the hourly limit are refused before scope and body are checked', async () => {
    const key = await free({ billing_links_per_hour: 1 })
    const unscoped = await app.keyOf((await app.key({ scopes: [], limits: { billing_links_per_hour: 0 } })).account, {
      scopes: [],
    })
    expect((await subscribe(key)).status).toBe(200)
    expectLimited(await subscribe(key, 'nonsense'), 'billing_links')
    expectLimited(await subscribe(unscoped), 'billing_links')
  })

  test('of test keys have their own hourly limit', async () => {
    const key = await app.key({ scopes, limits: { billing_links_per_hour: 1 } })
    const sandbox = await app.keyOf(key.account, { scopes, mode: 'test' })
    expect([(await subscribe(key)).status, (await subscribe(sandbox)).status]).toEqual([200, 200])
    expectLimited(await subscribe(key), 'billing_links')
    expectLimited(await manage(sandbox), 'billing_links')
  })
})
