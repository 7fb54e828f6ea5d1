import { beforeAll, describe, expect, test } from 'vitest'
import { syncAccount } from '../../../../src/customers/billing/sync/sync-account.ts'
import { countLockWaits } from '../../../support/database.ts'
import { olderShape, priceIds, subscription } from '../support/fake-stripe.ts'
import { type FakeStripeApp, startAppWithFakeStripe } from '../support/fake-stripe-app.ts'

let app: FakeStripeApp
beforeAll(async () => {
  app = await startAppWithFakeStripe()
})

const at = (moment: string) => new Date(moment)

let customers = 0
/** Syncs a new account with these subscriptions; `again` syncs it with others. */
async function synced(subscriptions: object[]) {
  const customerId = `cus_${++customers}`
  const key = await app.customer(customerId, subscriptions)
  const sync = () => syncAccount(app.deps, app.accountNumber(key.account))
  const result = await sync()
  const again = async (next: object[]) => {
    app.stripe.subscriptions.set(customerId, next)
    const { changed } = await sync()
    return { changed, row: await app.row(key.account) }
  }
  return { key, ...result, again, row: await app.row(key.account) }
}

describe('a sync stores in the account', () => {
  const facts = subscription({
    price: priceIds.business_annual,
    anchor: '2026-03-05T10:00:00Z',
    periodEnd: '2027-03-05T10:00:00Z',
    cancelAtPeriodEnd: true,
  })

  test.each([
    ['the current API', facts],
    ['older API versions', olderShape(facts)],
  ])('a subscription of %s', async (_version, subscriptionObject) => {
    const { row, changed } = await synced([subscriptionObject])
    expect(changed).toBe(true)
    expect(row).toMatchObject({
      plan: 'business',
      billing: 'annual',
      status: 'active',
      subscription_id: 'sub_1',
      period_anchor: at('2026-03-05T10:00:00Z'),
      current_period_end: at('2027-03-05T10:00:00Z'),
      cancel_at_period_end: true,
      has_payment_method: true,
      trial_started_at: null,
      trial_ends_at: null,
      billing_problem: null,
      provider_read_at: app.clock.now(),
      access_open: true,
    })
  })

  test('no period, if the subscription has none', async () => {
    const { items, ...rest } = subscription()
    const { row } = await synced([{ ...rest, items: { ...(items as object), data: [] } }])
    expect(row).toMatchObject({ status: 'active', current_period_end: null, billing_problem: 'unknown_price' })
  })

  test('start and end of a trial, while it lasts', async () => {
    const trial = {
      status: 'trialing',
      trialStart: '2026-03-08T00:00:00Z',
      trialEnd: '2026-03-22T00:00:00Z',
      anchor: '2026-03-22T00:00:00Z',
      paymentMethod: null,
    }
    const { key, row, again } = await synced([subscription(trial)])
    expect(row).toMatchObject({
      status: 'trialing',
      trial_started_at: at(trial.trialStart),
      trial_ends_at: at(trial.trialEnd),
      has_payment_method: false,
    })
    const during = await key.get('/usage')
    expect(during.body.billing.can_unlock_paid_credits_now).toBe(false)
    for (const { period_start, period_end } of [during.body.contact_credits, during.body.search_rows])
      expect([period_start, period_end]).toEqual(
        [trial.trialStart, trial.trialEnd].map((text) => at(text).toISOString()),
      )
    await again([subscription({ ...trial, paymentMethod: 'pm_2' })])
    expect((await key.get('/usage')).body.billing.can_unlock_paid_credits_now).toBe(true)
    const ended = await again([subscription({ ...trial, status: 'active', anchor: '2026-03-10T08:00:00Z' })])
    expect(ended.row).toMatchObject({ status: 'active', trial_started_at: null, trial_ends_at: null })
    expect((await key.get('/usage')).body.contact_credits).toMatchObject({ total: 1000, used: 0 })
  })

  test.each([
    ['of the subscription', subscription({ paymentMethod: 'pm_1' }), true],
    [
      'that is the customer’s default',
      subscription({
        paymentMethod: null,
        customer: { id: 'c', invoice_settings: { default_payment_method: 'pm_1' } },
      }),
      true,
    ],
    [
      'that is an older source',
      subscription({
        paymentMethod: null,
        customer: { id: 'c', default_source: 'src_1', invoice_settings: { default_payment_method: null } },
      }),
      true,
    ],
    ['if there is none', subscription({ paymentMethod: null }), false],
    ['if the customer is not expanded', subscription({ paymentMethod: null, customer: 'cus_1' }), false],
    ['if the customer was deleted', subscription({ paymentMethod: null, customer: { id: 'c', deleted: true } }), false],
  ])('whether there is a payment method %s', async (_case, subscriptionObject, has) => {
    expect((await synced([subscriptionObject])).row).toMatchObject({ has_payment_method: has })
  })

  test.each([
    ['at the end of the period', subscription({ cancelAt: '2026-04-01T00:00:00Z' }), true],
    ['within the period', subscription({ cancelAt: '2026-03-20T00:00:00Z' }), true],
    ['in a later period', subscription({ cancelAt: '2026-06-01T00:00:00Z' }), false],
  ])('the meaning of a cancel_at %s', async (_when, subscriptionObject, ends) => {
    expect((await synced([subscriptionObject])).row).toMatchObject({ cancel_at_period_end: ends })
  })

  test.each(['past_due', 'unpaid', 'paused', 'incomplete', 'a_future_status'])(
    'status %s, which closes access at once',
    async (status) => {
      const { key, row, again } = await synced([subscription()])
      expect(row.access_open).toBe(true)
      expect((await key.get('/usage')).status).toBe(200)
      expect((await again([subscription({ status })])).row).toMatchObject({ status, plan: 'pro', access_open: false })
      const refused = await key.get('/usage')
      expect(refused.status).toBe(403)
      expect(refused.body.error.billing.action).toBe(
        status === 'a_future_status' ? 'create_subscription_link' : 'manage_billing',
      )
      await again([subscription()])
      expect((await key.get('/usage')).status).toBe(200)
    },
  )

  test.each(['canceled', 'incomplete_expired'])('status %s, after which the plan in force is free', async (status) => {
    const { key, again } = await synced([subscription({ cancelAtPeriodEnd: true })])
    const { row } = await again([subscription({ status, cancelAtPeriodEnd: true })])
    expect(row).toMatchObject({ status, plan_in_force: 'free', cancel_at_period_end: false, current_period_end: null })
    const refused = await key.get('/usage')
    expect(refused.body.error.billing.action).toBe('create_subscription_link')
  })

  test('only the time of reading, if nothing changed', async () => {
    const { again, row } = await synced([subscription()])
    app.clock.advance(1_000)
    const second = await again([subscription()])
    expect(second.changed).toBe(false)
    expect(second.row).toEqual({ ...row, provider_read_at: app.clock.now() })
  })
})

