import { expect, test, vi } from 'vitest'
import { claimInBillingWindow } from '../../../../src/customers/admission/billing-window-queries.ts'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import type { TestKey } from '../../../support/app.ts'
import { deferred, expectLimited, startAppWithTestProvider } from '../support/test-provider-app.ts'

const { app, provider, customer } = await startAppWithTestProvider()
const waitOptions = { timeout: 20_000 }
const manage = (key: TestKey) => key.post('/billing/portal-link', undefined)

test('links that are being created claim slots of the hour, and release them if the creation fails', async () => {
  const key = await customer({})
  const { promise: decided, resolve: decide } = deferred<boolean>()
  let started = 0
  provider.before = async (call) => {
    if (call !== 'createPortal') return
    started += 1
    if (!(await decided)) throw new Refusal('billing_provider_unavailable', 'Away.')
  }
  const five = Array.from({ length: 5 }, () => manage(key))
  await vi.waitUntil(() => started === 5, waitOptions)
  const sixth = await manage(key)
  expectLimited(sixth, 'billing_links')
  // Nothing is used yet, and the claims will be settled soon.
  expect(sixth.headers.get('retry-after')).toBe('5')
  expect(sixth.headers.get('x-ratelimit-remaining')).toBe('5')
  expect(sixth.body.error.message).toContain('All 5 billing links of this hour are used or being created')
  decide(false)
  for (const { status } of await Promise.all(five)) expect(status).toBe(503)
  provider.before = () => {}
  for (let left = 4; left >= 0; left--)
    expect((await manage(key)).headers.get('x-ratelimit-remaining')).toBe(String(left))
  expect((await manage(key)).headers.get('retry-after')).toBe('3600')
})

test('claims left by a crash expire after 15 seconds', async () => {
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

test.each([1, 31, 3653])('claims of a clock that ran %i days ahead do not count once it is right', async (days) => {
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
})

test('a link that took longer than its claim is not returned', async () => {
  const key = await customer({})
  await app.setAccount(key.account, { limits: { billing_links_per_hour: 1 } })
  const { promise: decided, resolve: decide } = deferred<void>()
  let started = 0
  provider.before = (call) => (call === 'createPortal' && ++started === 1 ? decided : undefined)
  const slow = manage(key)
  await vi.waitUntil(() => started === 1, waitOptions)
  app.clock.advance(15_000)
  expect((await manage(key)).status).toBe(200)
  decide()
  const late = await slow
  provider.before = () => {}
  expect([late.status, late.body.error.code]).toEqual([503, 'billing_provider_unavailable'])
  expectLimited(await manage(key), 'billing_links')
})
