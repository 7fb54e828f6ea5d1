import { describe, expect, test } from 'vitest'
import type { TestKey } from '../support/app.ts'
import { spendCredits } from '../usage/spend.ts'
import { openStandinWorld, type StandinWorld } from './standin-world.ts'

/** What becomes of an account when its subscription changes, from the provider's event to what the next request may do. */

type Buyer = TestKey & { customerId: string }
type Price = `${'pro' | 'business' | 'enterprise'}_${'monthly' | 'annual'}`

const started = '2026-03-10T08:00:00.000Z'
const daysOfMarch = 31

async function open(): Promise<{ world: StandinWorld; buyer: Buyer }> {
  const world = await openStandinWorld(started)
  return { world, buyer: await world.customer() }
}

async function subscribed(price: Price, more: Record<string, string | number> = {}) {
  const { world, buyer } = await open()
  const { id } = await subscribe(world, buyer, price, more)
  return { world, buyer, id }
}

function subscribe(world: StandinWorld, buyer: Buyer, price: Price, more: Record<string, string | number> = {}) {
  const facts = { customer: buyer.customerId, 'items[0][price]': `price_standin_${price}` }
  return settled(world, world.stripe('POST', '/v1/subscriptions', { ...facts, ...more }))
}

/** Waits until the server has heard of what was done. */
async function settled<T>(world: StandinWorld, work: Promise<T>): Promise<T> {
  const result = await work
  await world.control('/flush', {})
  return result
}

/** Confirms another price on the provider's page, as a person who opened a link does. */
async function confirm(world: StandinWorld, buyer: Buyer, subscriptionId: string, price: Price) {
  const [plan, billing] = price.split('_') as ['pro', 'monthly']
  const { customerId } = buyer
  const change = { customerId, subscriptionId, plan, billing, returnUrl: 'https://storedex.example/billing/done' }
  const { url } = await world.deps.billing.createUpdateConfirmation(change)
  const page = await (await fetch(url)).text()
  const form = new URLSearchParams({ card: 'on_file' })
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g))
    form.set(name!, value!)
  const reply = await settled(world, fetch(url, { method: 'POST', body: form, redirect: 'manual' }))
  expect(reply.status).toBe(303)
}

const useCard = (world: StandinWorld, { customerId }: Buyer, card: string) =>
  settled(
    world,
    world
      .stripe('POST', `/v1/payment_methods/${card}/attach`, { customer: customerId })
      .then(({ id }) =>
        world.stripe('POST', `/v1/customers/${customerId}`, { 'invoice_settings[default_payment_method]': id }),
      ),
  )

const statusOf = async (buyer: Buyer) => {
  const { plan, api_access, contact_credits } = (await buyer.get('/billing/status')).body
  return {
    plan: plan.slug,
    status: plan.status,
    billing: plan.billing,
    ends: plan.cancel_at_period_end,
    until: plan.current_period_end,
    open: api_access.enabled,
    credits: contact_credits.total,
    used: contact_credits.used,
  }
}

const monthOf = async (buyer: Buyer) => {
  const { contact_credits, store_exports, search_rows } = (await buyer.get('/usage')).body
  const { period_start: start, period_end: end } = contact_credits
  for (const meter of [store_exports, search_rows])
    expect(meter).toMatchObject({ period_start: start, period_end: end })
  return [start.slice(0, 10), end.slice(0, 10)]
}

const wayBack = async (buyer: Buyer) => {
  const { status, body } = await buyer.get('/usage')
  return status === 403 ? body.error.billing.action : null
}

test('bought by the month: access, credits and periods from that moment on', async () => {
  const { buyer } = await subscribed('pro_monthly')
  expect(await statusOf(buyer)).toEqual({
    plan: 'pro',
    status: 'active',
    billing: 'monthly',
    ends: false,
    until: '2026-04-10T08:00:00.000Z',
    open: true,
    credits: 1_000,
    used: 0,
  })
  expect(await monthOf(buyer)).toEqual(['2026-03-10', '2026-04-10'])
})

test('renewed: a new month, with credits anew', async () => {
  const { world, buyer } = await subscribed('pro_monthly')
  await spendCredits(world, buyer, 400)
  await world.advance(daysOfMarch + 0.1)
  expect(await statusOf(buyer)).toMatchObject({ status: 'active', used: 0, until: '2026-05-10T08:00:00.000Z' })
  expect(await monthOf(buyer)).toEqual(['2026-04-10', '2026-05-10'])
})

test('a higher plan in mid-period: at once, the month goes on and what was used stays used', async () => {
  const { world, buyer, id } = await subscribed('pro_monthly')
  await spendCredits(world, buyer, 400)
  await world.advance(10)
  await confirm(world, buyer, id, 'business_monthly')
  expect(await statusOf(buyer)).toMatchObject({
    plan: 'business',
    until: '2026-04-10T08:00:00.000Z',
    credits: 5_000,
    used: 400,
  })
  expect(await monthOf(buyer)).toEqual(['2026-03-10', '2026-04-10'])
})

