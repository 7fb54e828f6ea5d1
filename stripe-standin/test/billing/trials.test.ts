import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { customerWithCard, daySeconds, hourSeconds, openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type WithoutCard = 'cancel' | 'create_invoice' | 'pause'

async function trial(card: string | null, whenMissing: WithoutCard = 'create_invoice', days = 14) {
  const { stripe } = world
  const customer = card ? await customerWithCard(stripe, card) : await stripe.customers.create()
  return stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: 'price_standin_pro_monthly' }],
    trial_period_days: days,
    trial_settings: { end_behavior: { missing_payment_method: whenMissing } },
  })
}

const reread = ({ id }: { id: string }) => world.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })

async function typesAbout({ id }: Stripe.Subscription): Promise<string[]> {
  await world.settle()
  return world.receiver.events.filter(({ data }) => (data.object as { id: string }).id === id).map(({ type }) => type)
}

test('a trial costs nothing, and its end is announced three days ahead', async () => {
  const started = await trial('pm_card_visa')
  expect(await reread(started)).toMatchObject({ status: 'trialing', latest_invoice: { total: 0, status: 'paid' } })
  await world.advance(11 * daySeconds - 1)
  expect(await typesAbout(started)).not.toContain('customer.subscription.trial_will_end')
  await world.advance(1)
  await world.advance(daySeconds)
  const announcements = (await typesAbout(started)).filter((type) => type === 'customer.subscription.trial_will_end')
  expect(announcements).toHaveLength(1)
})

test('at the end of a trial the first period is charged after an hour as draft', async () => {
  const started = await trial('pm_card_visa')
  await world.advance(14 * daySeconds)
  expect(await reread(started)).toMatchObject({ status: 'active', latest_invoice: { status: 'draft' } })
  await world.advance(hourSeconds)
  const paid = await reread(started)
  expect(paid).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', amount_paid: 4_900 } })
  expect(paid.items.data[0]!.current_period_start).toBe(started.trial_end)
  expect(paid.billing_cycle_anchor).toBe(started.trial_end)
})

test.each<[WithoutCard, string]>([
  ['cancel', 'canceled'],
  ['pause', 'paused'],
  ['create_invoice', 'past_due'],
])('a trial that ends without a card with %s becomes %s', async (whenMissing, status) => {
  const started = await trial(null, whenMissing)
  await world.advance(14 * daySeconds + hourSeconds)
  expect((await reread(started)).status).toBe(status)
})

test('a trial ended early is charged at once and its period starts then', async () => {
  const started = await trial('pm_card_visa')
  const ended = await world.stripe.subscriptions.update(started.id, { trial_end: 'now', expand: ['latest_invoice'] })
  expect(ended).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', amount_paid: 4_900 } })
  expect(ended.items.data[0]!.current_period_start).toBe(ended.trial_end)
  expect(ended.trial_end).toBeLessThan(started.trial_end!)
})

test('a trial ended twice with one key is charged once; without a key a second period starts', async () => {
  const started = await trial('pm_card_visa')
  const end = (idempotencyKey: string) =>
    world.stripe.subscriptions.update(started.id, { trial_end: 'now' }, { idempotencyKey })
  const invoices = async () => (await world.stripe.invoices.list({ subscription: started.id })).data
  await end('end-it')
  await end('end-it')
  expect((await invoices()).map(({ total }) => total)).toEqual([4_900, 0])
  await world.advance(3 * daySeconds)
  const again = await end('end-it-again')
  expect(await invoices()).toHaveLength(3)
  expect(again.billing_cycle_anchor).toBe(again.items.data[0]!.current_period_start)
})

test('a trial ended early with a declined card is past due', async () => {
  const started = await trial('pm_card_chargeCustomerFail')
  const ended = await world.stripe.subscriptions.update(started.id, { trial_end: 'now' })
  expect(ended.status).toBe('past_due')
  expect(await typesAbout(ended)).toContain('customer.subscription.updated')
})

test('an extended trial is announced again before its new end', async () => {
  const started = await trial('pm_card_visa', 'create_invoice', 2)
  expect(await typesAbout(started)).toContain('customer.subscription.trial_will_end')
  const later = started.trial_end! + 10 * daySeconds
  const extended = await world.stripe.subscriptions.update(started.id, { trial_end: later, proration_behavior: 'none' })
  expect(extended).toMatchObject({ status: 'trialing', trial_end: later })
  expect(extended.items.data[0]!.current_period_end).toBe(later)
  await world.advance(9 * daySeconds)
  const announcements = (await typesAbout(started)).filter((type) => type === 'customer.subscription.trial_will_end')
  expect(announcements).toHaveLength(2)
  expect((await reread(started)).status).toBe('trialing')
})

test('a subscription canceled at the end of its trial is never charged', async () => {
  const started = await trial('pm_card_visa')
  await world.stripe.subscriptions.update(started.id, { cancel_at_period_end: true })
  await world.advance(15 * daySeconds)
  const ended = await reread(started)
  expect([ended.status, ended.ended_at]).toEqual(['canceled', started.trial_end])
  expect((await world.stripe.invoices.list({ subscription: started.id })).data).toHaveLength(1)
})
