import { describe, expect, test } from 'vitest'
import { startAppWithStandin } from '../support/standin-app.ts'
import { newOwner, subscribe, withBilling } from './support/console-billing.ts'

const app = await startAppWithStandin('2026-03-10T08:00:00.000Z')

describe('the billing page’s facts', () => {
  test('are the API’s billing status, for a viewer too', async () => {
    const owner = await newOwner(app, { name: 'Mara Owner' })
    await subscribe(app, owner.customerId, 'business_annual')
    await expect.poll(async () => (await owner.billing()).api_access.enabled).toBe(true)
    const key = await app.keyOf(owner.account, { scopes: ['billing:read'] })
    const viewer = withBilling(await app.person({ account: owner.account, role: 'viewer' }))
    const { object: _, request_id: __, contact_credits: credits, ...status } = (await key.get('/billing/status')).body
    const seen = await viewer.billing()
    expect(seen).toMatchObject({ ...status, contact_credits: credits, object: 'billing' })
    expect(seen).toMatchObject({
      plan: { slug: 'business', billing: 'annual', status: 'active' },
      contact_credits: { total: 5_000, paid_plan_total: 5_000, renews_at: '2026-04-10T08:00:00.000Z' },
      next: { kind: 'renews', at: '2027-03-10T08:00:00.000Z' },
      granted: false,
      has_payment_method: true,
      owners: [{ id: owner.id, name: 'Mara Owner', email: owner.email }],
    })
  })

  test('say what happens next', async () => {
    const owner = await newOwner(app)
    expect(await owner.billing()).toMatchObject({
      plan: { slug: 'free' },
      api_access: { enabled: false },
      next: { kind: 'none', at: null },
      former: null,
    })
    const { id } = await subscribe(app, owner.customerId, 'pro_monthly', { trial_period_days: 14 })
    const next = async () => (await owner.billing()).next
    await expect.poll(next).toEqual({ kind: 'trial_ends', at: '2026-03-24T08:00:00.000Z' })
    await app.stripe('POST', `/v1/subscriptions/${id}`, { trial_end: 'now' })
    await expect.poll(next).toEqual({ kind: 'renews', at: '2026-04-10T08:00:00.000Z' })
    await app.stripe('POST', `/v1/subscriptions/${id}`, { cancel_at_period_end: 'true' })
    await expect.poll(next).toEqual({ kind: 'ends', at: '2026-04-10T08:00:00.000Z' })
    await app.control(`/subscriptions/${id}/status`, { status: 'past_due' })
    await expect.poll(next).toEqual({ kind: 'past_due', at: null })
    await app.stripe('DELETE', `/v1/subscriptions/${id}`)
    await expect.poll(next).toEqual({ kind: 'none', at: null })
    expect(await owner.billing()).toMatchObject({
      plan: { slug: 'free', status: 'canceled' },
      api_access: { enabled: false },
      former: { plan: 'pro', billing: 'monthly' },
    })
  })

  test('tell a granted plan and a suspended account', async () => {
    const owner = withBilling(await app.person({ plan: 'enterprise' }))
    expect(await owner.billing()).toMatchObject({
      granted: true,
      next: { kind: 'none', at: null },
      closed: null,
      has_billing_account: false,
    })
    await app.db.query('update accounts set suspended_at = $2 where id = $1', [
      app.accountNumber(owner.account),
      app.clock.now(),
    ])
    expect(await owner.billing()).toMatchObject({
      api_access: { enabled: false },
      closed: 'This account is suspended; contact its operator.',
    })
    const { data } = await owner.plans()
    expect(data.flatMap(({ offers }: { offers: { change: string }[] }) => offers.map(({ change }) => change))).toEqual(
      Array(6).fill('support'),
    )
  })
})