test('from monthly to annual: at once, and months are counted from that day on', async () => {
  const { world, buyer, id } = await subscribed('pro_monthly')
  await spendCredits(world, buyer, 400)
  await world.advance(10)
  await confirm(world, buyer, id, 'pro_annual')
  expect(await statusOf(buyer)).toMatchObject({
    plan: 'pro',
    billing: 'annual',
    until: '2027-03-20T08:00:00.000Z',
    credits: 1_000,
    used: 0,
  })
  expect(await monthOf(buyer)).toEqual(['2026-03-20', '2026-04-20'])
})

test('within a year that is paid for, credits come by the month', async () => {
  const { world, buyer } = await subscribed('pro_annual')
  await spendCredits(world, buyer, 1_000)
  await world.advance(daysOfMarch + 1)
  expect(await statusOf(buyer)).toMatchObject({ until: '2027-03-10T08:00:00.000Z', credits: 1_000, used: 0 })
  expect(await monthOf(buyer)).toEqual(['2026-04-10', '2026-05-10'])
})

describe('a lower plan, or a shorter rhythm, waits for the end of the period', () => {
  test('from Business to Pro', async () => {
    const { world, buyer, id } = await subscribed('business_monthly')
    await spendCredits(world, buyer, 2_000)
    await confirm(world, buyer, id, 'pro_monthly')
    expect(await statusOf(buyer)).toMatchObject({ plan: 'business', credits: 5_000, used: 2_000 })
    await world.advance(daysOfMarch + 0.1)
    expect(await statusOf(buyer)).toMatchObject({ plan: 'pro', status: 'active', credits: 1_000, used: 0, open: true })
    expect(await monthOf(buyer)).toEqual(['2026-04-10', '2026-05-10'])
  })

  test('from annual to monthly', async () => {
    const { world, buyer, id } = await subscribed('pro_annual')
    await confirm(world, buyer, id, 'pro_monthly')
    await world.advance(200)
    expect(await statusOf(buyer)).toMatchObject({ billing: 'annual', until: '2027-03-10T08:00:00.000Z' })
    await world.advance(165.1)
    expect(await statusOf(buyer)).toMatchObject({ plan: 'pro', billing: 'monthly', until: '2027-04-10T08:00:00.000Z' })
  })
})

describe('canceled for the end of the period', () => {
  const canceled = async () => {
    const bought = await subscribed('pro_monthly')
    const { world, id } = bought
    const cancel = (on: boolean) =>
      settled(world, world.stripe('POST', `/v1/subscriptions/${id}`, { cancel_at_period_end: String(on) }))
    await cancel(true)
    return { ...bought, resume: () => cancel(false) }
  }

  test('all stays until then; after it a new subscription is the way back', async () => {
    const { world, buyer } = await canceled()
    await world.advance(30)
    expect(await statusOf(buyer)).toMatchObject({ plan: 'pro', status: 'active', ends: true, open: true })
    await world.advance(1.1)
    expect(await statusOf(buyer)).toMatchObject({
      plan: 'free',
      status: 'canceled',
      billing: null,
      ends: false,
      until: null,
      open: false,
      credits: 0,
    })
    expect(await wayBack(buyer)).toBe('create_subscription_link')
    await subscribe(world, buyer, 'business_monthly')
    expect(await statusOf(buyer)).toMatchObject({ plan: 'business', status: 'active', open: true })
  })

  test('resumed before, it goes on', async () => {
    const { world, buyer, resume } = await canceled()
    await world.advance(10)
    await resume()
    expect(await statusOf(buyer)).toMatchObject({ status: 'active', ends: false })
    await world.advance(30)
    expect(await statusOf(buyer)).toMatchObject({ status: 'active', open: true })
  })
})

test('canceled at once: access ends at once', async () => {
  const { world, buyer, id } = await subscribed('pro_monthly')
  await settled(world, world.stripe('DELETE', `/v1/subscriptions/${id}`))
  expect(await statusOf(buyer)).toMatchObject({ plan: 'free', status: 'canceled', open: false })
  expect(await wayBack(buyer)).toBe('create_subscription_link')
})

