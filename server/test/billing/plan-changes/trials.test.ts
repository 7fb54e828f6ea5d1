import { expect } from 'vitest'
import { startTrial } from '../../../src/billing/trials/start.ts'
import type { PlansWorld, Rows } from '../support/subscriber.ts'
import { choosePlanInPortal } from './portal.ts'

/** What can become of a trial, and of a plan that was granted by hand. */
export function trialRows(world: PlansWorld): Rows {
  const { until, inDays } = world
  const now = () => inDays(0)

  /** An account in a trial at the provider of which it has used one credit. */
  async function onTrial(card: Parameters<PlansWorld['subscriber']>[0]) {
    const subscriber = await world.subscriber(card)
    await until(inDays(1))
    const trialStart = now()
    const trialEnd = inDays(14)
    await startTrial(world.deps, subscriber.key.account, { days: 14, plan: 'pro', billing: 'monthly' })
    await subscriber.spend()
    expect(await subscriber.standing()).toMatchObject({
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

  return {
    async 'a trial that is ended early'() {
      const { change, standing } = await onTrial('pm_card_visa')
      await until(inDays(3))
      const ended = now()
      await change({ trial_end: 'now' })
      expect(await standing()).toMatchObject({ ...paidPro, since: ended })
    },

    async 'a trial that the operator prolongs'() {
      const { key, trialStart, change, standing } = await onTrial('pm_card_visa')
      const bounds = async () => {
        const { contact_credits: credits, store_exports: exports } = (await key.get('/usage')).body
        return [credits.period_start, credits.period_end, exports.period_start, exports.period_end]
      }
      await until(inDays(3))
      const [later, latest] = [inDays(20), inDays(40)]
      await change({ trial_end: Date.parse(later) / 1000 })
      expect(await standing()).toMatchObject({
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
      expect(await standing()).toMatchObject({ credits: [1, 250], exports: [1, 500] })
      await until(latest)
      expect(await standing()).toMatchObject({ ...paidPro, since: latest })
    },

    async 'a higher plan during a trial'() {
      const { key, subscription, standing } = await onTrial('pm_card_visa')
      await until(inDays(3))
      const changed = now()
      await choosePlanInPortal(key, (await subscription()).id, 'price_standin_business_monthly')
      await world.advance(0)
      expect(await standing()).toMatchObject({
        plan: 'business active monthly',
        access: 'open',
        credits: [0, 5_000],
        exports: [0, 25_000],
        since: changed,
      })
    },

    async 'the end of a trial, paid'() {
      const { trialEnd, standing } = await onTrial('pm_card_visa')
      await until(trialEnd)
      expect(await standing()).toMatchObject({ ...paidPro, since: trialEnd })
      await until(inDays(1))
      expect(await standing()).toMatchObject({ ...paidPro, since: trialEnd })
    },

    async 'the end of a trial, its payment failing'() {
      const { trialEnd, giveCard, payLatestInvoice, standing } = await onTrial('pm_card_chargeCustomerFail')
      await until(trialEnd)
      // The provider charges an hour after the period began.
      expect(await standing()).toMatchObject(paidPro)
      await until(inDays(1))
      expect(await standing()).toMatchObject({ plan: 'pro past_due monthly', access: 'manage_billing' })
      await giveCard('pm_card_visa')
      await payLatestInvoice()
      expect(await standing()).toMatchObject({ ...paidPro, since: trialEnd })
    },

    async 'the end of a trial without a payment method'() {
      const { key, trialEnd, standing } = await onTrial(null)
      await until(trialEnd)
      expect(await standing()).toEqual({
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
        const { trialEnd, change, giveCard, payLatestInvoice, standing, subscription } = await onTrial(null)
        await change({ 'trial_settings[end_behavior][missing_payment_method]': behavior })
        await until(trialEnd)
        await until(inDays(1))
        expect(await standing()).toMatchObject({ plan: `pro ${status} monthly`, access: 'manage_billing' })
        await giveCard('pm_card_visa')
        if (behavior === 'create_invoice') await payLatestInvoice()
        else await world.stripe('POST', `/v1/subscriptions/${(await subscription()).id}/resume`)
        await world.advance(0)
        expect(await standing()).toMatchObject(paidPro)
      }
    },

    async 'a plan granted by hand, then a higher one bought'() {
      const { key, subscribe, subscription, spend, standing } = await world.subscriber()
      await world.setAccount(key.account, { plan: 'pro' })
      const granted = now()
      await spend()
      expect(await standing()).toMatchObject({
        plan: 'pro active',
        credits: [1, 1_000],
        since: granted,
        paidUntil: null,
      })
      await until(inDays(3))
      expect((await key.post('/billing/subscription-link', { plan: 'business' })).body.kind).toBe('checkout')
      const bought = now()
      await subscribe('business_monthly')
      expect(await standing()).toMatchObject({
        plan: 'business active monthly',
        credits: [0, 5_000],
        exports: [0, 25_000],
        since: bought,
      })
      await world.stripe('DELETE', `/v1/subscriptions/${(await subscription()).id}`)
      await world.advance(0)
      expect(await standing()).toMatchObject({ plan: 'free canceled', access: 'create_subscription_link' })
    },
  }
}
