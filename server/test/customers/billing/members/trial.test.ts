import { describe, expect, test } from 'vitest'
import { startAppWithStandin } from '../support/standin-app.ts'
import { auditOf, newOwner, subscribe, withBilling } from './support/console-billing.ts'

const app = await startAppWithStandin('2026-03-10T08:00:00.000Z')

const onTrial = async (params: Record<string, string> = {}) => {
  const owner = await newOwner(app)
  await subscribe(app, owner.customerId, 'pro_monthly', { trial_period_days: 14, ...params })
  await expect.poll(async () => (await owner.billing()).plan.status).toBe('trialing')
  return owner
}

const withoutCard = async () => {
  const owner = await onTrial()
  await app.stripe('POST', `/v1/customers/${owner.customerId}`, { 'invoice_settings[default_payment_method]': '' })
  await expect.poll(async () => (await owner.billing()).has_payment_method).toBe(false)
  return owner
}

describe('an owner ends a trial', () => {
  test('after having seen what it costs and brings, and gets the credits at once', async () => {
    const owner = await onTrial()
    const { status, body: trial } = await owner.trial()
    expect(status).toBe(200)
    expect(trial).toMatchObject({
      step: 'end_trial',
      plan_name: 'Pro',
      ends_at: '2026-03-24T08:00:00.000Z',
      price: { currency: 'usd', interval: 'month', interval_count: 1 },
      cancel_at_period_end: false,
      contact_credits: { total: 250, remaining: 250, after: 1_000 },
    })
    expect(await owner.billing()).toMatchObject({ contact_credits: { total: 250, paid_plan_total: 1_000 } })
    const ended = await owner.endTrial(trial.confirmation)
    expect(ended.body).toMatchObject({ outcome: 'ended', url: null })
    expect(await owner.billing()).toMatchObject({
      plan: { status: 'active', trial: { active: false } },
      contact_credits: { total: 1_000, remaining: 1_000 },
    })
    // A second click changes nothing.
    expect((await owner.endTrial(trial.confirmation)).body).toMatchObject({ outcome: 'unchanged' })
    expect(await auditOf(app, owner.account)).toMatchObject([{ action: 'trial.ended', details: { plan: 'pro' } }])
  })

  test('by adding a payment method first, on a page that leads back to the question', async () => {
    const owner = await withoutCard()
    const { body: trial } = await owner.trial()
    expect(trial.step).toBe('add_payment_method')
    const { body } = await owner.endTrial(trial.confirmation)
    expect(body.outcome).toBe('link')
    const page = await (await fetch(body.url)).text()
    expect(page).toContain('Add a card')
    expect(page).toContain('/billing?returned=trial')
    expect((await owner.billing()).plan.status).toBe('trialing')
    expect(await auditOf(app, owner.account)).toMatchObject([
      { action: 'billing_link.created', details: { kind: 'billing_portal', plan: null } },
    ])
  })

  test('that was granted, on the payment page', async () => {
    const owner = withBilling(await app.person({ plan: 'free' }))
    await app.setAccount(owner.account, { plan: 'business', trialEndsAt: new Date('2026-03-20T00:00:00.000Z') })
    const { body: trial } = await owner.trial()
    expect(trial).toMatchObject({
      step: 'buy',
      price: { amount: 19_900, interval: 'month' },
      contact_credits: { after: 5_000 },
    })
    const { body } = await owner.endTrial(trial.confirmation)
    expect(body.outcome).toBe('link')
    expect(await auditOf(app, owner.account)).toMatchObject([
      { action: 'billing_link.created', details: { kind: 'checkout', plan: 'business', billing: 'monthly' } },
    ])
  })
})

describe('nothing happens', () => {
  test('when the trial has changed since it was shown', async () => {
    const owner = await onTrial()
    const { confirmation } = (await owner.trial()).body
    const { subscription_id: id } = await app.row(owner.account)
    await app.stripe('POST', `/v1/subscriptions/${id}`, { trial_end: Date.parse('2026-03-28T08:00:00.000Z') / 1000 })
    const refused = await owner.endTrial(confirmation)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'trial_changed'])
    expect((await owner.billing()).plan.status).toBe('trialing')
    const again = (await owner.trial()).body
    expect((await owner.endTrial(again.confirmation)).body.outcome).toBe('ended')
  })

  test('with what was shown to another owner, for another account, or never', async () => {
    const owner = await onTrial()
    const { confirmation } = (await owner.trial()).body
    const second = withBilling(await app.person({ account: owner.account, role: 'owner' }))
    const elsewhere = await onTrial()
    for (const [user, text] of [
      [second, confirmation],
      [elsewhere, confirmation],
      [owner, ''],
      [owner, 'x'.repeat(43)],
    ] as const) {
      const refused = await user.endTrial(text)
      expect([refused.status, refused.body.error.code]).toEqual([409, 'trial_changed'])
    }
    expect((await owner.billing()).plan.status).toBe('trialing')
  })

  test('without a fresh sign-in', async () => {
    const owner = await onTrial()
    const { confirmation } = (await owner.trial()).body
    app.clock.advance(10 * 60_000)
    const refused = await owner.endTrial(confirmation)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'fresh_sign_in_required'])
    expect((await owner.billing()).plan.status).toBe('trialing')
    const fresh = withBilling(await app.person({ account: owner.account, email: owner.email }))
    expect((await fresh.endTrial(confirmation)).body.outcome).toBe('ended')
  })

  test('for an account without a trial', async () => {
    const owner = await newOwner(app)
    const { body } = await owner.trial()
    expect(body).toMatchObject({ step: 'no_plan', price: null })
    expect((await owner.endTrial(body.confirmation)).body).toMatchObject({ outcome: 'unchanged', url: null })
  })
})
