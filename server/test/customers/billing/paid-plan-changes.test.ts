import { expect, test } from 'vitest'
import { choosePlanInPortal, documentedPlanChanges, startPlanChangesApp } from './support/subscriber.ts'

const app = await startPlanChangesApp()
const { subscriber, until, inDays } = app
const now = () => inDays(0)

/** By the row of the table in docs/api.md that describes the change. */
const cases: Record<string, () => Promise<void>> = {
  async 'a higher plan in mid-period'() {
    const { subscribe, change, spend, state } = await subscriber()
    const started = now()
    const { items } = await subscribe('pro_monthly')
    await spend()
    const before = await state()
    expect(before).toMatchObject({ plan: 'pro active monthly', access: 'open', credits: [1, 1_000], since: started })
    await until(inDays(10))
    await change({ 'items[0][id]': items.data[0].id, 'items[0][price]': 'price_standin_business_monthly' })
    expect(await state()).toEqual({
      ...before,
      plan: 'business active monthly',
      credits: [1, 5_000],
      exports: [1, 25_000],
    })
  },

  async 'a lower plan, chosen in the portal'() {
    const { key, subscribe, spend, state, subscription } = await subscriber()
    await subscribe('business_monthly')
    await spend()
    const before = await state()
    await choosePlanInPortal(key, (await subscription()).id, 'price_standin_pro_monthly')
    await app.advance(0)
    expect(await state()).toEqual(before)
    await until(before.paidUntil!)
    expect(await state()).toMatchObject({
      plan: 'pro active monthly',
      access: 'open',
      credits: [0, 1_000],
      exports: [0, 5_000],
      since: before.paidUntil,
    })
  },

  async 'a lower plan at once, set by the operator'() {
    const { subscribe, change, spend, state } = await subscriber()
    const { items } = await subscribe('business_monthly')
    await spend()
    const before = await state()
    await change({ 'items[0][id]': items.data[0].id, 'items[0][price]': 'price_standin_pro_monthly' })
    expect(await state()).toEqual({
      ...before,
      plan: 'pro active monthly',
      credits: [1, 1_000],
      exports: [1, 5_000],
    })
  },

  async 'annual in place of monthly'() {
    const { subscribe, change, spend, state } = await subscriber()
    const { items } = await subscribe('pro_monthly')
    await spend()
    await until(inDays(10))
    const changed = now()
    await change({ 'items[0][id]': items.data[0].id, 'items[0][price]': 'price_standin_pro_annual' })
    const annual = await state()
    expect(annual).toMatchObject({
      plan: 'pro active annual',
      access: 'open',
      credits: [0, 1_000],
      exports: [0, 5_000],
      since: changed,
      paidUntil: monthsAfter(changed, 12),
    })
    await spend()
    const renewed = monthsAfter(changed, 1)
    await until(renewed)
    expect(await state()).toEqual({ ...annual, since: renewed })
  },

  async 'cancellation for the end of the period, taken back'() {
    const { subscribe, change, spend, state } = await subscriber()
    await subscribe('pro_monthly')
    await spend()
    const before = await state()
    await change({ cancel_at_period_end: 'true' })
    expect(await state()).toEqual({ ...before, endsThen: true })
    await change({ cancel_at_period_end: 'false' })
    expect(await state()).toEqual(before)
    await until(before.paidUntil!)
    expect(await state()).toMatchObject({ plan: 'pro active monthly', access: 'open', credits: [0, 1_000] })
  },

  async 'the end of a canceled plan, and buying again'() {
    const { key, subscribe, change, spend, state } = await subscriber()
    await subscribe('pro_monthly')
    await spend()
    await change({ cancel_at_period_end: 'true' })
    await until((await state()).paidUntil!)
    expect(await state()).toEqual({
      plan: 'free canceled',
      access: 'create_subscription_link',
      credits: [0, 0],
      paidUntil: null,
      endsThen: false,
    })
    await until(inDays(3))
    expect((await key.post('/billing/subscription-link', { plan: 'pro' })).body.kind).toBe('checkout')
    const bought = now()
    await subscribe('pro_monthly')
    expect(await state()).toMatchObject({
      plan: 'pro active monthly',
      access: 'open',
      credits: [0, 1_000],
      exports: [0, 5_000],
      since: bought,
    })
  },

  async 'a renewal that cannot be charged, paid later'() {
    const { key, subscribe, giveCard, payLatestInvoice, spend, state } = await subscriber()
    await subscribe('pro_monthly')
    const { paidUntil: renewal } = await state()
    await giveCard('pm_card_chargeCustomerFail')
    await until(renewal!)
    // The provider charges an hour after the period began.
    const renewed = await state()
    expect(renewed).toMatchObject({ plan: 'pro active monthly', credits: [0, 1_000], since: renewal })
    await spend()
    await until(inDays(1))
    const { since: _, exports: __, ...rest } = renewed
    const overdue = { ...rest, plan: 'pro past_due monthly', access: 'manage_billing', credits: [1, 1_000] }
    expect(await state()).toEqual(overdue)
    expect((await key.post('/billing/subscription-link', { plan: 'pro' })).body.kind).toBe('billing_portal')
    await giveCard('pm_card_visa')
    await payLatestInvoice()
    expect(await state()).toEqual({ ...renewed, credits: [1, 1_000], exports: [1, 5_000] })
  },

  async 'a renewal that is not paid: unpaid, and paid after all'() {
    await app.control('/settings', { after_retries: 'mark_unpaid' })
    const { subscribe, giveCard, payLatestInvoice, state } = await subscriber()
    await subscribe('pro_monthly')
    const { paidUntil: renewal } = await state()
    await giveCard('pm_card_chargeCustomerFail')
    await until(renewal!)
    await until(inDays(16))
    expect(await state()).toMatchObject({
      plan: 'pro unpaid monthly',
      access: 'manage_billing',
      credits: [0, 1_000],
    })
    await giveCard('pm_card_visa')
    await payLatestInvoice()
    expect(await state()).toMatchObject({ plan: 'pro active monthly', access: 'open', since: renewal })
  },

  async 'a renewal that is not paid: canceled'() {
    const { key, subscribe, giveCard, state } = await subscriber()
    await subscribe('pro_monthly')
    await giveCard('pm_card_chargeCustomerFail')
    await until((await state()).paidUntil!)
    await until(inDays(16))
    expect(await state()).toEqual({
      plan: 'free canceled',
      access: 'create_subscription_link',
      credits: [0, 0],
      paidUntil: null,
      endsThen: false,
    })
    expect((await key.post('/billing/subscription-link', { plan: 'pro' })).body.kind).toBe('checkout')
  },

  async 'paused, and resumed'() {
    const { key, subscribe, subscription, giveCard, state } = await subscriber(null)
    await subscribe('pro_monthly', {
      trial_period_days: 7,
      'trial_settings[end_behavior][missing_payment_method]': 'pause',
    })
    await until(inDays(7))
    expect(await state()).toMatchObject({
      plan: 'pro paused monthly',
      access: 'manage_billing',
      credits: [0, 1_000],
    })
    expect((await key.post('/billing/subscription-link', { plan: 'business' })).body.kind).toBe('billing_portal')
    await giveCard('pm_card_visa')
    await until(inDays(2))
    const resumed = now()
    await app.stripe('POST', `/v1/subscriptions/${(await subscription()).id}/resume`, {
      billing_cycle_anchor: 'now',
    })
    await app.advance(0)
    expect(await state()).toMatchObject({
      plan: 'pro active monthly',
      access: 'open',
      credits: [0, 1_000],
      since: resumed,
    })
  },

  async 'collection of payments paused by the operator'() {
    const { subscribe, change, state } = await subscriber()
    await subscribe('pro_monthly')
    const before = await state()
    await change({ 'pause_collection[behavior]': 'void' })
    expect(await state()).toEqual(before)
    await until(before.paidUntil!)
    await until(inDays(1))
    expect(await state()).toMatchObject({ plan: 'pro active monthly', access: 'open', since: before.paidUntil })
  },

  async 'a first payment that fails, then succeeds'() {
    const { key, subscribe, giveCard, payLatestInvoice, state } = await subscriber('pm_card_chargeCustomerFail')
    const started = now()
    await subscribe('pro_monthly')
    expect(await state()).toMatchObject({
      plan: 'pro incomplete monthly',
      access: 'manage_billing',
      credits: [0, 1_000],
    })
    expect((await key.post('/billing/subscription-link', { plan: 'pro' })).body.kind).toBe('billing_portal')
    await giveCard('pm_card_visa')
    await payLatestInvoice()
    expect(await state()).toMatchObject({ plan: 'pro active monthly', access: 'open', since: started })
  },

  async 'a first payment that never succeeds'() {
    const { key, subscribe, state } = await subscriber('pm_card_chargeCustomerFail')
    await subscribe('pro_monthly')
    await until(inDays(1))
    expect(await state()).toEqual({
      plan: 'free incomplete_expired',
      access: 'create_subscription_link',
      credits: [0, 0],
      paidUntil: null,
      endsThen: false,
    })
    expect((await key.post('/billing/subscription-link', { plan: 'pro' })).body.kind).toBe('checkout')
  },
}

test.each(Object.entries(cases))('%s', (_row, run) => run())

test('docs/api.md describes exactly these changes of a paid plan', () => {
  expect(documentedPlanChanges().paidPlans).toEqual(Object.keys(cases))
})

function monthsAfter(moment: string, months: number): string {
  const date = new Date(moment)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString()
}
