import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('the seeded plans have prices with lookup keys', async () => {
  const { data } = await world.stripe.prices.list({
    lookup_keys: ['storedex_pro_monthly', 'storedex_enterprise_annual'],
    expand: ['data.product'],
  })
  const found = Object.fromEntries(
    data.map(({ lookup_key, id, unit_amount, recurring, product }) => [
      lookup_key,
      [id, unit_amount, recurring?.interval, (product as { name: string }).name],
    ]),
  )
  expect(found).toEqual({
    storedex_pro_monthly: ['price_standin_pro_monthly', 4_900, 'month', 'Pro'],
    storedex_enterprise_annual: ['price_standin_enterprise_annual', 999_000, 'year', 'Enterprise'],
  })
})

test('a product and its price can be created, updated and retrieved', async () => {
  const { stripe } = world
  const product = await stripe.products.create({ name: 'Extra', metadata: { kind: 'addon' } })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1_500,
    recurring: { interval: 'month' },
    lookup_key: 'extra',
  })
  await stripe.products.update(product.id, { name: 'Extra rows', metadata: { kind: '' }, default_price: price.id })
  const read = await stripe.products.retrieve(product.id, { expand: ['default_price'] })
  expect(read).toMatchObject({ name: 'Extra rows', metadata: {}, default_price: { id: price.id, unit_amount: 1_500 } })
})

test('a lookup key moves to another price only on request', async () => {
  const { stripe } = world
  const wanted = { currency: 'usd', unit_amount: 100, product_data: { name: 'One' }, lookup_key: 'moving' }
  const first = await stripe.prices.create(wanted)
  await expect(stripe.prices.create(wanted)).rejects.toThrow('already uses that lookup key')
  const second = await stripe.prices.create({ ...wanted, transfer_lookup_key: true })
  expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull()
  expect((await stripe.prices.list({ lookup_keys: ['moving'] })).data.map(({ id }) => id)).toEqual([second.id])
})

test('lists are paginated in both directions, newest first', async () => {
  const { stripe } = world
  const made: string[] = []
  for (let n = 0; n < 7; n += 1) made.push((await stripe.customers.create({ email: 'walk@shop.example' })).id)
  const walked: string[] = []
  for await (const { id } of stripe.customers.list({ email: 'walk@shop.example', limit: 3 })) walked.push(id)
  expect(walked).toEqual(made.toReversed())
  const before = await stripe.customers.list({ email: 'walk@shop.example', limit: 2, ending_before: made[2]! })
  expect([before.data.map(({ id }) => id), before.has_more]).toEqual([[made[4], made[3]], true])
  const first = await stripe.customers.list({ email: 'walk@shop.example', limit: 7 })
  expect(first.has_more).toBe(false)
})

test('pagination continues after a record that has changed meanwhile', async () => {
  const { stripe } = world
  const made: string[] = []
  for (let n = 0; n < 3; n += 1)
    made.push((await stripe.products.create({ name: 'Walked', url: 'https://w.example' })).id)
  const query = { url: 'https://w.example', active: true, limit: 1 }
  const first = await stripe.products.list(query)
  await stripe.products.update(first.data[0]!.id, { active: false })
  const second = await stripe.products.list({ ...query, starting_after: first.data[0]!.id })
  expect([second.data[0]!.id, second.has_more]).toEqual([made[1], true])
})

test('a deleted customer keeps only its id, and its subscriptions end', async () => {
  const { stripe } = world
  const customer = await stripe.customers.create({ payment_method: 'pm_card_visa' })
  const [card] = (await stripe.customers.listPaymentMethods(customer.id)).data
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    default_payment_method: card!.id,
    items: [{ price: 'price_standin_pro_monthly' }],
  })
  await stripe.customers.del(customer.id)
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ id: customer.id, deleted: true })
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled')
})
