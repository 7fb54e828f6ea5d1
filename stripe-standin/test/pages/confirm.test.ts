import { afterEach, beforeEach, expect, test } from 'vitest'
import { Shop } from '../support/shop.ts'

let shop: Shop
beforeEach(async () => {
  shop = await Shop.open()
})
afterEach(() => shop.close())

const business = 'price_standin_business_monthly'
const enterprise = 'price_standin_enterprise_monthly'
const back = 'https://service.example/back'

test('shows the old plan, the new one and the amount due now', async () => {
  const subscriber = await shop.subscriber()
  shop.passDays(15.5)
  const page = await shop.get((await shop.confirmation(subscriber, business)).path)
  expect(page.status).toBe(200)
  expect(page.text).toContain('Current plan Pro, monthly, $49.00 a month')
  expect(page.text).toContain('New plan Business, monthly, $199.00 a month')
  expect(page.text).toContain('It changes At once')
  expect(page.text).toContain('Unused time on Pro after 25 March 2026 -$24.50')
  expect(page.text).toContain('To be paid now $75.00')
  expect(page.html).toContain('href="https://service.example/account"')
  expect(page.headers['content-security-policy']).toContain("form-action 'self' https://service.example;")
})

test('confirming changes the plan at once, charges it, and redirects as the link says', async () => {
  const subscriber = await shop.subscriber()
  const { path } = await shop.confirmation(subscriber, business)
  const reply = await shop.send(path, { card: 'on_file' })
  expect([reply.status, reply.location]).toEqual([303, back])
  const { id } = subscriber.subscription
  expect((await shop.subscription(id)).items[0]!.price).toBe(business)
  const amounts = await shop.query((db) => db.all('invoices').map(({ total, status }) => [total, status]))
  expect(amounts).toEqual([
    [4_900, 'paid'],
    [15_000, 'paid'],
  ])
})

test('confirming twice, even concurrently, changes the plan once and redirects both times', async () => {
  const { path } = await shop.confirmation(await shop.subscriber(), business)
  const form = { ...(await shop.get(path)).hidden(path), card: 'works' }
  const replies = await Promise.all([shop.post(path, form), shop.post(path, form)])
  replies.push(await shop.post(path, form))
  expect(replies.map(({ status, location }) => [status, location])).toEqual(Array(3).fill([303, back]))
  expect(await shop.query((db) => [db.all('invoices').length, db.all('payment_methods').length])).toEqual([2, 2])
  expect((await shop.get(path)).status).toBe(410)
})

test('viewing the page changes nothing', async () => {
  const subscriber = await shop.subscriber()
  const { path } = await shop.confirmation(subscriber, business)
  const before = await shop.events()
  await shop.get(path)
  expect(await shop.events()).toEqual(before)
  expect(await shop.subscription(subscriber.subscription.id)).toEqual(subscriber.subscription)
})

test('an outdated page changes nothing after the plan has changed', async () => {
  const subscriber = await shop.subscriber()
  const { path } = await shop.confirmation(subscriber, enterprise)
  const form = { ...(await shop.get(path)).hidden(path), card: 'on_file' }
  await shop.send((await shop.confirmation(subscriber, business)).path, { card: 'on_file' })
  const stale = await shop.post(path, form)
  expect(stale.status).toBe(403)
  expect(stale.text).toContain('Current plan Business, monthly')
  expect((await shop.subscription(subscriber.subscription.id)).items[0]!.price).toBe(business)
  expect((await shop.post(path, { ...stale.hidden(path), card: 'on_file' })).status).toBe(303)
})

test('a page that is minutes old still works, although the amount has dropped by cents', async () => {
  const { path } = await shop.confirmation(await shop.subscriber(), business)
  const form = { ...(await shop.get(path)).hidden(path), card: 'on_file' }
  shop.passSeconds(900)
  expect((await shop.post(path, form)).status).toBe(303)
  expect(await shop.query((db) => db.all('invoices')[1]!.total)).toBeLessThan(15_000)
})

test('there is nothing to confirm if the customer already has the plan or it has ended', async () => {
  const subscriber = await shop.subscriber()
  const [one, other] = [await shop.confirmation(subscriber, business), await shop.confirmation(subscriber, business)]
  await shop.send(one.path, { card: 'on_file' })
  const same = await shop.get(other.path)
  expect([same.status, same.heading]).toEqual([410, 'There is nothing to do here'])
  const { path } = await shop.confirmation(subscriber, enterprise)
  const form = { ...(await shop.get(path)).hidden(path), card: 'on_file' }
  await shop.api('DELETE', `/v1/subscriptions/${subscriber.subscription.id}`)
  for (const page of [await shop.get(path), await shop.post(path, form)]) expect(page.status).toBe(410)
})

test('in a trial without a card the page asks for one, ends the trial and charges the new plan', async () => {
  const subscriber = await shop.subscriber('price_standin_pro_monthly', {
    'subscription_data[trial_period_days]': '14',
  })
  await shop.standin.change(({ db }) => {
    db.update('subscriptions', subscriber.subscription, { default_payment_method: null })
  })
  const { path } = await shop.confirmation(subscriber, business)
  const page = await shop.get(path)
  expect(page.text).toContain('Your trial Ends now')
  expect(page.html).not.toContain('value="on_file"')
  expect((await shop.send(path, { card: 'on_file' })).status).toBe(402)
  expect((await shop.send(path, { card: 'works' })).location).toBe(back)
  expect(await shop.subscription(subscriber.subscription.id)).toMatchObject({
    status: 'active',
    items: [{ price: business }],
  })
})

test('a declined card on file leaves the plan unchanged', async () => {
  const subscriber = await shop.subscriber()
  const portal = await shop.portal(subscriber.customer.id)
  await shop.send(`${portal.path}/card`, { card: 'declines' })
  const before = await shop.subscription(subscriber.subscription.id)
  const { path } = await shop.confirmation(subscriber, business)
  const reply = await shop.send(path, { card: 'on_file' })
  expect(reply.status).toBe(402)
  expect(await shop.subscription(before.id)).toEqual(before)
})

test('a completed link without redirect opens the portal, and an expired one says so', async () => {
  const subscriber = await shop.subscriber()
  const { path } = await shop.confirmation(subscriber, business, {})
  const home = path.replace('confirm', 'portal')
  expect((await shop.get(home)).location).toBe(path)
  expect((await shop.send(path, { card: 'on_file' })).location).toBe(`${home}?did=change`)
  expect((await shop.get(home)).text).toContain('Business, monthly')
  expect((await shop.get(path)).location).toBe(home)
  const late = await shop.confirmation(subscriber, enterprise)
  shop.passSeconds(3_600)
  expect((await shop.get(late.path)).heading).toBe('This link has expired')
})

test("a plain portal's id confirms nothing", async () => {
  const { customer } = await shop.subscriber()
  const { id } = await shop.portal(customer.id)
  expect((await shop.get(`/pay/confirm/${id}`)).location).toBe(`/pay/portal/${id}`)
  expect((await shop.post(`/pay/confirm/${id}`, { token: 'x' })).location).toBe(`/pay/portal/${id}`)
})
