import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseEvent } from '../../../../src/customers/billing/stripe/objects.ts'
import { startTestApp } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'
import { deliver, event, olderShape, priceIds, sign, startFakeStripe, subscription } from '../support/fake-stripe.ts'
import { type FakeStripeApp, now, startAppWithFakeStripe } from '../support/fake-stripe-app.ts'

let app: FakeStripeApp
beforeAll(async () => {
  app = await startAppWithFakeStripe()
})

const changed = (customer: string) => event('customer.subscription.updated', { ...subscription(), customer })

describe('an event is', () => {
  const post = async (body: string, headers: Record<string, string>) => {
    const reply = await fetch(`${app.url}/webhooks/stripe`, { method: 'POST', headers, body })
    return { status: reply.status, body: (await reply.json()) as Json }
  }
  const body = JSON.stringify(event('customer.subscription.updated', { ...subscription(), customer: 'cus_nobody' }))
  const at = new Date(now)
  const ago = (seconds: number) => new Date(at.getTime() - seconds * 1000)

  test.each<[string, () => Record<string, string>, number]>([
    ['accepted with a valid signature', () => ({ 'stripe-signature': sign(body, { at }) }), 200],
    [
      'accepted up to five minutes after it was signed',
      () => ({ 'stripe-signature': sign(body, { at: ago(300) }) }),
      200,
    ],
    ['refused later', () => ({ 'stripe-signature': sign(body, { at: ago(301) }) }), 400],
    [
      'accepted up to five minutes before it was signed, by our clock',
      () => ({ 'stripe-signature': sign(body, { at: ago(-300) }) }),
      200,
    ],
    ['refused earlier', () => ({ 'stripe-signature': sign(body, { at: ago(-301) }) }), 400],
    [
      'refused earlier, also with a second timestamp in the signature',
      () => ({ 'stripe-signature': `t=${at.getTime() / 1000},${sign(body, { at: ago(-301) })}` }),
      400,
    ],
    ['refused without a signature', () => ({}), 400],
    ['refused with an empty signature', () => ({ 'stripe-signature': '' }), 400],
    ['refused with a malformed signature', () => ({ 'stripe-signature': 'v1=abc,t=def' }), 400],
    [
      'refused with a signature of another secret',
      () => ({ 'stripe-signature': sign(body, { at, secret: 'whsec_other' }) }),
      400,
    ],
    ['refused with the signature of another body', () => ({ 'stripe-signature': sign(`${body} `, { at }) }), 400],
  ])('%s', async (_what, headers, status) => {
    const reply = await post(body, { 'content-type': 'application/json', ...headers() })
    expect(reply.status).toBe(status)
    const { request_id } = status === 200 ? reply.body : reply.body.error
    expect(request_id).toMatch(/^req_\w{20,}$/)
  })

  test.each([
    ['an empty body', ''],
    ['a body that is not JSON', 'hello'],
    ['an array', '[]'],
    ['null', 'null'],
    ['an object without id and type', '{"object":"event"}'],
    ['an id that is a number', '{"id":1,"type":"invoice.paid"}'],
    ['an id with a NUL character', '{"id":"evt_\\u0000","type":"invoice.paid"}'],
    ['an id that is too long', JSON.stringify({ id: 'e'.repeat(300), type: 'invoice.paid' })],
  ])('refused with 400 if it is %s', async (_what, text) => {
    const reply = await post(text, { 'stripe-signature': sign(text, { at }) })
    expect(reply.status).toBe(400)
  })

  test('accepted with any content type', async () => {
    const headers = { 'stripe-signature': sign(body, { at }), 'content-type': 'text/plain' }
    expect((await post(body, headers)).status).toBe(200)
  })

  test('refused without a signature before its body is read', async () => {
    const { hostname, port } = new URL(app.url)
    const request = httpRequest({ hostname, port, method: 'POST', path: '/webhooks/stripe' })
    request.setHeader('content-length', 900_000)
    request.flushHeaders()
    const [reply] = (await once(request, 'response')) as [IncomingMessage]
    expect(reply.statusCode).toBe(400)
    expect(await text(reply)).toContain('Events need a Stripe-Signature')
    request.destroy()
  })

  test('refused with a body over 1 MB', async () => {
    const large = JSON.stringify({ ...changed('cus_nobody'), padding: 'x'.repeat(1_000_001) })
    expect((await post(large, { 'stripe-signature': sign(large, { at }) })).status).toBe(413)
  })
})

