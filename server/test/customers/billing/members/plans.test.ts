import { afterEach, describe, expect, test } from 'vitest'
import type { Json } from '../../../support/client.ts'
import { startAppWithStandin } from '../support/standin-app.ts'
import { type BillingUser, newOwner, subscribe, withBilling } from './support/console-billing.ts'

const app = await startAppWithStandin('2026-03-10T08:00:00.000Z')
afterEach(() => app.control('/faults', { slow_ms: 0, fail_rate: 0, half_answer: 0 }))

/** `pro monthly: upgrade by subscription_update_confirm` for every offer. */
const changesOf = async (user: BillingUser) =>
  (await user.plans()).data.flatMap(({ slug, offers }: Json) =>
    offers.map(({ billing, change, link }: Json) => `${slug} ${billing}: ${change}${link ? ` by ${link}` : ''}`),
  )

// First: prices are read once, and then known.
test('prices are left out while the provider does not answer, and the plans are still there', async () => {
  const owner = await newOwner(app)
  await app.control('/faults', { fail_rate: 1, status: 500 })
  const without = await owner.plans()
  expect(without.data.map(({ slug }: Json) => slug)).toEqual(['free', 'pro', 'business', 'enterprise'])
  expect(without.data.flatMap(({ offers }: Json) => offers.map(({ price }: Json) => price))).toEqual(
    Array(6).fill(null),
  )
  await app.control('/faults', { fail_rate: 0 })
  expect((await owner.plans()).data[1].offers[0].price).not.toBeNull()
})

test('every plan of the plan file has its figures and the provider’s prices', async () => {
  const owner = await newOwner(app)
  await app.setAccount(owner.account, { limits: { search_rows: 50_000 } })
  const { data, has_more } = await owner.plans()
  expect(has_more).toBe(false)
  expect(data[0]).toMatchObject({ slug: 'free', current: true, offers: [], limits: { contact_credits: 0 } })
  expect(data[2]).toMatchObject({
    slug: 'business',
    name: 'Business',
    current: false,
    // An override of the account holds on every plan.
    limits: { contact_credits: 5_000, store_exports: 25_000, search_rows: 50_000 },
  })
  const prices = data.flatMap(({ slug, offers }: Json) =>
    offers.map(({ billing, for_sale, price }: Json) => [slug, billing, for_sale, price.interval, price.currency]),
  )
  expect(prices).toHaveLength(6)
  expect(prices[0]).toEqual(['pro', 'monthly', true, 'month', 'usd'])
  expect(prices[5]).toEqual(['enterprise', 'annual', true, 'year', 'usd'])
})

describe('what an offer means, and which page leads there, for an account', () => {
  test('without a plan', async () => {
    expect(new Set((await changesOf(await newOwner(app))).map((text: string) => text.split(': ')[1]))).toEqual(
      new Set(['buy by checkout']),
    )
  })

  test('with a subscription', async () => {
    const owner = await newOwner(app)
    await subscribe(app, owner.customerId, 'business_monthly')
    await expect
      .poll(() => changesOf(owner))
      .toEqual([
        'pro monthly: downgrade by billing_portal',
        'pro annual: downgrade by billing_portal',
        'business monthly: current',
        'business annual: upgrade by subscription_update_confirm',
        'enterprise monthly: upgrade by subscription_update_confirm',
        'enterprise annual: upgrade by subscription_update_confirm',
      ])
  })

  test('on a trial, and with a failed payment', async () => {
    const owner = await newOwner(app)
    const { id } = await subscribe(app, owner.customerId, 'pro_monthly', { trial_period_days: 7 })
    await expect.poll(async () => (await changesOf(owner))[0]).toBe('pro monthly: end_trial')
    await app.control(`/subscriptions/${id}/status`, { status: 'past_due' })
    await expect.poll(async () => (await changesOf(owner))[0]).toBe('pro monthly: recover by billing_portal')
  })

  test('with a plan that the operator granted', async () => {
    const owner = withBilling(await app.person({ plan: 'business' }))
    expect(await changesOf(owner)).toEqual([
      'pro monthly: downgrade',
      'pro annual: downgrade',
      'business monthly: current',
      'business annual: current',
      'enterprise monthly: upgrade by checkout',
      'enterprise annual: upgrade by checkout',
    ])
  })

  test('is what its link then does', async () => {
    const owner = await newOwner(app)
    const compare = async () => {
      await app.setAccount(owner.account, { limits: { billing_links_per_hour: 1_000 } })
      for (const { slug, offers } of (await owner.plans()).data)
        for (const { billing, change, link } of offers) {
          const { status, body } = await owner.subscriptionLink({ plan: slug, billing })
          const isOwnWay = change === 'downgrade' || link === null
          expect([slug, billing, isOwnWay ? status : body.kind]).toEqual([slug, billing, isOwnWay ? 409 : link])
        }
    }
    await compare()
    const { id } = await subscribe(app, owner.customerId, 'pro_annual')
    await expect.poll(async () => (await owner.billing()).plan.slug).toBe('pro')
    await compare()
    await app.control(`/subscriptions/${id}/status`, { status: 'unpaid' })
    await expect.poll(async () => (await owner.billing()).plan.status).toBe('unpaid')
    await compare()
  })
})
