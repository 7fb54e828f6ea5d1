import { beforeEach, expect, test } from 'vitest'
import { createStripeProvider } from '../../../../src/customers/billing/stripe/provider.ts'
import type { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import { type FakeCheckout, priceIds, startFakeStripe } from '../support/fake-stripe.ts'

const stripe = await startFakeStripe()
const access = { secretKey: 'sk_test_fake', webhookSecrets: [], apiBase: stripe.url }
const billing = createStripeProvider({ getAccess: async () => access, prices: priceIds })
beforeEach(() => {
  stripe.requests.length = 0
})

const daySeconds = 86_400
const nowSeconds = 1_772_323_200
/** Sets the customer's checkouts, newest first. */
const setCheckouts = (...checkouts: Partial<FakeCheckout>[]) => {
  stripe.checkouts = checkouts.map((traits, index) => ({
    id: `cs_${index}`,
    customer: 'cus_1',
    created: nowSeconds - index,
    mode: 'subscription',
    status: 'open',
    ...traits,
  }))
}
const statuses = () => stripe.checkouts.map(({ status }) => status)

test('closeCheckouts closes all open subscription checkouts of the customer, and no others', async () => {
  setCheckouts({}, { mode: 'payment' }, { status: 'complete' }, { customer: 'cus_2' }, {}, { status: 'expired' })
  await billing.closeCheckouts('cus_1')
  expect(statuses()).toEqual(['expired', 'open', 'complete', 'open', 'expired', 'expired'])
  expect(stripe.requests.filter((request) => request.endsWith('/expire'))).toHaveLength(2)
})

test('closeCheckouts closes checkouts on all pages of the list', async () => {
  setCheckouts(...Array.from({ length: 45 }, () => ({})))
  await billing.closeCheckouts('cus_1')
  expect(new Set(statuses())).toEqual(new Set(['expired']))
})

test('closeCheckouts does not list checkouts older than a day, which have expired', async () => {
  const old = Array.from({ length: 60 }, (): Partial<FakeCheckout> => {
    return { status: 'complete', created: nowSeconds - daySeconds - 1 }
  })
  setCheckouts({ status: 'complete' }, ...old)
  await billing.closeCheckouts('cus_1')
  expect(stripe.requests).toEqual(['GET /v1/checkout/sessions'])
})

test.each(['complete', 'expired'] as const)(
  'closeCheckouts accepts a checkout that became %s after it was listed',
  async (status) => {
    setCheckouts({}, { status, listed: 'open' })
    await billing.closeCheckouts('cus_1')
    expect(statuses()).toEqual(['expired', status])
  },
)

test('closeCheckouts fails if an open checkout cannot be closed', async () => {
  setCheckouts({ isStuck: true }, {})
  const failure: Refusal = await billing.closeCheckouts('cus_1').then(
    () => expect.unreachable(),
    (error) => error,
  )
  expect(failure).toMatchObject({ code: 'internal_error', cause: { message: expect.stringContaining('open') } })
})