describe('of several subscriptions', () => {
  const old = (status: string) => subscription({ id: 'sub_old', status, created: '2026-01-01T00:00:00Z' })

  test.each<[string, object[], object]>([
    [
      'a running one counts, not an ended one',
      [subscription({ id: 'sub_new', status: 'canceled' }), old('active')],
      { subscription_id: 'sub_old', status: 'active', billing_problem: null },
    ],
    [
      'a past_due one counts, not a newer incomplete one',
      [subscription({ id: 'sub_new', status: 'incomplete' }), old('past_due')],
      { subscription_id: 'sub_old', status: 'past_due', billing_problem: null },
    ],
    [
      'an incomplete one counts before an ended one',
      [subscription({ id: 'sub_new', status: 'incomplete' }), old('canceled')],
      { subscription_id: 'sub_new', status: 'incomplete', billing_problem: null },
    ],
    [
      'the newest ended one counts, in whatever order they are listed',
      [old('incomplete_expired'), subscription({ id: 'sub_new', status: 'canceled' })],
      { subscription_id: 'sub_new', status: 'canceled', billing_problem: null },
    ],
    [
      'two running ones are a billing problem, and the higher plan counts',
      [
        subscription({ id: 'sub_new' }),
        { ...old('active'), items: subscription({ price: priceIds.business_monthly }).items },
      ],
      { subscription_id: 'sub_old', plan: 'business', status: 'active', billing_problem: 'several_subscriptions' },
    ],
    [
      'two running ones are a billing problem, and the one with access counts',
      [subscription({ id: 'sub_new', status: 'past_due', price: priceIds.enterprise_monthly }), old('active')],
      { subscription_id: 'sub_old', plan: 'pro', status: 'active', billing_problem: 'several_subscriptions' },
    ],
    [
      'two running ones are a billing problem, also with an unknown price',
      [subscription({ id: 'sub_new', price: 'price_other' }), old('active')],
      { subscription_id: 'sub_old', plan: 'pro', billing_problem: 'several_subscriptions' },
    ],
  ])('%s', async (_rule, subscriptions, expected) => {
    expect((await synced(subscriptions)).row).toMatchObject(expected)
  })
})

