import { expect, test } from 'vitest'
import { startTrial } from '../../../src/customers/billing/trials/start.ts'
import {
  choosePlanInPortal,
  documentedPlanChanges,
  type PlanChangesApp,
  startPlanChangesApp,
} from './support/subscriber.ts'

const app = await startPlanChangesApp()
const { until, inDays } = app
const now = () => inDays(0)

/** Starts a trial at the provider and uses one credit. */
async function startTrialWithCredit(card: Parameters<PlanChangesApp['subscriber']>[0]) {
  const subscriber = await app.subscriber(card)
  await until(inDays(1))
  const trialStart = now()
  const trialEnd = inDays(14)
  await startTrial(app.deps, subscriber.key.account, { days: 14, plan: 'pro', billing: 'monthly' })
  await subscriber.spend()
  expect(await subscriber.state()).toMatchObject({
    plan: 'pro trialing monthly',
    access: 'open',
    credits: [1, 250],
    exports: [1, 500],
    since: trialStart,
    paidUntil: trialEnd,
  })
  return { ...subscriber, trialStart, trialEnd }
}

const paidPro = { plan: 'pro active monthly', access: 'open', credits: [0, 1_000], exports: [0, 5_000] }

/** By the row of the table in docs/api.md that describes the change. */
const cases: Record<string, () => Promise<void>> = {
  async 'a trial that is ended early'() {
    const { change, state } = await startTrialWithCredit('pm_card_visa')
    await until(inDays(3))
    const ended = now()
    await change({ trial_end: 'now' })
    expect(await state()).toMatchObject({ ...paidPro, since: ended })
  },

  async 'a trial that the operator prolongs'() {
    const { key, trialStart, change, state } = await startTrialWithCredit('pm_card_visa')
    const bounds = async () => {
      const { contact_credits: credits, store_exports: exports } = (await key.get('/usage')).body
      return [credits.period_start, credits.period_end, exports.period_start, exports.period_end]
    }
    await until(inDays(3))
    const [later, latest] = [inDays(20), inDays(40)]
    await change({ trial_end: Date.parse(later) / 1000 })
    expect(await state()).toMatchObject({
      credits: [1, 250],
      exports: [1, 500],
      since: trialStart,
      paidUntil: later,
    })
    expect(await bounds()).toEqual([trialStart, later, trialStart, later])
    await change({ trial_end: Date.parse(latest) / 1000 })
    const month = new Date(trialStart)
    month.setUTCMonth(month.getUTCMonth() + 1)
    expect(await bounds()).toEqual([trialStart, latest, trialStart, month.toISOString()])
    expect(await state()).toMatchObject({ credits: [1, 250], exports: [1, 500] })
    await until(latest)
    expect(await state()).toMatchObject({ ...paidPro, since: latest })
  },

  async 'a higher plan during a trial'() {
    const { key, subscription, state } = await startTrialWithCredit('pm_card_visa')
    await until(inDays(3))
    const changed = now()
    await choosePlanInPortal(key, (await subscription()).id, 'price_standin_business_monthly')
    await app.advance(0)
    expect(await state()).toMatchObject({
      plan: 'business active monthly',
      access: 'open',
      credits: [0, 5_000],
      exports: [0, 25_000],
      since: changed,
    })
  },

  async 'the end of a trial, paid'() {
    const { trialEnd, state } = await startTrialWithCredit('pm_card_visa')
    await until(trialEnd)
    expect(await state()).toMatchObject({ ...paidPro, since: trialEnd })
    await until(inDays(1))
    expect(await state()).toMatchObject({ ...paidPro, since: trialEnd })
  },

  async 'the end of a trial, its payment failing'() {
    const { trialEnd, giveCard, payLatestInvoice, state } = await startTrialWithCredit('pm_card_chargeCustomerFail')
    await until(trialEnd)
    // The provider charges an hour after the period began.
    expect(await state()).toMatchObject(paidPro)
    await until(inDays(1))
    expect(await state()).toMatchObject({ plan: 'pro past_due monthly', access: 'manage_billing' })
    await giveCard('pm_card_visa')
    await payLatestInvoice()
    expect(await state()).toMatchObject({ ...paidPro, since: trialEnd })
  },

  async 'the end of a trial without a payment method'() {
    const { key, trialEnd, state } = await startTrialWithCredit(null)
    await until(trialEnd)
    expect(await state()).toEqual({
      plan: 'free canceled',
      access: 'create_subscription_link',
      credits: [0, 0],
      paidUntil: null,
      endsThen: false,
    })
    expect((await key.post('/billing/subscription-link', { plan: 'pro' })).body.kind).toBe('checkout')
  },

  async 'the same, where the operator has it paused or billed instead'() {
    for (const [behavior, status] of [
      ['pause', 'paused'],
      ['create_invoice', 'past_due'],
    ] as const) {
      const { trialEnd, change, giveCard, payLatestInvoice, state, subscription } = await startTrialWithCredit(null)
      await change({ 'trial_settings[end_behavior][missing_payment_method]': behavior })
      await until(trialEnd)
      await until(inDays(1))
      expect(await state()).toMatchObject({ plan: `pro ${status} monthly`, access: 'manage_billing' })
      await giveCard('pm_card_visa')
      if (behavior === 'create_invoice') await payLatestInvoice()
      else await app.stripe('POST', `/v1/subscriptions/${(await subscription()).id}/resume`)
      await app.advance(0)
      expect(await state()).toMatchObject(paidPro)
    }
  },

  async 'a plan granted by hand, then a higher one bought'() {
    const { key, subscribe, subscription, spend, state } = await app.subscriber()
    await app.setAccount(key.account, { plan: 'pro' })
    const granted = now()
    await spend()
    expect(await state()).toMatchObject({
      plan: 'pro active',
      credits: [1, 1_000],
      since: granted,
      paidUntil: null,
    })
    await until(inDays(3))
    expect((await key.post('/billing/subscription-link', { plan: 'business' })).body.kind).toBe('checkout')
    const bought = now()
    await subscribe('business_monthly')
    expect(await state()).toMatchObject({
      plan: 'business active monthly',
      credits: [0, 5_000],
      exports: [0, 25_000],
      since: bought,
    })
    await app.stripe('DELETE', `/v1/subscriptions/${(await subscription()).id}`)
    await app.advance(0)
    expect(await state()).toMatchObject({ plan: 'free canceled', access: 'create_subscription_link' })
  },
}

test.each(Object.entries(cases))('%s', (_row, run) => run())

test('docs/api.md describes exactly these changes of a trial or a granted plan', () => {
  expect(documentedPlanChanges().trials).toEqual(Object.keys(cases))
})
