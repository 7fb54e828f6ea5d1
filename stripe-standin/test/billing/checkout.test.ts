import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { completeCheckout, successUrl } from '../../src/billing/checkout.ts'
import type { PageTestCard } from '../../src/billing/customers.ts'
import { daySeconds, hourSeconds, idOf, openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  await world.settle()
  world.receiver.events.length = 0
})
afterAll(() => world.close())

async function session(more: object = {}) {
  const customer = await world.stripe.customers.create({ email: 'mara@aurora-candles.example' })
  return world.stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: 'price_standin_pro_monthly', quantity: 1 }],
    success_url: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://shop.example/back',
    client_reference_id: 'acct_1',
    subscription_data: { metadata: { account: 'acct_1' } },
    ...more,
  })
}

const complete = (id: string, card: PageTestCard = 'works') =>
  world.standin.change((ctx) => completeCheckout(ctx, id, { card }))

test('a session links to a page of the stand-in and is valid for a day', async () => {
  const open = await session()
  expect(open).toMatchObject({
    status: 'open',
    payment_status: 'unpaid',
    amount_total: 4_900,
    url: `${world.url}/pay/checkout/${open.id}`,
    expires_at: open.created + daySeconds,
    subscription: null,
  })
  const lines = await world.stripe.checkout.sessions.listLineItems(open.id)
  expect(lines.data.map(({ price, quantity }) => [price?.id, quantity])).toEqual([['price_standin_pro_monthly', 1]])
})

test('completing a session creates an active, paid subscription and emits its events', async () => {
  const open = await session()
  const done = await complete(open.id)
  expect(successUrl(done)).toBe(`https://shop.example/done?session=${open.id}`)
  const read = await world.stripe.checkout.sessions.retrieve(open.id, { expand: ['subscription', 'invoice'] })
  expect(read).toMatchObject({
    status: 'complete',
    payment_status: 'paid',
    url: null,
    customer: open.customer,
    subscription: { status: 'active', metadata: { account: 'acct_1' }, customer: open.customer },
    invoice: { status: 'paid', amount_paid: 4_900 },
  })
  await world.settle()
  const events = world.receiver.events
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['customer.subscription.created', 'invoice.paid', 'checkout.session.completed']),
  )
  const created = events.find(({ type }) => type === 'customer.subscription.created')
  expect(created?.data.object).toMatchObject({ status: 'incomplete' })
})

test('a declined card changes nothing, and another can be tried', async () => {
  const open = await session()
  await expect(complete(open.id, 'declines')).rejects.toMatchObject({ status: 402 })
  expect(await world.stripe.checkout.sessions.retrieve(open.id)).toMatchObject({ status: 'open', subscription: null })
  const { data } = await world.stripe.subscriptions.list({ customer: idOf(open.customer), status: 'all' })
  expect(data).toEqual([])
  await complete(open.id)
})

test('a session is completed only once', async () => {
  const open = await session()
  await complete(open.id)
  await expect(complete(open.id)).rejects.toMatchObject({ status: 400 })
  const { data } = await world.stripe.subscriptions.list({ customer: idOf(open.customer) })
  expect(data).toHaveLength(1)
})

test('a session expires in time or on request, and cannot be completed afterwards', async () => {
  const [waiting, other] = [await session(), await session()]
  expect((await world.stripe.checkout.sessions.expire(other.id)).status).toBe('expired')
  await expect(world.stripe.checkout.sessions.expire(other.id)).rejects.toMatchObject({ statusCode: 400 })
  await world.advance(daySeconds)
  expect(await world.stripe.checkout.sessions.retrieve(waiting.id)).toMatchObject({ status: 'expired', url: null })
  await expect(complete(waiting.id)).rejects.toMatchObject({ status: 400 })
  const expired = world.receiver.events
    .filter(({ type }) => type === 'checkout.session.expired')
    .map(({ data }) => (data.object as { id: string }).id)
  expect(expired).toEqual(expect.arrayContaining([waiting.id, other.id]))
})

test('its lifetime can be set from half an hour to a day', async () => {
  const now = Math.floor(world.standin.nowMs() / 1000)
  expect((await session({ expires_at: now + hourSeconds })).expires_at).toBe(now + hourSeconds)
  await expect(session({ expires_at: now + 600 })).rejects.toMatchObject({ param: 'expires_at' })
  await expect(session({ expires_at: now + 2 * daySeconds })).rejects.toMatchObject({ param: 'expires_at' })
})

test('with a trial nothing is due and the subscription starts trialing', async () => {
  const open = await session({ subscription_data: { trial_period_days: 14 } })
  await complete(open.id)
  expect(await world.stripe.checkout.sessions.retrieve(open.id, { expand: ['subscription'] })).toMatchObject({
    payment_status: 'no_payment_required',
    subscription: { status: 'trialing' },
  })
})

test('without a customer, one is created from the email', async () => {
  const open = await world.stripe.checkout.sessions.create({
    mode: 'subscription',
    customer_email: 'new@shop.example',
    line_items: [{ price: 'price_standin_business_annual', quantity: 1 }],
    success_url: 'https://shop.example/done',
  })
  const done = await complete(open.id)
  expect(await world.stripe.customers.retrieve(done.customer ?? '')).toMatchObject({ email: 'new@shop.example' })
})

test('prices that are inactive or not recurring are rejected', async () => {
  const once = await world.stripe.prices.create({ currency: 'usd', unit_amount: 100, product_data: { name: 'Once' } })
  const withPrice = (price: string) => session({ line_items: [{ price, quantity: 1 }] })
  await expect(withPrice(once.id)).rejects.toMatchObject({ param: 'line_items[0][price]' })
  await expect(withPrice('price_unknown')).rejects.toMatchObject({ code: 'resource_missing' })
})