describe('a payment that fails', () => {
  const failed = async () => {
    const bought = await subscribed('pro_monthly')
    await useCard(bought.world, bought.buyer, 'pm_card_chargeCustomerFail')
    await bought.world.advance(daysOfMarch + 0.1)
    return bought
  }
  const payAll = async (world: StandinWorld, buyer: Buyer, id: string) => {
    await useCard(world, buyer, 'pm_card_visa')
    const { data } = await world.stripe('GET', '/v1/invoices', { subscription: id, status: 'open' })
    for (const invoice of data) await settled(world, world.stripe('POST', `/v1/invoices/${invoice.id}/pay`))
  }

  test('closes access, and the portal is the way back; paid, the new month is open', async () => {
    const { world, buyer, id } = await failed()
    expect(await statusOf(buyer)).toMatchObject({ plan: 'pro', status: 'past_due', billing: 'monthly', open: false })
    expect(await wayBack(buyer)).toBe('manage_billing')
    await payAll(world, buyer, id)
    expect(await statusOf(buyer)).toMatchObject({ status: 'active', open: true, credits: 1_000, used: 0 })
    expect(await monthOf(buyer)).toEqual(['2026-04-10', '2026-05-10'])
  })

  test('until the provider gives up: unpaid, and back', async () => {
    const { world, buyer, id } = await failed()
    await world.control('/settings', { after_retries: 'mark_unpaid' })
    await world.advance(29)
    expect(await statusOf(buyer)).toMatchObject({ plan: 'pro', status: 'unpaid', open: false })
    expect(await wayBack(buyer)).toBe('manage_billing')
    await payAll(world, buyer, id)
    expect(await statusOf(buyer)).toMatchObject({ status: 'active', open: true })
  })

  test('until the provider gives up: canceled', async () => {
    const { world, buyer } = await failed()
    await world.control('/settings', { after_retries: 'cancel' })
    await world.advance(29)
    expect(await statusOf(buyer)).toMatchObject({ plan: 'free', status: 'canceled', open: false })
    expect(await wayBack(buyer)).toBe('create_subscription_link')
  })
})

describe('a first payment that fails', () => {
  const incomplete = async () => {
    const { world, buyer } = await open()
    await useCard(world, buyer, 'pm_card_chargeCustomerFail')
    await subscribe(world, buyer, 'pro_monthly')
    return { world, buyer }
  }

  test('opens nothing, and the portal is the way on', async () => {
    const { buyer } = await incomplete()
    expect(await statusOf(buyer)).toMatchObject({ plan: 'pro', status: 'incomplete', open: false })
    expect(await wayBack(buyer)).toBe('manage_billing')
  })

  test('is forgotten after a day', async () => {
    const { world, buyer } = await incomplete()
    await world.advance(1.1)
    expect(await statusOf(buyer)).toMatchObject({ plan: 'free', status: 'incomplete_expired', open: false })
    expect(await wayBack(buyer)).toBe('create_subscription_link')
  })
})

test('paused: closed until it is resumed', async () => {
  const { world, buyer, id } = await subscribed('pro_monthly')
  await settled(world, world.control(`/subscriptions/${id}/status`, { status: 'paused' }))
  expect(await statusOf(buyer)).toMatchObject({ plan: 'pro', status: 'paused', open: false })
  expect(await wayBack(buyer)).toBe('manage_billing')
  await settled(world, world.stripe('POST', `/v1/subscriptions/${id}/resume`))
  expect(await statusOf(buyer)).toMatchObject({ status: 'active', open: true })
})

describe('a trial', () => {
  const trial = { trial_period_days: 14, 'trial_settings[end_behavior][missing_payment_method]': 'cancel' }

  test('has a cap of its own; ended by a person, the paid credits are there at once', async () => {
    const { world, buyer, id } = await subscribed('pro_monthly', trial)
    await spendCredits(world, buyer, 250)
    expect(await statusOf(buyer)).toMatchObject({
      plan: 'pro',
      status: 'trialing',
      open: true,
      credits: 250,
      used: 250,
    })
    await settled(world, world.deps.billing.endTrial(id))
    expect(await statusOf(buyer)).toMatchObject({ status: 'active', credits: 1_000, used: 0 })
    expect(await monthOf(buyer)).toEqual(['2026-03-10', '2026-04-10'])
  })

  test('that runs out is paid for, and a month begins', async () => {
    const { world, buyer } = await subscribed('pro_monthly', trial)
    await spendCredits(world, buyer, 100)
    await world.advance(14.1)
    expect(await statusOf(buyer)).toMatchObject({ status: 'active', open: true, credits: 1_000, used: 0 })
    expect(await monthOf(buyer)).toEqual(['2026-03-24', '2026-04-24'])
  })

  test('that runs out without a means of payment is over', async () => {
    const { world, buyer } = await open()
    await world.stripe('POST', `/v1/customers/${buyer.customerId}`, {
      'invoice_settings[default_payment_method]': '',
    })
    await subscribe(world, buyer, 'pro_monthly', trial)
    expect((await buyer.get('/usage')).body.billing.can_unlock_paid_credits_now).toBe(false)
    await world.advance(14.1)
    expect(await statusOf(buyer)).toMatchObject({ plan: 'free', status: 'canceled', open: false })
    expect(await wayBack(buyer)).toBe('create_subscription_link')
  })
})
