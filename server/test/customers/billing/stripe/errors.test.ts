import { describe, expect, test } from 'vitest'
import type { BillingProvider } from '../../../../src/customers/billing/provider.ts'
import { createStripeProvider } from '../../../../src/customers/billing/stripe/provider.ts'
import type { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import { event, type FakeStripe, priceIds, startFakeStripe, subscription } from '../support/fake-stripe.ts'
import { startAppWithFakeStripe } from '../support/fake-stripe-app.ts'

const access = (apiBase: string) => ({ secretKey: 'sk_test_fake', webhookSecrets: ['whsec_fake'], apiBase })

async function startProvider(): Promise<{ stripe: FakeStripe; billing: BillingProvider }> {
  const stripe = await startFakeStripe()
  stripe.subscriptions.set('cus_1', [subscription()])
  const found = access(stripe.url)
  return { stripe, billing: createStripeProvider({ getAccess: async () => found, prices: priceIds }) }
}

const failureOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )

describe('billing_provider_unavailable is thrown, and the next call works, when the provider', () => {
  test.concurrent.each<[string, FakeStripe['behavior']]>([
    ['answers 500', { status: 500 }],
    ['answers 503', { status: 503 }],
    ['answers 429', { status: 429 }],
    ['answers 409', { status: 409 }],
    ['breaks off its reply', 'cut off'],
    ['answers without JSON', 'not JSON'],
    ['answers JSON of another shape', 'other JSON'],
    ['never answers', 'never'],
    ['sends a reply that never ends', 'slow drip'],
  ])('%s', async (_what, behavior) => {
    const { stripe, billing } = await startProvider()
    stripe.behavior = behavior
    const failure = await failureOf(billing.listSubscriptions('cus_1'))
    expect(failure).toMatchObject({ code: 'billing_provider_unavailable', retryAfterSeconds: 5 })
    expect(failure.cause).toBeInstanceOf(Error)
    stripe.behavior = 'correct'
    expect(await billing.listSubscriptions('cus_1')).toHaveLength(1)
  })

  test.concurrent('cannot be reached', async () => {
    const nowhere = access('http://127.0.0.1:9')
    const billing = createStripeProvider({ getAccess: async () => nowhere, prices: priceIds })
    const failure = await failureOf(
      billing.createPortal({ customerId: 'cus_1', returnUrl: 'https://us.example/', opensAt: 'home' }),
    )
    expect(failure).toMatchObject({ code: 'billing_provider_unavailable' })
  })
})

test.each([401, 403])(
  'a key that the provider refuses with %i is the operator’s to correct, not our bug',
  async (status) => {
    const app = await startAppWithFakeStripe()
    const key = await app.customer(`cus_refused_${status}`, [subscription()])
    app.stripe.behavior = { status }
    for (const path of ['/billing/portal-link', '/billing/subscription-link']) {
      const body = path.endsWith('portal-link') ? undefined : { plan: 'business' }
      const reply = await key.post(path, body)
      expect([reply.status, reply.body.error.code]).toEqual([503, 'billing_provider_unavailable'])
      expect(reply.headers.get('retry-after')).toBe('60')
      expect(reply.body.error.message).not.toContain('Something is wrong here.')
    }
  },
)

describe('internal_error is thrown', () => {
  test.each([400, 404])('when the provider answers %i, and its message stays private', async (status) => {
    const { stripe, billing } = await startProvider()
    stripe.behavior = { status }
    const failure = await failureOf(billing.listSubscriptions('cus_1'))
    expect(failure).toMatchObject({ code: 'internal_error' })
    expect(failure.message).not.toContain('Something is wrong here.')
    expect(failure.cause).toMatchObject({ message: 'Something is wrong here.' })
  })

  test('for an offer without a configured price, without calling the provider', async () => {
    const { stripe, billing } = await startProvider()
    expect(billing.isForSale('enterprise', 'annual')).toBe(false)
    expect(billing.isForSale('enterprise', 'monthly')).toBe(true)
    const pages = { returnUrl: 'https://us.example/done', canceledUrl: 'https://us.example/canceled' }
    const input = { customerId: 'cus_1', accountPublicId: 'acct_1', ...pages, expiresAt: new Date(0) }
    const failure = await failureOf(billing.createCheckout({ ...input, plan: 'enterprise', billing: 'annual' }))
    expect(failure).toMatchObject({ code: 'internal_error' })
    expect(stripe.requests).toEqual([])
  })
})

test('each call uses the current address of the provider', async () => {
  const [first, second] = [await startProvider(), await startProvider()]
  second.stripe.subscriptions.set('cus_1', [subscription({ id: 'sub_2' })])
  let found = access(first.stripe.url)
  const billing = createStripeProvider({ getAccess: async () => found, prices: priceIds })
  expect((await billing.listSubscriptions('cus_1'))[0]!.id).toBe('sub_1')
  found = access(second.stripe.url)
  expect((await billing.listSubscriptions('cus_1'))[0]!.id).toBe('sub_2')
})

test('STRIPE_API_BASE may contain a path', async () => {
  const { stripe } = await startProvider()
  const found = access(`${stripe.url}/behind/a/gateway`)
  const billing = createStripeProvider({ getAccess: async () => found, prices: priceIds })
  await failureOf(billing.listSubscriptions('cus_1'))
  expect(stripe.requests).toEqual(['GET /behind/a/gateway/v1/subscriptions'])
})

test('events are an internal error while no webhook secret is set', async () => {
  const found = { ...access('http://127.0.0.1:9'), webhookSecrets: [] }
  const billing = createStripeProvider({ getAccess: async () => found, prices: {} })
  const input = { body: Buffer.from('{}'), signature: 't=1,v1=a', now: new Date(0) }
  expect(await failureOf(billing.parseSignedEvent(input))).toMatchObject({ code: 'internal_error' })
})

test('while the provider does not answer, data is served and events are answered 503', async () => {
  const app = await startAppWithFakeStripe()
  const reader = await app.key({})
  const customers = Array.from({ length: 30 }, (_, index) => `cus_silent_${index}`)
  for (const customer of customers) await app.customer(customer, [])
  app.stripe.behavior = 'never'
  let answered = 0
  const deliveries = customers.map(async (id) => {
    const reply = await app.deliver(event('customer.updated', { object: 'customer', id }))
    answered += 1
    return reply
  })
  for (let call = 0; call < 5; call++) expect((await reader.get('/usage')).status).toBe(200)
  expect(answered).toBe(0)
  for (const reply of await Promise.all(deliveries)) {
    expect(reply.status).toBe(503)
    expect(reply.body.error.code).toBe('billing_provider_unavailable')
  }
})
