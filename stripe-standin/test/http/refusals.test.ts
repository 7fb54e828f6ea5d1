import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient, customerWithCard, openWorld, secretKey, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

async function refusal(request: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof Stripe.errors.StripeError) return error
  throw new Error(`It was not refused: ${String(error)}`)
}

test('unknown parameters are rejected at any depth', async () => {
  const { stripe } = world
  const wrong = { email: 'a@shop.example', e_mail: 'b@shop.example' } as Stripe.CustomerCreateParams
  const error = await refusal(stripe.customers.create(wrong))
  expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
  expect(error).toMatchObject({ statusCode: 400, code: 'parameter_unknown', param: 'e_mail' })
  const deep = { customer: 'cus_x', items: [{ price: 'price_standin_pro_monthly', prise: 1 }] }
  expect(await refusal(stripe.subscriptions.create(deep as Stripe.SubscriptionCreateParams))).toMatchObject({
    code: 'parameter_unknown',
    param: 'items[0][prise]',
  })
})

test('errors name a missing parameter and an invalid number, enum value or boolean', async () => {
  const { stripe } = world
  const params = (wrong: object) => wrong as Stripe.SubscriptionCreateParams
  expect(await refusal(stripe.subscriptions.create(params({ customer: 'cus_x' })))).toMatchObject({
    code: 'parameter_missing',
    param: 'items',
  })
  const items = [{ price: 'price_standin_pro_monthly' }]
  expect(
    await refusal(stripe.subscriptions.create(params({ customer: 'cus_x', items, trial_period_days: 'two' }))),
  ).toMatchObject({ code: 'parameter_invalid_integer', param: 'trial_period_days' })
  expect(
    await refusal(stripe.subscriptions.create(params({ customer: 'cus_x', items, payment_behavior: 'maybe' }))),
  ).toMatchObject({ param: 'payment_behavior' })
  expect(
    await refusal(stripe.subscriptions.create(params({ customer: 'cus_x', items, cancel_at_period_end: 'yes' }))),
  ).toMatchObject({ param: 'cancel_at_period_end' })
  expect(await refusal(stripe.customers.create({ email: 'nobody' }))).toMatchObject({ code: 'email_invalid' })
  expect(await refusal(stripe.customers.list({ limit: 101 }))).toMatchObject({ param: 'limit' })
})

test('names of inherited object properties are unknown parameters too', async () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty', '__proto__[x]']) {
    const answer = await fetch(`${world.url}/v1/customers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: `${encodeURIComponent(name)}=1`,
    })
    // The last one never becomes a parameter, so it cannot have an effect.
    expect([name, answer.status]).toEqual([name, name.startsWith('__proto__') ? 200 : 400])
  }
  expect(({} as { x?: string }).x).toBeUndefined()
})

test('an unknown id is a 404 in the path and a 400 in a parameter', async () => {
  const { stripe } = world
  expect(await refusal(stripe.subscriptions.retrieve('sub_unknown'))).toMatchObject({
    statusCode: 404,
    code: 'resource_missing',
    message: "No such subscription: 'sub_unknown'",
  })
  const items = [{ price: 'price_standin_pro_monthly' }]
  expect(await refusal(stripe.subscriptions.create({ customer: 'cus_unknown', items }))).toMatchObject({
    statusCode: 400,
    code: 'resource_missing',
    param: 'customer',
  })
})

test('a wrong key is an authentication error for every request', async () => {
  const stranger = createClient(world.url, 'sk_test_wrong')
  expect(await refusal(stranger.customers.list())).toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
  expect(await refusal(stranger.customers.retrieve('cus_unknown'))).toMatchObject({ statusCode: 401 })
})

test('a declined card is a card error', async () => {
  const { stripe } = world
  const customer = await customerWithCard(stripe, 'pm_card_chargeCustomerFail')
  const error = await refusal(
    stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: 'price_standin_pro_monthly' }],
      payment_behavior: 'error_if_incomplete',
    }),
  )
  expect(error).toBeInstanceOf(Stripe.errors.StripeCardError)
  expect(error).toMatchObject({ statusCode: 402, code: 'card_declined', decline_code: 'generic_decline' })
  expect((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data).toEqual([])
})

test('an unknown path and a body that is not a form get the same error envelope', async () => {
  const headers = { authorization: `Bearer ${secretKey}` }
  const unknown = await fetch(`${world.url}/v1/horses`, { headers })
  expect([unknown.status, unknown.headers.get('request-id')]).toEqual([404, expect.stringMatching(/^req_/)])
  expect(await unknown.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  const json = await fetch(`${world.url}/v1/customers`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{}',
  })
  expect([json.status, await json.json()]).toMatchObject([415, { error: { type: 'invalid_request_error' } }])
})

test('a property that is not a reference cannot be expanded', async () => {
  const { stripe } = world
  const customer = await stripe.customers.create({ email: 'a@shop.example' })
  expect(await refusal(stripe.customers.retrieve(customer.id, { expand: ['email.name'] }))).toMatchObject({
    message: 'This property cannot be expanded (email.name).',
  })
  expect(await refusal(stripe.customers.retrieve(customer.id, { expand: ['constructor'] }))).toMatchObject({
    statusCode: 400,
  })
})
