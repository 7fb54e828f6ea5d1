import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { customerWithCard, daySeconds, openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('the same key does the work once, even for concurrent requests', async () => {
  const { stripe } = world
  const create = () => stripe.customers.create({ email: 'once@shop.example' }, { idempotencyKey: 'once' })
  const [one, other] = await Promise.all([create(), create()])
  const later = await create()
  expect(new Set([one.id, other.id, later.id]).size).toBe(1)
  expect(later.lastResponse.headers['idempotent-replayed']).toBe('true')
  expect((await stripe.customers.list({ email: 'once@shop.example' })).data).toHaveLength(1)
})

test('the same key with other parameters or another path is rejected', async () => {
  const { stripe } = world
  await stripe.customers.create({ email: 'a@shop.example' }, { idempotencyKey: 'taken' })
  await expect(stripe.customers.create({ email: 'b@shop.example' }, { idempotencyKey: 'taken' })).rejects.toThrow(
    Stripe.errors.StripeIdempotencyError,
  )
  await expect(stripe.products.create({ name: 'a' }, { idempotencyKey: 'taken' })).rejects.toThrow(
    Stripe.errors.StripeIdempotencyError,
  )
})

test('a request rejected for its parameters does not use its key', async () => {
  const { stripe } = world
  const wrong = { nme: 'x' } as unknown as Stripe.ProductCreateParams
  await expect(stripe.products.create(wrong, { idempotencyKey: 'second' })).rejects.toThrow('nme')
  expect((await stripe.products.create({ name: 'x' }, { idempotencyKey: 'second' })).name).toBe('x')
})

test('an error is replayed, even if the request would succeed by now', async () => {
  const { stripe } = world
  const customer = await stripe.customers.create()
  const items = [{ price: 'price_standin_pro_monthly' }]
  const subscribe = () => stripe.subscriptions.create({ customer: customer.id, items }, { idempotencyKey: 'no-card' })
  await expect(subscribe()).rejects.toThrow('default payment method')
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } })
  await expect(subscribe()).rejects.toThrow('default payment method')
  expect((await stripe.subscriptions.create({ customer: customer.id, items })).status).toBe('active')
})

test('a declined payment is replayed as declined, without another attempt', async () => {
  const { stripe } = world
  const customer = await customerWithCard(stripe, 'pm_card_chargeCustomerFail')
  await stripe.invoiceItems.create({ customer: customer.id, amount: 2_000, currency: 'usd' })
  const invoice = await stripe.invoices.create({ customer: customer.id, pending_invoice_items_behavior: 'include' })
  const pay = () => stripe.invoices.pay(invoice.id, {}, { idempotencyKey: 'pay-once' })
  await expect(pay()).rejects.toThrow(Stripe.errors.StripeCardError)
  await expect(pay()).rejects.toThrow(Stripe.errors.StripeCardError)
  await world.settle()
  expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ status: 'open', attempt_count: 1 })
  const failures = world.receiver.events.filter(({ type }) => type === 'invoice.payment_failed')
  expect(failures).toHaveLength(1)
})

test('a key can be used again after a day', async () => {
  const { stripe } = world
  await stripe.products.create({ name: 'one' }, { idempotencyKey: 'daily' })
  await world.advance(daySeconds + 1)
  expect((await stripe.products.create({ name: 'two' }, { idempotencyKey: 'daily' })).name).toBe('two')
})
