import { describe, expect, test } from 'vitest'
import { knownStatuses } from '../../../src/customers/accounts/account.ts'
import { planSlugs } from '../../../src/customers/accounts/plans.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import type { TestKey } from '../../support/app.ts'
import { spendCredits } from '../ledger/support/spend.ts'
import { startAppWithTestProvider } from './support/test-provider-app.ts'

const { app, provider, free, customer } = await startAppWithTestProvider()

const readStatus = async (key: TestKey) => {
  const reply = await key.get('/billing/status')
  expect(reply.status).toBe(200)
  expect(reply.headers.get('cache-control')).toBe('no-store')
  const { request_id, ...status } = reply.body
  expect(request_id).toBe(reply.headers.get('x-request-id'))
  return status
}
/** Syncs the account with the provider, as an event would. */
const sync = (key: TestKey) => key.post('/billing/subscription-link', { plan: 'business' })

describe('GET /billing/status', () => {
  test('shows a plan granted by hand', async () => {
    const key = await app.key({ scopes, plan: 'business' })
    expect(await readStatus(key)).toEqual({
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

  test('shows a subscription as it is at the provider', async () => {
    const key = await customer({
      status: 'trialing',
      offer: { plan: 'pro', billing: 'annual' },
      trialStart: new Date('2026-11-05T00:00:00.000Z'),
      trialEnd: new Date('2026-11-19T00:00:00.000Z'),
      currentPeriodEnd: new Date('2026-11-19T00:00:00.000Z'),
      cancelAtPeriodEnd: true,
    })
    await sync(key)
    expect(await readStatus(key)).toMatchObject({
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

  test('shows plan free and the status of a subscription that has ended', async () => {
    const key = await customer({ status: 'canceled', cancelAtPeriodEnd: true })
    await sync(key)
    expect(await readStatus(key)).toMatchObject({
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

  test('shows the same credits as GET /usage, in the mode of the key', async () => {
    const key = await app.key({ scopes, trialEnds: '2026-11-20T00:00:00.000Z' })
    await spendCredits(app, key, 30)
    const { total, used, remaining } = (await key.get('/usage')).body.contact_credits
    expect((await readStatus(key)).contact_credits).toEqual({ total, used, remaining })
    expect({ total, used, remaining }).toEqual({ total: 250, used: 30, remaining: 220 })
    const sandbox = await app.keyOf(key.account, { scopes, mode: 'test' })
    expect((await readStatus(sandbox)).contact_credits.used).toBe(0)
  })

  test('does not call the provider', async () => {
    const key = await customer({})
    provider.calls.length = 0
    await readStatus(key)
    expect(provider.calls).toEqual([])
  })
})

describe('the actions of GET /billing/status', () => {
  const canCreateLink = async (key: TestKey) => {
    const replies = planSlugs
      .slice(1)
      .flatMap((plan) =>
        ['monthly', 'annual'].map((billing) => key.post('/billing/subscription-link', { plan, billing })),
      )
    return (await Promise.all(replies)).some(({ status }) => status === 200)
  }

  test('agree with the links that can be created, for every subscription status', async () => {
    provider.unsold.add('enterprise_annual')
    for (const status of knownStatuses.slice(1))
      for (const offer of [
        { plan: 'pro', billing: 'monthly' },
        { plan: 'enterprise', billing: 'monthly' },
        null,
      ] as const) {
        const key = await customer({ status, offer })
        const isPossible = await canCreateLink(key)
        const { actions, api_access } = await readStatus(key)
        expect(actions, `${status} ${offer?.plan}`).toEqual({
          can_create_subscription_link: isPossible,
          can_manage_billing: true,
        })
        expect(api_access.enabled).toBe((await key.get('/usage')).status === 200)
      }
    provider.unsold.clear()
  })

  test('agree with the links that can be created, for a plan granted by hand', async () => {
    for (const plan of planSlugs)
      for (const status of ['active', 'past_due', 'none'] as const) {
        const key = await free()
        await app.setAccount(key.account, { plan, status })
        expect((await readStatus(key)).actions, `${plan} ${status}`).toEqual({
          can_create_subscription_link: await canCreateLink(key),
          can_manage_billing: false,
        })
      }
  })

  test('include no subscription link while two subscriptions are running', async () => {
    const key = await customer({ id: 'sub_2' }, {})
    await sync(key)
    expect((await readStatus(key)).actions).toEqual({ can_create_subscription_link: false, can_manage_billing: true })
  })
})
