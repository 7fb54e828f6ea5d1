import { describe, expect, test } from 'vitest'
import { knownStatuses } from '../../src/accounts/account.ts'
import { planSlugs } from '../../src/accounts/plans.ts'
import { scopes } from '../../src/auth/caller.ts'
import type { TestKey } from '../support/app.ts'
import { spendCredits } from '../usage/support/spend.ts'
import { startLinksWorld } from './support/test-provider-app.ts'

const { app, provider, free, customer } = await startLinksWorld()

const check = async (key: TestKey) => {
  const reply = await key.get('/billing/status')
  expect(reply.status).toBe(200)
  expect(reply.headers.get('cache-control')).toBe('no-store')
  const { request_id, ...status } = reply.body
  expect(request_id).toBe(reply.headers.get('x-request-id'))
  return status
}
/** Has what the provider says be heard, as an event of it would. */
const hear = (key: TestKey) => key.post('/billing/subscription-link', { plan: 'business' })

describe('billing status', () => {
  test('tells a plan granted by hand', async () => {
    const key = await app.key({ scopes, plan: 'business' })
    expect(await check(key)).toEqual({
      object: 'billing_status',
      plan: {
        slug: 'business',
        name: 'Business',
        status: 'active',
        billing: null,
        trial: { active: false, ends_at: null },
        cancel_at_period_end: false,
        current_period_end: null,
      },
      api_access: { enabled: true },
      contact_credits: { total: 5000, used: 0, remaining: 5000 },
      has_billing_account: false,
      actions: { can_create_subscription_link: true, can_manage_billing: false },
    })
  })

  test('tells a subscription as the provider has it', async () => {
    const key = await customer({
      status: 'trialing',
      offer: { plan: 'pro', billing: 'annual' },
      trialStart: new Date('2026-11-05T00:00:00.000Z'),
      trialEnd: new Date('2026-11-19T00:00:00.000Z'),
      currentPeriodEnd: new Date('2026-11-19T00:00:00.000Z'),
      cancelAtPeriodEnd: true,
    })
    await hear(key)
    expect(await check(key)).toMatchObject({
      plan: {
        slug: 'pro',
        status: 'trialing',
        billing: 'annual',
        trial: { active: true, ends_at: '2026-11-19T00:00:00.000Z' },
        cancel_at_period_end: true,
        current_period_end: '2026-11-19T00:00:00.000Z',
      },
      api_access: { enabled: true },
      contact_credits: { total: 250 },
      has_billing_account: true,
      actions: { can_create_subscription_link: true, can_manage_billing: true },
    })
  })

  test('tells a subscription that has ended as plan free, with its word', async () => {
    const key = await customer({ status: 'canceled', cancelAtPeriodEnd: true })
    await hear(key)
    expect(await check(key)).toMatchObject({
      plan: {
        slug: 'free',
        status: 'canceled',
        billing: null,
        cancel_at_period_end: false,
        current_period_end: null,
      },
      api_access: { enabled: false },
      has_billing_account: true,
    })
  })

  test('tells the credits that GET /usage tells, in the mode of the key', async () => {
    const key = await app.key({ scopes, trialEnds: '2026-11-20T00:00:00.000Z' })
    await spendCredits(app, key, 30)
    const { total, used, remaining } = (await key.get('/usage')).body.contact_credits
    expect((await check(key)).contact_credits).toEqual({ total, used, remaining })
    expect({ total, used, remaining }).toEqual({ total: 250, used: 30, remaining: 220 })
    const sandbox = await app.keyOf(key.account, { scopes, mode: 'test' })
    expect((await check(sandbox)).contact_credits.used).toBe(0)
  })

  test('asks nothing of the provider', async () => {
    const key = await customer({})
    provider.calls.length = 0
    await check(key)
    expect(provider.calls).toEqual([])
  })
})

describe('what can be done', () => {
  const linksOf = async (key: TestKey) => {
    const asked = planSlugs
      .slice(1)
      .flatMap((plan) =>
        ['monthly', 'annual'].map((billing) => key.post('/billing/subscription-link', { plan, billing })),
      )
    return (await Promise.all(asked)).some(({ status }) => status === 200)
  }

  test('is what a link answers, for a subscription of any kind', async () => {
    provider.unsold.add('enterprise_annual')
    for (const status of knownStatuses.slice(1))
      for (const offer of [
        { plan: 'pro', billing: 'monthly' },
        { plan: 'enterprise', billing: 'monthly' },
        null,
      ] as const) {
        const key = await customer({ status, offer })
        const isPossible = await linksOf(key)
        const { actions, api_access } = await check(key)
        expect(actions, `${status} ${offer?.plan}`).toEqual({
          can_create_subscription_link: isPossible,
          can_manage_billing: true,
        })
        expect(api_access.enabled).toBe((await key.get('/usage')).status === 200)
      }
    provider.unsold.clear()
  })

  test('is what a link answers, for a plan granted by hand', async () => {
    for (const plan of planSlugs)
      for (const status of ['active', 'past_due', 'none'] as const) {
        const key = await free()
        await app.setAccount(key.account, { plan, status })
        expect((await check(key)).actions, `${plan} ${status}`).toEqual({
          can_create_subscription_link: await linksOf(key),
          can_manage_billing: false,
        })
      }
  })

  test('is nothing by link while two subscriptions contradict each other', async () => {
    const key = await customer({ id: 'sub_2' }, {})
    await hear(key)
    expect((await check(key)).actions).toEqual({ can_create_subscription_link: false, can_manage_billing: true })
  })
})
