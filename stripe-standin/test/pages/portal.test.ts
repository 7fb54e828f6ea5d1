import { afterEach, beforeEach, expect, test } from 'vitest'
import { redirectAfter, Shop } from '../support/shop.ts'

let shop: Shop
beforeEach(async () => {
  shop = await Shop.open()
})
afterEach(() => shop.close())

const business = 'price_standin_business_monthly'
const back = 'https://service.example/back'

test('shows plan, card, invoices and the link back', async () => {
  const { customer } = await shop.subscriber()
  const page = await shop.get((await shop.portal(customer.id)).path)
  expect(page.status).toBe(200)
  expect(page.text).toContain('Pro, monthly Price $49.00 a month State Active, paid until 10 April 2026')
  expect(page.text).toContain('Visa ending in 4242')
  expect(page.text).toMatch(/10 March 2026 \S+-0001 \$49\.00 Paid/)
  expect(page.html).toContain('href="https://service.example/account"')
})

test('shows that a new customer has no plan, card or invoices', async () => {
  const page = await shop.get((await shop.portal((await shop.customer()).id)).path)
  expect(page.text).toContain('You have no plan.')
  expect(page.text).toContain('No card is on file.')
  expect(page.text).toContain('No invoices yet.')
})

test('shows no data of other customers', async () => {
  const { subscription } = await shop.subscriber()
  const stranger = await shop.portal((await shop.customer({ email: 'eve@aurora.example' })).id)
  const page = await shop.get(stranger.path)
  expect(page.text).not.toContain('Pro')
  for (const what of ['cancel', 'plans', 'change'])
    expect((await shop.get(`${stranger.path}/${what}/${subscription.id}`)).status, what).toBe(410)
  for (const what of ['cancel', 'keep', 'resume'])
    expect((await shop.post(`${stranger.path}/${what}/${subscription.id}`, {})).status, what).toBe(410)
  expect((await shop.post(`${stranger.path}/invoices/${subscription.latest_invoice}/pay`, {})).status).toBe(404)
  expect(await shop.subscription(subscription.id)).toEqual(subscription)
})

test('a link expires after an hour', async () => {
  const { customer } = await shop.subscriber()
  const session = await shop.portal(customer.id)
  shop.passSeconds(3_599)
  expect((await shop.get(session.path)).status).toBe(200)
  shop.passSeconds(1)
  for (const path of [session.path, `${session.path}/card`]) {
    const page = await shop.get(path)
    expect(page.status).toBe(410)
    expect(page.heading).toBe('This link has expired')
  }
})

test('cancels at the end of the period, once, and reverts it', async () => {
  const { customer, subscription } = await shop.subscriber()
  const session = await shop.portal(customer.id)
  const cancel = `${session.path}/cancel/${subscription.id}`
  const form = (await shop.get(cancel)).hidden(cancel)
  expect((await shop.post(cancel, form)).location).toBe(`${session.path}?did=cancel`)
  expect((await shop.post(cancel, form)).location).toBe(session.path)
  expect(await shop.subscription(subscription.id)).toMatchObject({ status: 'active', cancel_at_period_end: true })

  const page = await shop.get(`${session.path}?did=cancel`)
  expect(page.notice).toBe('Your plan is canceled.')
  expect(page.text).toContain('Ends on 10 April 2026')
  const keep = `${session.path}/keep/${subscription.id}`
  expect((await shop.send(session.path, {}, keep)).location).toBe(`${session.path}?did=keep`)
  expect(await shop.subscription(subscription.id)).toMatchObject({ cancel_at_period_end: false, cancel_at: null })
  expect((await shop.post(keep, {})).location).toBe(session.path)
  const updates = (await shop.events()).filter((type) => type === 'customer.subscription.updated')
  expect(updates).toHaveLength(3) // paid, canceled, kept
})

