import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PortalFlow, PortalSession } from '../../src/state/records.ts'
import { Shop } from './shop.ts'

let shop: Shop
beforeEach(() => {
  shop = new Shop()
})
afterEach(() => shop.close())

const home = ({ id }: PortalSession) => `/pay/portal/${id}`
const business = 'price_standin_business_monthly'
const redirect = { type: 'redirect', return_url: 'https://service.example/back' } as const

test('shows plan, card and invoices, and the way back', async () => {
  const { customer } = await shop.subscriber()
  const page = await shop.get(home(await shop.portal(customer.id)))
  expect(page.status).toBe(200)
  expect(page.text).toContain('Pro, monthly Price $49.00 a month State Active, paid until 10 April 2026')
  expect(page.text).toContain('Visa ending in 4242')
  expect(page.text).toMatch(/10 March 2026 \S+-0001 \$49\.00 Paid/)
  expect(page.html).toContain('href="https://service.example/account"')
})

test('of a customer without anything it shows that there is nothing', async () => {
  const page = await shop.get(home(await shop.portal((await shop.customer()).id)))
  expect(page.text).toContain('You have no plan at present.')
  expect(page.text).toContain('No card is on file.')
  expect(page.text).toContain('No invoices yet.')
})

test("shows nothing of another customer's", async () => {
  const { subscription } = await shop.subscriber()
  const stranger = await shop.portal((await shop.customer({ email: 'eve@aurora.example' })).id)
  const page = await shop.get(home(stranger))
  expect(page.text).not.toContain('Pro')
  for (const what of ['cancel', 'plans', 'change'])
    expect((await shop.get(`${home(stranger)}/${what}/${subscription.id}`)).status, what).toBe(410)
  for (const what of ['cancel', 'keep', 'resume'])
    expect((await shop.post(`${home(stranger)}/${what}/${subscription.id}`, {})).status, what).toBe(410)
  expect((await shop.post(`${home(stranger)}/invoices/${subscription.latest_invoice}/pay`, {})).status).toBe(404)
  expect(await shop.subscription(subscription.id)).toEqual(subscription)
})

test('a link expires after an hour', async () => {
  const { customer } = await shop.subscriber()
  const session = await shop.portal(customer.id)
  shop.passSeconds(3_599)
  expect((await shop.get(home(session))).status).toBe(200)
  shop.passSeconds(1)
  for (const path of [home(session), `${home(session)}/card`]) {
    const page = await shop.get(path)
    expect(page.status).toBe(410)
    expect(page.heading).toBe('This link has expired')
  }
})

test('cancels at the end of the period, once, and takes it back', async () => {
  const { customer, subscription } = await shop.subscriber()
  const session = await shop.portal(customer.id)
  const cancel = `${home(session)}/cancel/${subscription.id}`
  const form = (await shop.get(cancel)).hidden(cancel)
  expect((await shop.post(cancel, form)).location).toBe(`${home(session)}?did=cancel`)
  expect((await shop.post(cancel, form)).location).toBe(home(session))
  expect(await shop.subscription(subscription.id)).toMatchObject({ status: 'active', cancel_at_period_end: true })

  const page = await shop.get(`${home(session)}?did=cancel`)
  expect(page.notice).toBe('Your plan is canceled.')
  expect(page.text).toContain('Ends on 10 April 2026')
  const keep = `${home(session)}/keep/${subscription.id}`
  expect((await shop.send(home(session), {}, keep)).location).toBe(`${home(session)}?did=keep`)
  expect(await shop.subscription(subscription.id)).toMatchObject({ cancel_at_period_end: false, cancel_at: null })
  expect((await shop.post(keep, {})).location).toBe(home(session))
  const updates = (await shop.events()).filter((type) => type === 'customer.subscription.updated')
  expect(updates).toHaveLength(3) // paid, canceled, kept
})

