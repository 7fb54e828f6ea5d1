import { afterEach, beforeEach, expect, test } from 'vitest'
import { Shop } from '../support/shop.ts'

let shop: Shop
beforeEach(async () => {
  shop = await Shop.open()
})
afterEach(() => shop.close())

test('shows the plan, its price and the amount due now', async () => {
  const { id: customer } = await shop.customer()
  const { path } = await shop.checkout({ customer }, 'price_standin_business_annual')
  const page = await shop.get(path)
  expect(page.status).toBe(200)
  expect(page.heading).toBe('Subscribe to Business')
  expect(page.text).toContain('Business, annual $1,990.00 a year')
  expect(page.text).toContain('For ada@aurora.example')
  expect(page.text).toContain('To be paid now $1,990.00')
  expect(page.text).toContain('This link works until 11 March 2026 at 09:00 UTC')
  expect(page.html).toContain('href="https://service.example/canceled"')
})

test('paying starts the subscription and redirects to the success URL with the session id', async () => {
  const { id: customer } = await shop.customer()
  const { id, path } = await shop.checkout({ customer })
  const reply = await shop.send(path, { card: 'works' })
  expect(reply.status).toBe(303)
  expect(reply.location).toBe(`https://service.example/done?session=${id}`)
  const { session, subscriptions } = await shop.query((db) => ({
    session: db.getOrThrow('checkout_sessions', id),
    subscriptions: db.all('subscriptions'),
  }))
  expect(session).toMatchObject({ status: 'complete', payment_status: 'paid', subscription: subscriptions[0]!.id })
  expect(subscriptions).toMatchObject([{ customer, status: 'active' }])
  expect(await shop.events()).toContain('checkout.session.completed')
})

test('submitting the form twice, even concurrently, starts one subscription and redirects both times', async () => {
  const { id, path } = await shop.checkout({ customer: (await shop.customer()).id })
  const form = { ...(await shop.get(path)).hidden(path), card: 'works' }
  const replies = await Promise.all([shop.post(path, form), shop.post(path, form)])
  replies.push(await shop.post(path, form))
  expect(replies.map(({ status, location }) => [status, location])).toEqual(
    Array(3).fill([303, `https://service.example/done?session=${id}`]),
  )
  expect(await shop.query((db) => db.all('subscriptions').length)).toBe(1)
  expect((await shop.events()).filter((type) => type === 'checkout.session.completed')).toHaveLength(1)
})

test('a declined card is reported on the same page, changes nothing, and another card can be tried', async () => {
  const { path } = await shop.checkout({ customer: (await shop.customer()).id })
  const declined = await shop.send(path, { card: 'declines' })
  expect(declined.status).toBe(402)
  expect(declined.notice).toBe('Your card was declined. You can try another one.')
  expect(declined.html).toContain('<title>Problem: Subscribe to Pro')
  expect(declined.html).toContain('value="declines" required checked')
  expect(await shop.query((db) => [db.all('subscriptions').length, db.all('payment_methods').length])).toEqual([0, 0])
  const paid = await shop.post(path, { ...declined.hidden(path), card: 'works' })
  expect(paid.status).toBe(303)
})

test('asks for an email if none is known, and requires it', async () => {
  const { path } = await shop.checkout()
  expect((await shop.get(path)).html).toContain('<label for="email">')
  const refused = await shop.send(path, { card: 'works', email: 'not "an" <address>' })
  expect(refused.status).toBe(400)
  expect(refused.notice).toContain('Please enter an email address')
  expect(refused.html).toContain('value="not &quot;an&quot; &lt;address&gt;"')
  expect(await shop.query((db) => db.all('customers').length)).toBe(0)
  expect((await shop.send(path, { card: 'works', email: ' ada@aurora.example ' })).status).toBe(303)
  expect(await shop.query((db) => db.all('customers').map(({ email }) => email))).toEqual(['ada@aurora.example'])
})

test('does not ask for an email that is known', async () => {
  const { path } = await shop.checkout({ customer_email: 'bo@aurora.example' })
  const page = await shop.get(path)
  expect(page.html).not.toContain('<label for="email">')
  expect(page.text).toContain('For bo@aurora.example')
})