test('upgrades at once and charges the difference, and downgrades when the period ends', async () => {
  const { customer, subscription } = await shop.subscriber(business)
  const session = await shop.portal(customer.id)
  const plans = await shop.get(`${session.path}/plans/${subscription.id}`)
  expect(plans.text).toContain('Enterprise, monthly, $999.00 a month At once; $800.00 to be paid now.')
  expect(plans.text).toContain('Pro, monthly, $49.00 a month From 10 April 2026, when the paid period ends.')
  expect(plans.html).not.toContain(`value="${business}"`)

  const change = `${session.path}/change/${subscription.id}`
  const up = await shop.send(`${change}?price=price_standin_enterprise_monthly`, { card: 'on_file' }, change)
  expect(up.location).toBe(`${session.path}?did=change`)
  expect((await shop.subscription(subscription.id)).items[0]!.price).toBe('price_standin_enterprise_monthly')

  const down = await shop.send(`${change}?price=price_standin_pro_monthly`, {}, change)
  expect(down.location).toBe(`${session.path}?did=schedule`)
  const page = await shop.get(down.location!)
  expect(page.text).toContain('Changes to Pro, monthly on 10 April 2026')
  expect((await shop.subscription(subscription.id)).items[0]!.price).toBe('price_standin_enterprise_monthly')

  await shop.send(session.path, {}, `${session.path}/keep/${subscription.id}`)
  expect((await shop.subscription(subscription.id)).schedule).toBeNull()
})

test('a change submitted twice is made once', async () => {
  const { customer, subscription } = await shop.subscriber()
  const session = await shop.portal(customer.id)
  const change = `${session.path}/change/${subscription.id}`
  for (const price of [business, 'price_standin_pro_monthly']) {
    const form = { ...(await shop.get(`${change}?price=${price}`)).hidden(change), card: 'on_file' }
    const replies = await Promise.all([shop.post(change, form), shop.post(change, form)])
    expect(replies.map(({ status }) => status)).toEqual([303, 303])
  }
  expect(await shop.query((db) => db.all('invoices').length)).toBe(2)
  expect(await shop.query((db) => db.all('subscription_schedules').length)).toBe(1)
})

test('a declined card leaves plan and card unchanged', async () => {
  const { customer, subscription } = await shop.subscriber()
  const session = await shop.portal(customer.id)
  const change = `${session.path}/change/${subscription.id}`
  const page = await shop.send(`${change}?price=${business}`, { card: 'declines' }, change)
  expect(page.status).toBe(402)
  expect(page.notice).toContain('Your card was declined.')
  expect(await shop.subscription(subscription.id)).toEqual(subscription)
  const paid = await shop.post(change, { ...page.hidden(change), card: 'works' })
  expect(paid.status).toBe(303)
})

test('a new card pays open invoices and reactivates a past due plan', async () => {
  const { customer, subscription } = await shop.subscriber()
  const first = await shop.portal(customer.id)
  expect((await shop.send(`${first.path}/card`, { card: 'declines' })).location).toBe(`${first.path}?did=card`)
  shop.passDays(31.1)
  const session = await shop.portal(customer.id)
  const page = await shop.get(session.path)
  expect(page.text).toContain('Past due: the last payment failed')
  expect(page.text).toContain('$49.00 To be paid Pay $49.00')

  const pay = `${session.path}/invoices/${(await shop.subscription(subscription.id)).latest_invoice}/pay`
  const declined = await shop.send(session.path, {}, pay)
  expect([declined.status, declined.heading]).toEqual([402, 'Your plan and payments'])

  const card = `${session.path}/card`
  expect((await shop.get(card)).text).toContain('charged to the new card at once $49.00')
  const form = { ...(await shop.get(card)).hidden(card), card: 'works' }
  expect((await shop.post(card, form)).status).toBe(303)
  expect((await shop.post(card, form)).status).toBe(403)
  expect(await shop.subscription(subscription.id)).toMatchObject({ status: 'active' })
  expect(await shop.query((db) => db.all('payment_methods').length)).toBe(3)
  expect((await shop.post(pay, {})).location).toBe(session.path)
})