test('goes up at once and charges the difference, and goes down when the period ends', async () => {
  const { customer, subscription } = await shop.subscriber(business)
  const session = await shop.portal(customer.id)
  const plans = await shop.get(`${home(session)}/plans/${subscription.id}`)
  expect(plans.text).toContain('Enterprise, monthly, $999.00 a month At once; $800.00 to be paid now.')
  expect(plans.text).toContain('Pro, monthly, $49.00 a month From 10 April 2026, when the paid period ends.')
  expect(plans.html).not.toContain(`value="${business}"`)

  const change = `${home(session)}/change/${subscription.id}`
  const up = await shop.send(`${change}?price=price_standin_enterprise_monthly`, { card: 'on_file' }, change)
  expect(up.location).toBe(`${home(session)}?did=change`)
  expect((await shop.subscription(subscription.id)).items[0]!.price).toBe('price_standin_enterprise_monthly')

  const down = await shop.send(`${change}?price=price_standin_pro_monthly`, {}, change)
  expect(down.location).toBe(`${home(session)}?did=schedule`)
  const page = await shop.get(down.location!)
  expect(page.text).toContain('Changes to Pro, monthly on 10 April 2026')
  expect((await shop.subscription(subscription.id)).items[0]!.price).toBe('price_standin_enterprise_monthly')

  await shop.send(home(session), {}, `${home(session)}/keep/${subscription.id}`)
  expect((await shop.subscription(subscription.id)).schedule).toBeNull()
})

test('a change that is sent twice is done once', async () => {
  const { customer, subscription } = await shop.subscriber()
  const session = await shop.portal(customer.id)
  const change = `${home(session)}/change/${subscription.id}`
  for (const price of [business, 'price_standin_pro_monthly']) {
    const form = { ...(await shop.get(`${change}?price=${price}`)).hidden(change), card: 'on_file' }
    const replies = await Promise.all([shop.post(change, form), shop.post(change, form)])
    expect(replies.map(({ status }) => status)).toEqual([303, 303])
  }
  expect(await shop.look((book) => book.all('invoices').length)).toBe(2)
  expect(await shop.look((book) => book.all('subscription_schedules').length)).toBe(1)
})

test('a declined card leaves plan and card as they were', async () => {
  const { customer, subscription } = await shop.subscriber()
  const session = await shop.portal(customer.id)
  const change = `${home(session)}/change/${subscription.id}`
  const page = await shop.send(`${change}?price=${business}`, { card: 'declines' }, change)
  expect(page.status).toBe(402)
  expect(page.notice).toContain('Your card was declined.')
  expect(await shop.subscription(subscription.id)).toEqual(subscription)
  const paid = await shop.post(change, { ...page.hidden(change), card: 'works' })
  expect(paid.status).toBe(303)
})

test('a new card pays what is open, and brings a past due plan back', async () => {
  const { customer, subscription } = await shop.subscriber()
  const first = await shop.portal(customer.id)
  expect((await shop.send(`${home(first)}/card`, { card: 'declines' })).location).toBe(`${home(first)}?did=card`)
  shop.passDays(31.1)
  const session = await shop.portal(customer.id)
  const page = await shop.get(home(session))
  expect(page.text).toContain('Past due: the last payment failed')
  expect(page.text).toContain('$49.00 To be paid Pay $49.00')

  const pay = `${home(session)}/invoices/${(await shop.subscription(subscription.id)).latest_invoice}/pay`
  const declined = await shop.send(home(session), {}, pay)
  expect([declined.status, declined.heading]).toEqual([402, 'Your plan and payments'])

  const card = `${home(session)}/card`
  expect((await shop.get(card)).text).toContain('to be paid with the new card at once $49.00')
  const form = { ...(await shop.get(card)).hidden(card), card: 'works' }
  expect((await shop.post(card, form)).status).toBe(303)
  expect((await shop.post(card, form)).status).toBe(403)
  expect(await shop.subscription(subscription.id)).toMatchObject({ status: 'active' })
  expect(await shop.look((book) => book.all('payment_methods').length)).toBe(3)
  expect((await shop.post(pay, {})).location).toBe(home(session))
})