test('a trial costs nothing now and takes a card that fails later', async () => {
  const { path } = await shop.checkout({
    customer: (await shop.customer()).id,
    'subscription_data[trial_period_days]': '14',
  })
  const page = await shop.get(path)
  expect(page.text).toContain('Free until 24 March 2026')
  expect(page.text).toContain('To be paid now $0.00')
  expect(page.text).toContain('A card that fails later')
  expect((await shop.send(path, { card: 'declines' })).status).toBe(303)
  expect(await shop.query((db) => db.all('subscriptions')[0]!.status)).toBe('trialing')
})

test('a used link says so and links to the next page', async () => {
  const { id, path } = await shop.checkout({ customer: (await shop.customer()).id })
  await shop.send(path, { card: 'works' })
  const page = await shop.get(path)
  expect(page.status).toBe(410)
  expect(page.heading).toBe('This link was already used')
  expect(page.html).toContain(`href="https://service.example/done?session=${id}"`)
})

test('says what is charged after today', async () => {
  const { path } = await shop.checkout({ customer: (await shop.customer()).id }, 'price_standin_business_annual')
  expect((await shop.get(path)).text).toContain('It renews every year for $1,990.00 until you cancel.')
  const trial = await shop.checkout({ 'subscription_data[trial_period_days]': '14' })
  expect((await shop.get(trial.path)).text).toContain('Then $49.00 every month until you cancel.')
})

const expire = (id: string) => shop.api('POST', `/v1/checkout/sessions/${id}/expire`)

test.each([
  ['has expired', 'This link has expired', () => shop.passDays(1)],
  ['its maker has ended', 'This link was closed', expire],
  [
    'was replaced by a newer one',
    'There is a newer link',
    async (id: string, customer: string) => {
      await shop.checkout({ customer })
      await expire(id)
    },
  ],
  [
    'was replaced by one that has expired',
    'This link has expired',
    async (id: string, customer: string) => {
      await expire((await shop.checkout({ customer })).id)
      await expire(id)
      shop.passDays(1)
    },
  ],
  [
    'was closed while another customer has a newer one',
    'This link was closed',
    async (id: string) => {
      await shop.checkout({ customer: (await shop.customer()).id })
      await expire(id)
    },
  ],
])('a link that %s says so, both when opened and when its form is submitted', async (_what, heading, end) => {
  const { id: customer } = await shop.customer()
  const { id, path } = await shop.checkout({ customer })
  const form = { ...(await shop.get(path)).hidden(path), card: 'works' }
  await end(id, customer)
  for (const page of [await shop.get(path), await shop.post(path, form)]) {
    expect(page.status).toBe(410)
    expect(page.heading).toBe(heading)
    expect(page.html).toContain('href="https://service.example/canceled"')
  }
  expect(await shop.query((db) => db.all('subscriptions').length)).toBe(0)
})

test('a link says that it is no longer needed once a plan was bought with another one', async () => {
  const { id: customer } = await shop.customer()
  const [older, newer] = [await shop.checkout({ customer }), await shop.checkout({ customer })]
  await shop.send(newer.path, { card: 'works' })
  await expire(older.id)
  expect((await shop.get(older.path)).heading).toBe('This link is no longer needed')
  const { id } = (await shop.query((db) => db.all('subscriptions')))[0]!
  await shop.api('DELETE', `/v1/subscriptions/${id}`)
  expect((await shop.get(older.path)).heading).toBe('This link was closed')
})

test('an expired link says until when it worked', async () => {
  const { path } = await shop.checkout()
  shop.passDays(2)
  expect((await shop.get(path)).text).toContain('It worked until 11 March 2026 at 09:00 UTC.')
})

test('a link of a deleted customer is not valid', async () => {
  const { id: customer } = await shop.customer()
  const { path } = await shop.checkout({ customer })
  await shop.api('DELETE', `/v1/customers/${customer}`)
  expect((await shop.get(path)).status).toBe(404)
})
