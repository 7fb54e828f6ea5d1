import { beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { startSecondServer } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestKey } from '../../support/app.ts'
import type { TestClient, TestReply } from '../../support/client.ts'
import { createManualClock } from '../../support/fixtures.ts'

const right = '2026-11-10T12:00:00.000Z'
const rightMs = Date.parse(right)
const dayMs = 86_400_000
const steps = [
  ['a day', dayMs],
  ['31 days', 31 * dayMs],
  ['ten years', 3653 * dayMs],
] as const

const app = await startTestApp({ now: right })
await app.importStores([{ domain: 'clock-shop.example', name: 'Clock Shop' }])
const otherClock = createManualClock(right)
const atOther = await startSecondServer(app, {}, otherClock)
beforeEach(() => {
  app.clock.set(right)
  otherClock.set(right)
})

/** Every rate limit: how to call it, and how long a full window may block. */
const limits: Record<string, { call: (caller: TestClient) => Promise<TestReply>; windowSeconds: number }> = {
  requests_per_minute: { call: (caller) => caller.get('/taxonomy'), windowSeconds: 60 },
  requests_per_day: { call: (caller) => caller.get('/taxonomy'), windowSeconds: 86_400 },
  billing_status_per_hour: { call: (caller) => caller.get('/billing/status'), windowSeconds: 3_600 },
  // With a test key, links need no payment provider.
  billing_links_per_hour: {
    call: (caller) => caller.post('/billing/portal-link', undefined),
    windowSeconds: 3_600,
  },
}
const limited = (limit: string): Promise<TestKey> => app.key({ scopes, mode: 'test', limits: { [limit]: 2 } })

/** Two calls pass; the third is rejected for at most the length of a window. */
async function expectTwoThenRefused(caller: TestClient, limit: string): Promise<void> {
  const { call, windowSeconds } = limits[limit]!
  for (const remaining of ['1', '0']) {
    const reply = await call(caller)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-ratelimit-remaining')).toBe(remaining)
  }
  const refused = await call(caller)
  expect(refused.status).toBe(429)
  const retryAfter = Number(refused.headers.get('retry-after'))
  expect(retryAfter).toBeGreaterThan(0)
  expect(retryAfter).toBeLessThanOrEqual(windowSeconds)
}

describe.each(Object.keys(limits))('%s', (limit) => {
  test.each(steps)('used up by a clock %s ahead, it is available again once the clock is right', async (_, stepMs) => {
    const key = await limited(limit)
    app.clock.set(new Date(rightMs + stepMs))
    await expectTwoThenRefused(key, limit)
    app.clock.set(right)
    await expectTwoThenRefused(key, limit)
  })

  test.each(steps)('used up by a clock %s behind, it is available again once the clock is right', async (_, stepMs) => {
    const key = await limited(limit)
    app.clock.set(new Date(rightMs - stepMs))
    await expectTwoThenRefused(key, limit)
    app.clock.set(right)
    await expectTwoThenRefused(key, limit)
  })

  test.each(steps)('a server whose clock is off by %s blocks no requests on another one', async (_, stepMs) => {
    for (const offMs of [stepMs, -stepMs]) {
      const key = await limited(limit)
      otherClock.set(new Date(rightMs + offMs))
      await expectTwoThenRefused(atOther(key), limit)
      await expectTwoThenRefused(key, limit)
      await expectTwoThenRefused(atOther(key), limit)
    }
  })
})

describe('clocks that differ by at most a minute', () => {
  test.each(['requests_per_minute', 'billing_status_per_hour', 'billing_links_per_hour'])(
    'share the window of %s',
    async (limit) => {
      const { call, windowSeconds } = limits[limit]!
      const [near, far] = [await limited(limit), await limited(limit)]
      otherClock.set(new Date(rightMs + 60_000))
      await expectTwoThenRefused(atOther(near), limit)
      const refused = await call(near)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe(String(windowSeconds + 60))
      otherClock.set(new Date(rightMs + 60_001))
      await expectTwoThenRefused(atOther(far), limit)
      await expectTwoThenRefused(far, limit)
    },
  )

  test('share the day that one of them has already started', async () => {
    const [near, far] = [await limited('requests_per_day'), await limited('requests_per_day')]
    otherClock.set('2026-11-11T00:00:00.000Z')
    for (const key of [near, far]) await expectTwoThenRefused(atOther(key), 'requests_per_day')
    app.clock.set('2026-11-10T23:59:00.000Z')
    const refused = await near.get('/taxonomy')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '86460'])
    app.clock.set('2026-11-10T23:58:59.999Z')
    await expectTwoThenRefused(far, 'requests_per_day')
  })
})

test('an uncounted request is removed from the window that its own clock opened', async () => {
  const key = await app.key({ limits: { requests_per_minute: 5, search_rows: 1 } })
  app.clock.set(new Date(rightMs + 31 * dayMs))
  await key.get('/taxonomy')
  app.clock.set(right)
  for (let i = 0; i < 3; i++) {
    const refused = await key.post('/stores/search', { limit: 2, filters: {} })
    expect(refused.body.error.param).toBe('search_rows')
    expect(refused.headers.get('ratelimit')).toMatch(/"requests_per_minute";r=5;.*"requests_per_day";r=5000;/)
  }
  expect((await key.get('/usage')).body.api_requests.used).toBe(1)
})

test.each(steps)('exports used up by a clock %s ahead or behind do not reduce those of today', async (_, stepMs) => {
  for (const offMs of [stepMs, -stepMs]) {
    const key = await app.key({ limits: { store_exports: 1 }, periodStart: right })
    app.clock.set(new Date(rightMs + offMs))
    expect((await key.get('/stores/clock-shop.example')).status).toBe(200)
    app.clock.set(right)
    expect((await key.get('/stores/clock-shop.example')).status).toBe(200)
  }
})
