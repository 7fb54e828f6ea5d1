import { afterAll, beforeAll, expect, test } from 'vitest'
import { customerWithCard, daySeconds, idOf, openWorld, subscribed, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** Half of a month of 30 days that starts on the second of November. */
const halfMonthSeconds = 15 * daySeconds

async function changed(id: string, price: string, more: object = {}) {
  const { items } = await world.stripe.subscriptions.retrieve(id)
  return world.stripe.subscriptions.update(id, {
    items: [{ id: items.data[0]!.id, price }],
    expand: ['latest_invoice'],
    ...more,
  })
}

test('an upgrade in mid-period is billed at once for the rest, less the unused time', async () => {
  const subscription = await subscribed(world)
  const [item] = subscription.items.data
  await world.advance(halfMonthSeconds)
  const upgraded = await changed(subscription.id, 'price_standin_business_monthly', {
    proration_behavior: 'always_invoice',
  })
  expect(upgraded).toMatchObject({
    status: 'active',
    latest_invoice: { status: 'paid', billing_reason: 'subscription_update', total: (19_900 - 4_900) / 2 },
  })
  expect(upgraded.items.data).toMatchObject([
    {
      id: item!.id,
      price: { id: 'price_standin_business_monthly' },
      current_period_start: item!.current_period_start,
      current_period_end: item!.current_period_end,
    },
  ])
})

test('prorations not billed at once are billed with the renewal', async () => {
  const { stripe } = world
  const subscription = await subscribed(world)
  await changed(subscription.id, 'price_standin_business_monthly', { proration_behavior: 'create_prorations' })
  const { data } = await stripe.invoiceItems.list({ customer: idOf(subscription.customer), pending: true })
  expect(data.map(({ amount, proration }) => [amount, proration]).toSorted()).toEqual([
    [-4_900, true],
    [19_900, true],
  ])
  await world.advance(32 * daySeconds)
  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  expect(renewed).toMatchObject({ latest_invoice: { total: 19_900 + 15_000, status: 'paid' } })
})

test('a change from monthly to annual starts a year now, less the unused month', async () => {
  const subscription = await subscribed(world)
  const annual = await changed(subscription.id, 'price_standin_pro_annual')
  const [item] = annual.items.data
  expect(annual).toMatchObject({ status: 'active', latest_invoice: { total: 49_000 - 4_900, status: 'paid' } })
  expect(item!.current_period_end - item!.current_period_start).toBe(365 * daySeconds)
  expect(annual.billing_cycle_anchor).toBe(item!.current_period_start)
})

test('a downgrade billed at once leaves credit for the next invoice', async () => {
  const { stripe } = world
  const subscription = await subscribed(world, 'price_standin_business_monthly')
  await changed(subscription.id, 'price_standin_pro_monthly', { proration_behavior: 'always_invoice' })
  const customer = idOf(subscription.customer)
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -15_000 })
  await world.advance(32 * daySeconds)
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -15_000 + 4_900 })
  const [latest] = (await stripe.invoices.list({ customer })).data
  expect(latest).toMatchObject({ status: 'paid', total: 4_900, starting_balance: -15_000, amount_due: 0 })
})

test('a declined card makes the change past due, or rejects it with error_if_incomplete', async () => {
  const { stripe } = world
  const subscription = await subscribed(world)
  const customer = idOf(subscription.customer)
  const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: bad.id } })
  const up = { proration_behavior: 'always_invoice' }
  await expect(
    changed(subscription.id, 'price_standin_business_monthly', { ...up, payment_behavior: 'error_if_incomplete' }),
  ).rejects.toMatchObject({ statusCode: 402 })
  const same = await stripe.subscriptions.retrieve(subscription.id)
  expect([same.status, same.items.data[0]!.price.id]).toEqual(['active', 'price_standin_pro_monthly'])
  expect((await changed(subscription.id, 'price_standin_business_monthly', up)).status).toBe('past_due')
})

test('a plan change during a trial costs nothing and the trial continues', async () => {
  const customer = await customerWithCard(world.stripe)
  const trial = await world.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: 'price_standin_pro_monthly' }],
    trial_period_days: 14,
  })
  const after = await changed(trial.id, 'price_standin_business_annual', { proration_behavior: 'always_invoice' })
  expect(after).toMatchObject({ status: 'trialing', trial_end: trial.trial_end, latest_invoice: { total: 0 } })
})

test('items can be added and removed, but not the last one', async () => {
  const { stripe } = world
  const extra = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 500,
    recurring: { interval: 'month' },
    product_data: { name: 'Extra' },
  })
  const { id, items } = await subscribed(world)
  const two = await stripe.subscriptions.update(id, { items: [{ price: extra.id, quantity: 3 }] })
  expect(two.items.data.map(({ price, quantity }) => [price.id, quantity])).toEqual([
    ['price_standin_pro_monthly', 1],
    [extra.id, 3],
  ])
  const one = await stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, deleted: true }] })
  expect(one.items.data.map(({ price }) => price.id)).toEqual([extra.id])
  await expect(
    stripe.subscriptions.update(id, { items: [{ id: one.items.data[0]!.id, deleted: true }] }),
  ).rejects.toMatchObject({ statusCode: 400 })
})
