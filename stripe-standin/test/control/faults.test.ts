import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { authHeader, openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  await fetch(`${world.url}/_standin/faults`, { method: 'DELETE', headers: authHeader })
})
afterAll(() => world.close())

const createProduct = (name: string, idempotencyKey?: string) =>
  world.stripe.products.create({ name }, idempotencyKey ? { idempotencyKey } : {})

const named = async (name: string) =>
  (await world.stripe.products.list({ limit: 100 })).data.filter((p) => p.name === name)

test('the next requests fail with the given status and change nothing', async () => {
  await world.control('faults', { fail_next: 2, status: 503 })
  await expect(createProduct('failing')).rejects.toThrow(Stripe.errors.StripeAPIError)
  await expect(createProduct('failing')).rejects.toMatchObject({ statusCode: 503 })
  await createProduct('failing')
  expect(await named('failing')).toHaveLength(1)
})

test('a status of 0 breaks the connection, and 429 is a rate limit', async () => {
  // The client retries a broken connection once, whatever its configuration.
  await world.control('faults', { fail_next: 2, status: 0 })
  await expect(createProduct('broken')).rejects.toThrow(Stripe.errors.StripeConnectionError)
  await world.control('faults', { fail_next: 1, status: 429 })
  await expect(createProduct('broken')).rejects.toThrow(Stripe.errors.StripeRateLimitError)
  expect(await named('broken')).toHaveLength(0)
})

test('after a reply cut off half way the work is done, and the same key replays it', async () => {
  await world.control('faults', { half_answer: 1 })
  await expect(createProduct('half', 'half')).rejects.toThrow()
  await createProduct('half', 'half')
  expect(await named('half')).toHaveLength(1)
})

test('a failure after the work is replayed, and the work is kept', async () => {
  await world.control('faults', { fail_after: 1, status: 500 })
  await expect(createProduct('after', 'after')).rejects.toMatchObject({ statusCode: 500 })
  await expect(createProduct('after', 'after')).rejects.toMatchObject({ statusCode: 500 })
  expect(await named('after')).toHaveLength(1)
})

test('a share of requests fails, the same ones for the same seed', async () => {
  const outcomes = async () => {
    await world.control('faults', { fail_rate: 0.5, seed: 7 })
    const results: boolean[] = []
    for (let n = 0; n < 12; n += 1)
      results.push(
        await world.stripe.events.list({ limit: 1 }).then(
          () => true,
          () => false,
        ),
      )
    await world.control('faults', { fail_rate: 0 })
    return results
  }
  const [one, again] = [await outcomes(), await outcomes()]
  expect(one).toEqual(again)
  expect(new Set(one).size).toBe(2)
})

test('slow_ms delays replies until a client gives up, but not the controls', async () => {
  await world.control('faults', { slow_ms: 60_000 })
  await expect(world.stripe.events.list({ limit: 1 }, { timeout: 50 })).rejects.toThrow(
    Stripe.errors.StripeConnectionError,
  )
  await world.control('faults', { slow_ms: 0 })
})

test.each([
  ['faults', { fail_rate: 2 }],
  ['faults', { fail_nxt: 1 }],
  ['clock', { advance_seconds: -1 }],
  ['clock', { now: 1 }],
  ['clock', {}],
  ['settings', { after_retries: 'forgive' }],
])('the controls reject an invalid body: %s %j', async (path, body) => {
  await expect(world.control(path, body)).rejects.toThrow('invalid_request_error')
})

test('the controls accept JSON only, so that a foreign page cannot send them a form', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const answer = await fetch(`${world.url}/_standin/faults`, {
      method: 'POST',
      headers: { ...authHeader, 'content-type': type },
      body: '{"fail_next":1}',
    })
    expect([type, answer.status]).toEqual([type, 415])
  }
})
