import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openReceiver } from '../support/receiver.ts'
import { authHeader, daySeconds, openWorld, subscribed, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  await fetch(`${world.url}/_standin/faults`, { method: 'DELETE', headers: authHeader })
  world.receiver.answer(200)
  await world.control('flush')
  world.receiver.events.length = 0
})
afterAll(() => world.close())

const undelivered = async () =>
  (await world.control<{ counts: { undelivered_events: number } }>('flush')).counts.undelivered_events

test('an event names the request that caused it and can be read again', async () => {
  const { stripe } = world
  const customer = await stripe.customers.create({ name: 'Mara' }, { idempotencyKey: 'for-mara' })
  await world.settle()
  const [event] = world.receiver.events
  expect(event).toMatchObject({
    type: 'customer.created',
    api_version: stripe.getApiField('version'),
    data: { object: { id: customer.id, name: 'Mara' } },
    request: { id: customer.lastResponse.requestId, idempotency_key: 'for-mara' },
  })
  expect(await stripe.events.retrieve(event!.id)).toMatchObject({ id: event!.id, pending_webhooks: 0 })
  const { data } = await stripe.events.list({ types: ['customer.*'], limit: 1 })
  expect(data.map(({ id }) => id)).toEqual([event!.id])
})

test('the event of a detached card names its previous customer', async () => {
  const { stripe } = world
  const customer = await stripe.customers.create({ payment_method: 'pm_card_visa' })
  const [card] = (await stripe.customers.listPaymentMethods(customer.id)).data
  await stripe.paymentMethods.detach(card!.id)
  await world.settle()
  expect(world.receiver.events.find(({ type }) => type === 'payment_method.detached')?.data).toMatchObject({
    object: { id: card!.id, customer: null },
    previous_attributes: { customer: customer.id },
  })
})

test('an endpoint gets the types it subscribed to, signed with its secret, until it is deleted', async () => {
  const { stripe } = world
  const picky = await stripe.webhookEndpoints.create({
    url: 'http://127.0.0.1:9/nobody',
    enabled_events: ['product.created'],
  })
  const receiver = await openReceiver(picky.secret ?? '', world.clock)
  await stripe.webhookEndpoints.update(picky.id, { url: receiver.url })
  await stripe.customers.create()
  await stripe.products.create({ name: 'Extra' })
  await world.settle()
  expect(receiver.types()).toEqual(['product.created'])
  expect(await stripe.webhookEndpoints.retrieve(picky.id)).not.toHaveProperty('secret')
  await stripe.webhookEndpoints.del(picky.id)
  await stripe.products.create({ name: 'Another' })
  await world.settle()
  expect(receiver.events).toHaveLength(1)
  await receiver.close()
})

test('a failed delivery is retried with increasing backoff until it succeeds', async () => {
  const { receiver, clock } = world
  receiver.answer(500)
  const before = receiver.attempts()
  await world.stripe.customers.create()
  await world.settle()
  expect(receiver.attempts() - before).toBe(1)
  await world.settle()
  expect(receiver.attempts() - before).toBe(1)
  for (const pauseMs of [1_000, 2_000, 4_000]) {
    clock.advanceMs(pauseMs - 1)
    await world.settle()
    const early = receiver.attempts()
    clock.advanceMs(1)
    await world.settle()
    expect(receiver.attempts() - early).toBe(1)
  }
  receiver.answer(200)
  clock.advanceMs(8_000)
  await world.settle()
  expect(receiver.types()).toEqual(['customer.created'])
  expect(await undelivered()).toBe(0)
})

test.each([1, 31, 3653])(
  'events queued while the clock was %i days ahead are sent after it is corrected',
  async (days) => {
    const { receiver, clock } = world
    const aheadMs = days * daySeconds * 1_000
    receiver.answer(500)
    clock.advanceMs(aheadMs)
    await world.stripe.customers.create()
    await world.settle()
    clock.advanceMs(-aheadMs)
    receiver.answer(200)
    await world.settle()
    expect(receiver.types()).toEqual(['customer.created'])
    expect(await undelivered()).toBe(0)
  },
)

test('a delivery is given up after three days of failures', async () => {
  world.receiver.answer(500)
  await world.stripe.customers.create()
  await world.settle()
  await world.advance(3 * daySeconds - 60)
  expect(await undelivered()).toBe(1)
  await world.advance(120)
  expect(await undelivered()).toBe(0)
})

test('dropped events count as delivered and never arrive', async () => {
  await world.control('faults', { drop_events: 1 })
  await subscribed(world)
  expect(await undelivered()).toBe(0)
  expect(world.receiver.events).toEqual([])
})

test('duplicated events arrive twice with one id', async () => {
  await world.control('faults', { duplicate_events: 1 })
  await world.stripe.customers.create()
  await world.settle()
  const ids = world.receiver.events.map(({ id }) => id)
  expect([ids.length, new Set(ids).size]).toEqual([2, 1])
})

test('reordered events all arrive, in an order determined by the seed', async () => {
  const arrival = async (seed: number) => {
    world.receiver.events.length = 0
    await world.control('faults', { reorder_events: true, seed })
    await subscribed(world)
    await world.control('flush')
    return world.receiver.types()
  }
  const [one, again, other] = [await arrival(3), await arrival(3), await arrival(4)]
  await fetch(`${world.url}/_standin/faults`, { method: 'DELETE', headers: authHeader })
  const inOrder = await arrival(1).then((types) => types.toSorted())
  expect(one).toEqual(again)
  expect(one).not.toEqual(other)
  expect(one.toSorted()).toEqual(inOrder)
})

test('delayed events arrive when the clock reaches their time', async () => {
  await world.control('faults', { late_ms: 60_000 })
  await world.stripe.customers.create()
  await world.settle()
  expect(world.receiver.events).toEqual([])
  await world.advance(59)
  expect(world.receiver.events).toEqual([])
  await world.advance(1)
  expect(world.receiver.types()).toEqual(['customer.created'])
})

test('a forced status emits an event like any other', async () => {
  const { id } = await subscribed(world)
  await world.control(`subscriptions/${id}/status`, { status: 'unpaid' })
  await world.settle()
  const update = world.receiver.events.find(({ type }) => type === 'customer.subscription.updated')
  expect(update?.data.previous_attributes).toEqual({ status: 'active' })
  expect((await world.stripe.subscriptions.retrieve(id)).status).toBe('unpaid')
})
