import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { customerWithCard, hourSeconds, idOf, openWorld, subscribed, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  await world.settle()
  world.receiver.events.length = 0
})
afterAll(() => world.close())

test('a subscription of a customer whose card works is active and paid, with its period on the item', async () => {
  const { stripe } = world
  const subscription = await subscribed(world, 'price_standin_pro_monthly', { expand: ['latest_invoice', 'customer'] })
  const [item] = subscription.items.data
  expect(subscription).toMatchObject({
    status: 'active',
    customer: { email: 'mara@aurora-candles.example' },
    latest_invoice: { status: 'paid', amount_paid: 4_900, billing_reason: 'subscription_create' },
  })
  expect(new Date(item!.current_period_end * 1000).toISOString()).toBe('2026-12-02T10:00:00.000Z')
  expect(subscription).not.toHaveProperty('current_period_end')
  await world.settle()
  expect(world.receiver.types()).toEqual(
    expect.arrayContaining(['customer.subscription.created', 'invoice.finalized', 'invoice.paid']),
  )
  const { data } = await stripe.invoices.list({ subscription: subscription.id })
  expect(data[0]?.parent?.subscription_details?.subscription).toBe(subscription.id)
})

test('a failed first payment leaves a subscription incomplete; a working card activates it', async () => {
  const { stripe } = world
  const customer = await customerWithCard(stripe, 'pm_card_chargeCustomerFail')
  const items = [{ price: 'price_standin_pro_monthly' }]
  const subscription = await stripe.subscriptions.create({ customer: customer.id, items })
  expect(subscription.status).toBe('incomplete')
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.invoices.pay(idOf(subscription.latest_invoice), { payment_method: good.id })
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
  await world.settle()
  const update = world.receiver.events.find(({ type }) => type === 'customer.subscription.updated')
  expect(update?.data.previous_attributes).toEqual({ status: 'incomplete' })
})

test('a subscription without a first payment expires after 23 hours', async () => {
  const { stripe } = world
  const customer = await customerWithCard(stripe, 'pm_card_chargeCustomerFail')
  const items = [{ price: 'price_standin_pro_monthly' }]
  const subscription = await stripe.subscriptions.create({ customer: customer.id, items })
  await world.advance(23 * hourSeconds - 1)
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('incomplete')
  await world.advance(1)
  const expired = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  expect(expired).toMatchObject({ status: 'incomplete_expired', latest_invoice: { status: 'void' } })
})

test('without a card no subscription is started', async () => {
  const { stripe } = world
  const customer = await stripe.customers.create()
  const items = [{ price: 'price_standin_pro_monthly' }]
  await expect(stripe.subscriptions.create({ customer: customer.id, items })).rejects.toThrow('default payment method')
})

test('cancellation takes effect at once, works once, and emits a deleted event', async () => {
  const { stripe } = world
  const { id } = await subscribed(world)
  const canceled = await stripe.subscriptions.cancel(id, { cancellation_details: { comment: 'too many rows' } })
  expect(canceled).toMatchObject({
    status: 'canceled',
    cancellation_details: { comment: 'too many rows', reason: 'cancellation_requested' },
  })
  await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ statusCode: 404 })
  await expect(stripe.subscriptions.update(id, { cancel_at_period_end: true })).rejects.toMatchObject({
    statusCode: 400,
  })
  await world.settle()
  expect(world.receiver.types().filter((type) => type === 'customer.subscription.deleted')).toHaveLength(1)
})

test('lists exclude canceled subscriptions unless requested', async () => {
  const { stripe } = world
  const { id, customer } = await subscribed(world)
  await stripe.subscriptions.cancel(id)
  const second = await stripe.subscriptions.create({
    customer: idOf(customer),
    items: [{ price: 'price_standin_business_annual' }],
  })
  const ids = async (status?: 'all' | 'canceled') =>
    (await stripe.subscriptions.list({ customer: idOf(customer), ...(status && { status }) })).data.map((one) => one.id)
  expect(await ids()).toEqual([second.id])
  expect(await ids('canceled')).toEqual([id])
  expect(await ids('all')).toEqual([second.id, id])
})

test('updates of metadata, card and paused collection emit events with the previous values', async () => {
  const { stripe } = world
  const { id } = await subscribed(world, 'price_standin_pro_monthly', { metadata: { account: 'a', old: 'x' } })
  const changed = await stripe.subscriptions.update(id, {
    metadata: { old: '', account: 'b' },
    pause_collection: { behavior: 'keep_as_draft' },
  })
  expect(changed).toMatchObject({
    status: 'active',
    metadata: { account: 'b' },
    pause_collection: { resumes_at: null },
  })
  await world.settle()
  const update = world.receiver.events.find(({ type }) => type === 'customer.subscription.updated')
  expect(update?.data.previous_attributes).toEqual({ metadata: { account: 'a', old: 'x' }, pause_collection: null })
  expect((await stripe.subscriptions.update(id, { pause_collection: '' })).pause_collection).toBeNull()
})

test('resuming a paused subscription starts a new paid period', async () => {
  const { stripe } = world
  const customer = await stripe.customers.create()
  const paused = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: 'price_standin_pro_monthly' }],
    trial_period_days: 7,
    trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
  })
  expect((await stripe.subscriptions.update(paused.id, { trial_end: 'now' })).status).toBe('paused')
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } })
  const resumed = await stripe.subscriptions.resume(paused.id)
  expect(resumed.status).toBe('active')
  await world.settle()
  expect(world.receiver.types()).toEqual(
    expect.arrayContaining(['customer.subscription.paused', 'customer.subscription.resumed']),
  )
})
