import { expect, test, vi } from 'vitest'
import { claimInBillingWindow } from '../../../src/auth/billing-window-queries.ts'
import { ApiError } from '../../../src/kernel/errors.ts'
import type { TestKey } from '../../support/app.ts'
import { expectLimited, heldPromise, startLinksWorld } from '../support/test-provider-app.ts'

const { app, provider, customer } = await startLinksWorld()
const patience = { timeout: 20_000 }
const manage = (key: TestKey) => key.post('/billing/portal-link', undefined)

test('links that are being made hold their places for a moment, and give them back when they come to nothing', async () => {
  const key = await customer({})
  const { promise: decided, resolve: decide } = heldPromise<boolean>()
  let asked = 0
  provider.before = async (call) => {
    if (call !== 'createPortal') return
    asked += 1
    if (!(await decided)) throw new ApiError('billing_provider_unavailable', 'Away.')
  }
  const five = Array.from({ length: 5 }, () => manage(key))
  await vi.waitUntil(() => asked === 5, patience)
  const sixth = await manage(key)
  expectLimited(sixth, 'billing_links')
  // Nothing is used yet, and soon it will be known what becomes of them.
  expect(sixth.headers.get('retry-after')).toBe('5')
  expect(sixth.headers.get('x-ratelimit-remaining')).toBe('5')
  expect(sixth.body.error.message).toContain('All 5 billing links of this hour are made or being made')
  decide(false)
  for (const { status } of await Promise.all(five)) expect(status).toBe(503)
  provider.before = () => {}
  for (let left = 4; left >= 0; left--)
    expect((await manage(key)).headers.get('x-ratelimit-remaining')).toBe(String(left))
  expect((await manage(key)).headers.get('retry-after')).toBe('3600')
})

test('links that a crash left half made cost nothing but a moment', async () => {
  const key = await customer({})
  const claim = { accountId: app.accountNumber(key.account), mode: 'live', kind: 'billing_links' } as const
  const now = app.clock.now()
  for (let i = 0; i < 5; i++) {
    const until = new Date(now.getTime() + 15_000)
    expect(await claimInBillingWindow(app.db, { ...claim, until }, { now, claimedAt: now, limit: 5 })).toBe(true)
  }
  expectLimited(await manage(key), 'billing_links')
  app.clock.advance(14_999)
  expectLimited(await manage(key), 'billing_links')
  app.clock.advance(1)
  for (let left = 4; left >= 0; left--)
    expect((await manage(key)).headers.get('x-ratelimit-remaining')).toBe(String(left))
  expectLimited(await manage(key), 'billing_links')
})

test.each([1, 31, 3653])(
  'links half made by a clock that ran %i days ahead hold no places once it is right',
  async (days) => {
    const key = await customer({})
    const claim = { accountId: app.accountNumber(key.account), mode: 'live', kind: 'billing_links' } as const
    const ahead = new Date(app.clock.now().getTime() + days * 86_400_000)
    const until = new Date(ahead.getTime() + 15_000)
    for (let i = 0; i < 5; i++)
      expect(await claimInBillingWindow(app.db, { ...claim, until }, { now: ahead, claimedAt: ahead, limit: 5 })).toBe(
        true,
      )
    for (let left = 4; left >= 0; left--)
      expect((await manage(key)).headers.get('x-ratelimit-remaining')).toBe(String(left))
    expectLimited(await manage(key), 'billing_links')
  },
)

test('links that took so long that their place went to another are not handed out', async () => {
  const key = await customer({})
  await app.setAccount(key.account, { limits: { billing_links_per_hour: 1 } })
  const { promise: decided, resolve: decide } = heldPromise<void>()
  let asked = 0
  provider.before = (call) => (call === 'createPortal' && ++asked === 1 ? decided : undefined)
  const slow = manage(key)
  await vi.waitUntil(() => asked === 1, patience)
  app.clock.advance(15_000)
  expect((await manage(key)).status).toBe(200)
  decide()
  const late = await slow
  provider.before = () => {}
  expect([late.status, late.body.error.code]).toEqual([503, 'billing_provider_unavailable'])
  expectLimited(await manage(key), 'billing_links')
})