describe('a price that is not configured', () => {
  test('leaves the plan unchanged, while the status is stored', async () => {
    const { again } = await synced([subscription({ price: priceIds.business_annual })])
    const { row } = await again([subscription({ price: 'price_other', status: 'past_due' })])
    expect(row).toMatchObject({
      plan: 'business',
      billing: 'annual',
      status: 'past_due',
      billing_problem: 'unknown_price',
    })
    const settled = await again([subscription({ price: priceIds.pro_monthly })])
    expect(settled.row).toMatchObject({ plan: 'pro', billing: 'monthly', billing_problem: null })
  })

  test('has no effect beside a configured one', async () => {
    const current = subscription({ price: priceIds.business_monthly })
    const { data } = current.items as { data: object[] }
    const other = (subscription({ price: 'price_seats' }).items as { data: object[] }).data
    const { row } = await synced([{ ...current, items: { data: [...other, ...data] } }])
    expect(row).toMatchObject({ plan: 'business', billing_problem: null })
  })
})

describe('a plan granted by hand', () => {
  const granted = async (subscriptions: object[]) => {
    const account = await synced([])
    await app.setAccount(account.key.account, { plan: 'enterprise' })
    return account.again(subscriptions)
  }

  test.each<[string, object[]]>([
    ['no subscription', []],
    ['an unfinished purchase', [subscription({ status: 'incomplete' })]],
    ['only ended subscriptions', [subscription({ status: 'canceled' })]],
  ])('stays while the provider has %s', async (_what, subscriptions) => {
    const { row, changed } = await granted(subscriptions)
    expect(row).toMatchObject({ plan: 'enterprise', status: 'active', subscription_id: null, access_open: true })
    expect(changed).toBe(false)
  })

  test('is replaced by a subscription', async () => {
    expect((await granted([subscription()])).row).toMatchObject({ plan: 'pro', subscription_id: 'sub_1' })
  })

  test('after the end of a subscription is kept by the next sync', async () => {
    const over = [subscription({ status: 'canceled' })]
    const { key, again } = await synced([subscription()])
    await again(over)
    await app.setAccount(key.account, { plan: 'pro' })
    expect((await again(over)).row).toMatchObject({ plan: 'pro', status: 'active', subscription_id: null })
    expect((await key.get('/usage')).status).toBe(200)
  })

  test('that was closed by the operator leads to a new subscription, not to the portal', async () => {
    const key = await app.key({ status: 'active' })
    await app.setAccount(key.account, { status: 'past_due' })
    expect((await key.get('/usage')).body.error.billing.action).toBe('create_subscription_link')
  })
})

test('an account without a customer is not looked up at the provider', async () => {
  const key = await app.key({})
  const before = app.stripe.requests.length
  expect(await syncAccount(app.deps, app.accountNumber(key.account))).toEqual({ changed: false })
  expect(app.stripe.requests.length).toBe(before)
})

test('a customer unknown to the provider changes nothing', async () => {
  const { key, row } = await synced([subscription()])
  app.stripe.subscriptions.clear()
  await syncAccount(app.deps, app.accountNumber(key.account))
  expect(await app.row(key.account)).toEqual(row)
})

test('of two concurrent syncs the one that read later is written last, whichever reply comes first', async () => {
  const { key, row } = await synced([subscription()])
  const id = app.accountNumber(key.account)
  const customerId = row.customer_id as string
  let slow = true
  app.stripe.beforeReply = async () => {
    if (!slow) return
    slow = false
    app.stripe.subscriptions.set(customerId, [subscription({ status: 'past_due' })])
    second = syncAccount(app.deps, id)
    // It waits for the first one, which has not written what it read.
    await expect.poll(() => countLockWaits(app.db)).toBe(1)
  }
  let second: Promise<unknown> | undefined
  await syncAccount(app.deps, id)
  await second
  expect(slow).toBe(false)
  app.stripe.beforeReply = async () => {}
  expect((await app.row(key.account)).status).toBe('past_due')
})