describe('an event', () => {
  test('updates its account to the provider’s current state, not to the state in the event', async () => {
    const key = await app.customer('cus_now', [subscription({ price: priceIds.business_monthly })])
    expect((await key.get('/usage')).status).toBe(403)
    const stale = event('customer.subscription.updated', {
      ...subscription({ status: 'past_due' }),
      customer: 'cus_now',
    })
    expect(await app.deliver(stale)).toMatchObject({ status: 200, body: { received: true } })
    const usage = await key.get('/usage')
    expect(usage.body.plan).toMatchObject({ slug: 'business', status: 'active' })
    expect(await app.eventOutcome(stale.id)).toEqual({ outcome: 'synced', handled: true })
  })

  test('is handled once, however often it is delivered', async () => {
    await app.customer('cus_once', [subscription()])
    const once = changed('cus_once')
    await app.deliver(once)
    const readsBefore = app.stripe.requests.length
    expect((await app.deliver(once)).status).toBe(200)
    expect(app.stripe.requests.length).toBe(readsBefore)
  })

  test('delivered several times at once has the effect of one delivery', async () => {
    const key = await app.customer('cus_twice', [subscription()])
    const twice = changed('cus_twice')
    const replies = await Promise.all([app.deliver(twice), app.deliver(twice), app.deliver(twice)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await app.row(key.account)).toMatchObject({ plan: 'pro', status: 'active' })
  })

  test.each([
    ['of an unknown customer', 'customer.subscription.updated', { customer: 'cus_stranger' }, 'unknown_account'],
    ['without a customer', 'invoice.paid', { object: 'invoice', customer: null }, 'unknown_account'],
    ['with an invalid customer id', 'invoice.paid', { customer: 'cus_\u0000' }, 'unknown_account'],
    ['without an object', 'invoice.paid', [], 'unknown_account'],
    ['of a type that is not handled', 'radar.early_fraud_warning.created', { customer: 'cus_x' }, 'unknown_type'],
  ])('%s is acknowledged and recorded', async (_what, type, object, outcome) => {
    const unknown = event(type, object)
    expect((await app.deliver(unknown)).status).toBe(200)
    expect(await app.eventOutcome(unknown.id)).toEqual({ outcome, handled: true })
  })

  test.each<[string, string, (customer: string) => object, ((customer: string) => object)?]>([
    [
      'a subscription of the current API',
      'customer.subscription.created',
      (customer) => ({ ...subscription(), customer }),
    ],
    [
      'a subscription of older API versions',
      'customer.subscription.deleted',
      (customer) => ({ ...olderShape(subscription()), customer }),
    ],
    [
      'a subscription with expanded customer',
      'customer.subscription.resumed',
      (id) => subscription({ customer: { id } }),
    ],
    ['an invoice', 'invoice.payment_failed', (customer) => ({ id: 'in_1', object: 'invoice', customer })],
    [
      'a checkout',
      'checkout.session.completed',
      (customer) => ({ id: 'cs_1', object: 'checkout.session', mode: 'subscription', customer }),
    ],
    ['the customer', 'customer.updated', (id) => ({ id, object: 'customer' })],
    ['a payment method', 'payment_method.attached', (customer) => ({ id: 'pm_1', object: 'payment_method', customer })],
    [
      'a detached payment method',
      'payment_method.detached',
      () => ({ id: 'pm_1', object: 'payment_method', customer: null }),
      (customer) => ({ customer }),
    ],
  ])('about %s finds its account', async (_what, type, objectOf, previousOf) => {
    const customer = `cus_${type.replaceAll('.', '_')}`
    const key = await app.customer(customer, [subscription()])
    expect((await app.deliver(event(type, objectOf(customer), previousOf?.(customer)))).status).toBe(200)
    expect(await app.row(key.account)).toMatchObject({ plan: 'pro', status: 'active' })
  })
})

describe('while the provider fails', () => {
  test('an event is answered 503, and handled when it is delivered again', async () => {
    const key = await app.customer('cus_later', [subscription()])
    const later = changed('cus_later')
    app.stripe.behavior = { status: 500 }
    const refused = await app.deliver(later)
    expect(refused.status).toBe(503)
    expect(refused.body.error.code).toBe('billing_provider_unavailable')
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await app.eventOutcome(later.id)).toEqual({ outcome: null, handled: false })
    expect(await app.row(key.account)).toMatchObject({ plan: 'free', provider_read_at: null })
    app.stripe.behavior = 'correct'
    expect((await app.deliver(later)).status).toBe(200)
    expect(await app.row(key.account)).toMatchObject({ plan: 'pro' })
  })

  test('an event is answered 503 if the provider rejects our key, so that it is delivered again', async () => {
    await app.customer('cus_key', [subscription()])
    app.stripe.behavior = { status: 401 }
    const refused = await app.deliver(changed('cus_key'))
    app.stripe.behavior = 'correct'
    expect(refused.status).toBe(503)
    expect(refused.body.error.code).toBe('billing_provider_unavailable')
  })
})

