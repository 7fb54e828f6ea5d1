import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { daySeconds, hourSeconds, idOf, manualClock, openWorld, subscribed, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ clock: manualClock('2026-01-31T12:00:00Z') })
})
beforeEach(() => world.control('settings', { after_retries: 'cancel', draft_seconds: 3_600 }))
afterAll(() => world.close())

const reread = (id: string) => world.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })

/** A subscription whose card declines every later charge. */
async function withFailingCard(): Promise<{ id: string; customer: string; periodEnd: number }> {
  const { stripe } = world
  const subscription = await subscribed(world)
  const customer = idOf(subscription.customer)
  const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: bad.id } })
  return { id: subscription.id, customer, periodEnd: subscription.items.data[0]!.current_period_end }
}

async function advanceTo(moment: number): Promise<void> {
  const { now } = await world.control<{ now: number }>('clock', { advance_seconds: 0 })
  await world.advance(moment - now)
}

test('the cycle keeps its day: the 31st returns after a shorter month', async () => {
  const subscription = await subscribed(world)
  const ends: string[] = []
  for (let month = 0; month < 3; month += 1) {
    const { items } = await reread(subscription.id)
    const end = items.data[0]!.current_period_end
    ends.push(new Date(end * 1000).toISOString().slice(0, 10))
    await advanceTo(end)
  }
  expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30'])
  await world.advance(hourSeconds)
  const invoices = await world.stripe.invoices.list({ subscription: subscription.id })
  expect(invoices.data.map(({ status, total }) => [status, total])).toEqual(Array(4).fill(['paid', 4_900]))
})

test('an advance over many months bills each month at its own time', async () => {
  const subscription = await subscribed(world)
  await world.advance(95 * daySeconds)
  const { data } = await world.stripe.invoices.list({ subscription: subscription.id, limit: 10 })
  const created = data.map((invoice) => invoice.created)
  expect(data.length).toBe(4)
  expect(created).toEqual(created.toSorted((one, other) => other - one))
  expect(data.every(({ status }) => status === 'paid')).toBe(true)
})

test('a declined renewal is past due, is retried, and is canceled after the last attempt', async () => {
  const { id, periodEnd } = await withFailingCard()
  await advanceTo(periodEnd)
  expect((await reread(id)).status).toBe('active')
  await world.advance(hourSeconds)
  expect(await reread(id)).toMatchObject({ status: 'past_due', latest_invoice: { attempt_count: 1 } })
  await world.advance(8 * daySeconds)
  expect(await reread(id)).toMatchObject({ status: 'past_due', latest_invoice: { attempt_count: 3 } })
  await world.advance(7 * daySeconds)
  expect(await reread(id)).toMatchObject({
    status: 'canceled',
    cancellation_details: { reason: 'payment_failed' },
    latest_invoice: { attempt_count: 4, status: 'open', next_payment_attempt: null },
  })
})

test('with mark_unpaid it stays unpaid after the last attempt, and a working card reactivates it', async () => {
  await world.control('settings', { after_retries: 'mark_unpaid' })
  const { id, customer, periodEnd } = await withFailingCard()
  await advanceTo(periodEnd)
  await world.advance(16 * daySeconds)
  const unpaid = await reread(id)
  expect(unpaid.status).toBe('unpaid')
  const good = await world.stripe.paymentMethods.attach('pm_card_visa', { customer })
  await world.stripe.invoices.pay(idOf(unpaid.latest_invoice), { payment_method: good.id })
  expect((await reread(id)).status).toBe('active')
})

test('a new card lets the next attempt succeed', async () => {
  const { id, customer, periodEnd } = await withFailingCard()
  await advanceTo(periodEnd)
  await world.advance(hourSeconds)
  const good = await world.stripe.paymentMethods.attach('pm_card_visa', { customer })
  await world.stripe.customers.update(customer, { invoice_settings: { default_payment_method: good.id } })
  expect((await reread(id)).status).toBe('past_due')
  await world.advance(3 * daySeconds)
  expect(await reread(id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } })
})

test('a cancellation at the end of the period ends the subscription without another invoice', async () => {
  const { stripe } = world
  const subscription = await subscribed(world)
  const set = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })
  const end = set.items.data[0]!.current_period_end
  expect(set).toMatchObject({ status: 'active', cancel_at_period_end: true, cancel_at: end })
  await advanceTo(end)
  expect(await reread(subscription.id)).toMatchObject({ status: 'canceled', ended_at: end })
  expect((await stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(1)
})

test('a reverted cancellation does not end the subscription', async () => {
  const { stripe } = world
  const { id } = await subscribed(world)
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  expect(await stripe.subscriptions.update(id, { cancel_at_period_end: false })).toMatchObject({
    cancel_at: null,
    canceled_at: null,
  })
  await world.advance(32 * daySeconds)
  expect((await reread(id)).status).toBe('active')
})

test('while collection is paused, renewals create drafts that are not charged', async () => {
  const { id } = await subscribed(world)
  await world.stripe.subscriptions.update(id, { pause_collection: { behavior: 'keep_as_draft' } })
  await world.advance(33 * daySeconds)
  expect(await reread(id)).toMatchObject({ status: 'active', latest_invoice: { status: 'draft' } })
})