test('a plan that paused for want of a card is taken up again', async () => {
  const { customer, subscription } = await shop.subscriber()
  await shop.standin.change(({ book }) => {
    book.amend('subscriptions', subscription, { status: 'paused', default_payment_method: null })
  })
  const session = await shop.portal(customer.id)
  const resume = `${home(session)}/resume/${subscription.id}`
  expect((await shop.get(home(session))).actions).not.toContain(resume)
  await shop.send(`${home(session)}/card`, { card: 'works' })
  expect((await shop.send(home(session), {}, resume)).location).toBe(`${home(session)}?did=resume`)
  expect(await shop.subscription(subscription.id)).toMatchObject({ status: 'active' })
})

test('features that are switched off are neither offered nor done', async () => {
  const { customer, subscription } = await shop.subscriber()
  await shop.standin.change(({ book }) => {
    const configuration = book.must('portal_configurations', 'bpc_standin_default')
    const { features } = configuration
    book.amend('portal_configurations', configuration, {
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
  const page = await shop.get(home(session))
  expect(page.text).not.toMatch(/Invoices|Change|Cancel/)
  const [card, cancel] = [`${home(session)}/card`, `${home(session)}/cancel/${subscription.id}`]
  for (const path of [card, cancel]) expect((await shop.get(path)).status, path).toBe(404)
  expect((await shop.get(`${home(session)}/plans/${subscription.id}`)).status).toBe(410)
  for (const path of [card, cancel]) expect((await shop.post(path, { token: 'x', card: 'works' })).status).not.toBe(303)
  expect(await shop.subscription(subscription.id)).toEqual(subscription)
})

const flows = (
  subscription: string,
): Record<string, { flow: PortalFlow; page: string; chosen: Record<string, string> }> => ({
  'a card': { flow: { type: 'payment_method_update' }, page: '/card', chosen: { card: 'works' } },
  'a cancellation': {
    flow: { type: 'subscription_cancel', subscription },
    page: `/cancel/${subscription}`,
    chosen: {},
  },
})

test.each(['a card', 'a cancellation'])('a link made for %s does that alone, once, and leads on', async (name) => {
  const { customer, subscription } = await shop.subscriber()
  const { flow, page, chosen } = flows(subscription.id)[name]!
  const session = await shop.portal(customer.id, flow, redirect)
  const path = home(session) + page
  for (const other of [home(session), `${home(session)}/plans/${subscription.id}`]) {
    expect((await shop.get(other)).location).toBe(path)
  }
  expect((await shop.get(path)).html).toContain('href="https://service.example/account"')
  const form = { ...(await shop.get(path)).hidden(path), ...chosen }
  const replies = await Promise.all([shop.post(path, form), shop.post(path, form)])
  expect(replies.map(({ location }) => location)).toEqual([redirect.return_url, redirect.return_url])
  const again = await shop.get(path)
  expect([again.status, again.heading]).toEqual([410, 'This link was used already'])
  expect(await shop.look((book) => book.all('payment_methods').length)).toBe(name === 'a card' ? 2 : 1)
})

test('a link made for another plan leads through the choice and back to the service', async () => {
  const { customer, subscription } = await shop.subscriber()
  const flow = { type: 'subscription_update', subscription: subscription.id } as const
  const session = await shop.portal(customer.id, flow, { type: 'hosted_confirmation', custom_message: 'Thank <you>!' })
  const plans = `${home(session)}/plans/${subscription.id}`
  expect((await shop.get(home(session))).location).toBe(plans)
  const change = `${home(session)}/change/${subscription.id}`
  const done = await shop.send(`${change}?price=${business}`, { card: 'on_file' }, change)
  expect([done.status, done.heading]).toEqual([200, 'All done'])
  expect(done.html).toContain('Thank &lt;you&gt;!')
  expect((await shop.get(plans)).heading).toBe('All done')
})