test('after a crash between recording and sync, the next delivery handles the event', async () => {
  const key = await app.customer('cus_crash', [subscription()])
  const interrupted = changed('cus_crash')
  // The state after such a crash.
  await app.db.query('insert into billing_events (id, type, received_at) values ($1, $2, $3)', [
    interrupted.id,
    interrupted.type,
    app.clock.now(),
  ])
  expect((await app.deliver(interrupted)).status).toBe(200)
  expect(await app.row(key.account)).toMatchObject({ plan: 'pro', status: 'active' })
  expect(await app.eventOutcome(interrupted.id)).toEqual({ outcome: 'synced', handled: true })
})

test('after a crash between sync and marking as handled, the next delivery changes nothing', async () => {
  const key = await app.customer('cus_crash2', [subscription()])
  const interrupted = changed('cus_crash2')
  await app.deliver(interrupted)
  await app.db.query('update billing_events set handled_at = null, outcome = null where id = $1', [interrupted.id])
  const before = await app.row(key.account)
  expect((await deliver(app.url, interrupted, { at: app.clock.now() })).status).toBe(200)
  expect(await app.row(key.account)).toEqual(before)
  expect(await app.eventOutcome(interrupted.id)).toEqual({ outcome: 'synced', handled: true })
})

describe('an event of the other mode (live or test)', () => {
  test('is acknowledged and recorded without reading its account', async () => {
    await app.customer('cus_mode', [subscription({ price: priceIds.business_monthly })])
    const live = { ...changed('cus_mode'), livemode: true }
    app.stripe.requests.length = 0
    expect(await app.deliver(live)).toMatchObject({ status: 200, body: { received: true } })
    expect(await app.eventOutcome(live.id)).toEqual({ outcome: 'other_mode', handled: true })
    expect(app.stripe.requests).toEqual([])
    const ours = { ...changed('cus_mode'), livemode: false }
    await app.deliver(ours)
    expect(await app.eventOutcome(ours.id)).toEqual({ outcome: 'synced', handled: true })
  })

  test.each<[string, boolean | undefined, boolean]>([
    ['sk_test_a', false, false],
    ['sk_test_a', true, true],
    ['rk_test_a', true, true],
    ['sk_live_a', true, false],
    ['sk_live_a', false, true],
    ['rk_live_a', false, true],
    ['rk_live_a', true, false],
    // Without `livemode` an event counts as a test event.
    ['sk_live_a', undefined, true],
  ])('is recognized by our key: key %s, livemode %s, other mode: %s', (key, livemode, isOtherMode) => {
    const body = Buffer.from(JSON.stringify({ ...changed('cus_mode'), livemode }))
    expect(parseEvent(body, key)).toMatchObject({ isOtherMode })
  })
})

test('during a rotation of the secret, events signed with the old or the new one are accepted, and no others', async () => {
  const stripe = await startFakeStripe()
  const { url, clock } = await startTestApp({
    now,
    environment: { ...stripe.environment, STRIPE_WEBHOOK_SECRET: 'whsec_new,whsec_old' },
  })
  const statusWith = async (secret: string) =>
    (await deliver(url, changed('cus_nobody'), { at: clock.now(), secret })).status
  expect(await Promise.all(['whsec_new', 'whsec_old', 'whsec_new,whsec_old', 'whsec_other'].map(statusWith))).toEqual([
    200, 200, 400, 400,
  ])
  // Stripe sends both signatures while both secrets are valid.
  const body = JSON.stringify(changed('cus_nobody'))
  const [byNew, byGone] = ['whsec_new', 'whsec_gone'].map((secret) => sign(body, { at: clock.now(), secret }))
  const both = `${byGone},${byNew!.replace(/^t=\d+,/, '')}`
  const headers = { 'stripe-signature': both }
  expect((await fetch(`${url}/webhooks/stripe`, { method: 'POST', headers, body })).status).toBe(200)
})