test('a plan paused without a card is resumed', async () => {
  const { customer, subscription } = await shop.subscriber()
  await shop.standin.change(({ db }) => {
    db.update('subscriptions', subscription, { status: 'paused', default_payment_method: null })
  })
  const session = await shop.portal(customer.id)
  const resume = `${session.path}/resume/${subscription.id}`
  expect((await shop.get(session.path)).actions).not.toContain(resume)
  await shop.send(`${session.path}/card`, { card: 'declines' })
  expect((await shop.send(session.path, {}, resume)).status).toBe(402)
  expect(await shop.query((db) => db.all('invoices').length)).toBe(1)
  await shop.send(`${session.path}/card`, { card: 'works' })
  expect((await shop.send(session.path, {}, resume)).location).toBe(`${session.path}?did=resume`)
  expect(await shop.subscription(subscription.id)).toMatchObject({ status: 'active' })
})

test('disabled features are neither offered nor executed', async () => {
  const { customer, subscription } = await shop.subscriber()
  await shop.standin.change(({ db }) => {
    const configuration = db.getOrThrow('portal_configurations', 'bpc_standin_default')
    const { features } = configuration
    db.update('portal_configurations', configuration, {
      features: {
        ...features,
        invoice_history: { enabled: false },
        payment_method_update: { enabled: false },
        subscription_cancel: { ...features.subscription_cancel, enabled: false },
        subscription_update: { ...features.subscription_update, enabled: false },
      },
    })
  })
  const session = await shop.portal(customer.id)
  const page = await shop.get(session.path)
  expect(page.text).not.toMatch(/Invoices|Change|Cancel/)
  const [card, cancel] = [`${session.path}/card`, `${session.path}/cancel/${subscription.id}`]
  for (const path of [card, cancel]) expect((await shop.get(path)).status, path).toBe(404)
  expect((await shop.get(`${session.path}/plans/${subscription.id}`)).status).toBe(410)
  for (const path of [card, cancel]) expect((await shop.post(path, { token: 'x', card: 'works' })).status).not.toBe(303)
  expect(await shop.subscription(subscription.id)).toEqual(subscription)
})

const flows = {
  'a card': (_subscription: string) => ({
    flow: { type: 'payment_method_update' },
    page: '/card',
    chosen: { card: 'works' },
    cardsAfter: 2,
  }),
  'a cancellation': (subscription: string) => ({
    flow: { type: 'subscription_cancel', 'subscription_cancel[subscription]': subscription },
    page: `/cancel/${subscription}`,
    chosen: {},
    cardsAfter: 1,
  }),
}

test.each(['a card', 'a cancellation'] as const)(
  'a link for %s allows only that, once, and redirects',
  async (name) => {
    const { customer, subscription } = await shop.subscriber()
    const { flow, page, chosen, cardsAfter } = flows[name](subscription.id)
    const session = await shop.portal(customer.id, { ...flow, ...redirectAfter })
    const path = session.path + page
    for (const other of [session.path, `${session.path}/plans/${subscription.id}`]) {
      expect((await shop.get(other)).location).toBe(path)
    }
    expect((await shop.get(path)).html).toContain('href="https://service.example/account"')
    const form = { ...(await shop.get(path)).hidden(path), ...chosen }
    const replies = await Promise.all([shop.post(path, form), shop.post(path, form)])
    expect(replies.map(({ location }) => location)).toEqual([back, back])
    const again = await shop.get(path)
    expect([again.status, again.heading]).toEqual([410, 'This link was already used'])
    expect(await shop.query((db) => db.all('payment_methods').length)).toBe(cardsAfter)
  },
)

test('a link for a plan change leads through the choice and back to the service', async () => {
  const { customer, subscription } = await shop.subscriber()
  const session = await shop.portal(customer.id, {
    type: 'subscription_update',
    'subscription_update[subscription]': subscription.id,
    'after_completion[type]': 'hosted_confirmation',
    'after_completion[hosted_confirmation][custom_message]': 'Thank <you>!',
  })
  const plans = `${session.path}/plans/${subscription.id}`
  expect((await shop.get(session.path)).location).toBe(plans)
  const change = `${session.path}/change/${subscription.id}`
  const done = await shop.send(`${change}?price=${business}`, { card: 'on_file' }, change)
  expect([done.status, done.heading]).toEqual([200, 'All done'])
  expect(done.html).toContain('Thank &lt;you&gt;!')
  expect((await shop.get(plans)).heading).toBe('All done')
})
