import { afterEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import type { TestKey } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'
import { startAppWithStandin } from '../support/standin-app.ts'

const app = await startAppWithStandin('2026-03-10T08:00:00.000Z')
afterEach(() => app.control('/faults', { slow_ms: 0, fail_rate: 0, half_answer: 0 }))

const link = async (key: TestKey, plan: string) => (await key.post('/billing/subscription-link', { plan })).body
const pageOf = async ({ url }: Json) => {
  const page = await fetch(url)
  expect(page.status).toBe(200)
  return page.text()
}

test('billing links lead an account to a purchase, an upgrade, and the recovery of a failed payment', async () => {
  const key = await app.key({ scopes })
  await app.setAccount(key.account, { plan: 'free' })

  const checkout = await link(key, 'pro')
  expect(checkout).toMatchObject({ kind: 'checkout', expires_at: expect.any(String) })
  expect(await pageOf(checkout)).toContain('Pro')

  const { customer_id: customer } = await app.row(key.account)
  const { id, items } = await app.stripe('POST', '/v1/subscriptions', {
    customer,
    'items[0][price]': 'price_standin_pro_monthly',
    trial_period_days: 7,
  })
  const confirmation = await link(key, 'business')
  expect(confirmation).toMatchObject({ kind: 'subscription_update_confirm', target_plan: 'business' })
  expect(await pageOf(confirmation)).toContain('Business')

  await app.stripe('POST', `/v1/subscriptions/${id}`, {
    'items[0][id]': items.data[0].id,
    'items[0][price]': 'price_standin_business_monthly',
  })
  expect(await link(key, 'business')).toMatchObject({ error: { code: 'unsupported_plan_change' } })
  expect((await key.get('/usage')).body.plan.slug).toBe('business')

  await app.control(`/subscriptions/${id}/status`, { status: 'past_due' })
  const recovery = await link(key, 'business')
  expect(recovery).toMatchObject({ kind: 'billing_portal', target_plan: null })
  expect(await pageOf(recovery)).toContain('<h1>Add a card</h1>')
  const portal = (await key.post('/billing/portal-link', undefined)).body
  expect(await pageOf(portal)).toContain('Business')
  expect((await key.get('/billing/status')).body.plan).toMatchObject({ slug: 'business', status: 'past_due' })
})

test('a customer that the provider no longer knows is created again once, by the next purchase', async () => {
  const key = await app.key({ scopes })
  await app.setAccount(key.account, { plan: 'free' })
  await app.db.query("update accounts set customer_id = 'cus_gone' where id = $1", [app.accountNumber(key.account)])
  expect((await key.post('/billing/portal-link', {})).body).toMatchObject({
    error: { code: 'billing_account_not_found' },
  })
  const links = await Promise.all(['pro', 'business'].map((plan) => link(key, plan)))
  for (const each of links) expect(each).toMatchObject({ kind: 'checkout' })
  const { customer_id: customer } = await app.row(key.account)
  expect(customer).not.toBe('cus_gone')
  const { data } = await app.stripe('GET', '/v1/customers')
  const ofAccount = data.filter((each: Json) => each.metadata.storedex_account === key.account)
  expect(ofAccount.map((each: Json) => each.id)).toEqual([customer])
})

describe('links answer 503 without counting when the provider', () => {
  const expectUnavailable = async (key: TestKey) => {
    const requests = [
      key.post('/billing/subscription-link', { plan: 'business' }),
      key.post('/billing/portal-link', {}),
    ]
    for (const reply of await Promise.all(requests)) {
      expect({ status: reply.status, code: reply.body.error?.code }).toEqual({
        status: 503,
        code: 'billing_provider_unavailable',
      })
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await key.get('/billing/status')).status).toBe(200)
    await app.control('/faults', { slow_ms: 0, fail_rate: 0, half_answer: 0 })
    expect((await key.post('/billing/portal-link', {})).headers.get('x-ratelimit-remaining')).toBe('4')
  }

  test.each([
    ['answers 500', { fail_rate: 1, status: 500 }],
    ['breaks connections', { fail_rate: 1, status: 0 }],
    ['answers 429', { fail_rate: 1, status: 429 }],
    ['breaks off half way', { half_answer: 100 }],
    ['does not answer in time', { slow_ms: 20_000 }],
  ])('%s', async (_failure, faults) => {
    const key = await app.customer()
    await app.control('/faults', faults)
    await expectUnavailable(key)
  })
})
