import { describe, expect, test } from 'vitest'
import type { PlanSlug } from '../../../src/accounts/plans.ts'
import {
  decideLink,
  type LinkDecision,
  type LinkDecisionInput,
  type SubscriptionSummary,
} from '../../../src/billing/links/decide-link.ts'
import type { Billing, PaidPlan } from '../../../src/billing/provider.ts'

const offers = ['pro', 'business', 'enterprise'].flatMap((plan) =>
  ['monthly', 'annual'].map((billing) => ({ plan, billing }) as { plan: PaidPlan; billing: Billing }),
)
const everythingIsSold = () => true
const enterpriseIsNot = (plan: PaidPlan) => plan !== 'enterprise'

const nobody: LinkDecisionInput['account'] = { planInForce: 'free', accessOpen: false, trialing: false }
const byHand = (planInForce: PlanSlug, { accessOpen = true, trialing = false } = {}) => ({
  account: { planInForce, accessOpen, trialing },
  subscriptions: [],
})
const subscriber = (...subscriptions: Partial<SubscriptionSummary>[]): LinkDecisionInput => ({
  account: nobody,
  subscriptions: subscriptions.map((traits, index) => ({
    id: `sub_${index}`,
    status: 'active',
    offer: { plan: 'pro', billing: 'monthly' },
    ...traits,
  })),
})

const wordOf = (decision: LinkDecision): string =>
  decision.kind !== 'refused' ? decision.kind : decision.code === 'unsupported_plan_change' ? 'no' : 'support'

const decideAll = (
  standing: LinkDecisionInput,
  isSold = everythingIsSold as (plan: PaidPlan, billing: Billing) => boolean,
) => offers.map((offer) => wordOf(decideLink(standing, offer, isSold)))
const always = (word: string) => offers.map(() => word)

const up = 'subscription_update_confirm'
const buy = 'checkout'

describe('a running subscription', () => {
  // What is asked for:        pro mon, ann    business mon, ann    enterprise mon, ann
  const grid: [PaidPlan, Billing, string[]][] = [
    ['pro', 'monthly', ['no', up, up, up, up, up]],
    ['pro', 'annual', ['no', 'no', up, up, up, up]],
    ['business', 'monthly', ['no', 'no', 'no', up, up, up]],
    ['business', 'annual', ['no', 'no', 'no', 'no', up, up]],
    ['enterprise', 'monthly', ['no', 'no', 'no', 'no', 'no', up]],
    ['enterprise', 'annual', ['no', 'no', 'no', 'no', 'no', 'no']],
  ]

  test.each(grid)('to %s, %s, goes up and nowhere else, on trial too', (plan, billing, outcomes) => {
    for (const status of ['active', 'trialing'])
      expect(decideAll(subscriber({ status, offer: { plan, billing } })), status).toEqual(outcomes)
  })

  test.each(grid)('to %s, %s, reaches what has no price by support alone', (plan, billing, outcomes) => {
    const expected = outcomes.map((word, i) => (word === up && offers[i]!.plan === 'enterprise' ? 'support' : word))
    expect(decideAll(subscriber({ offer: { plan, billing } }), enterpriseIsNot)).toEqual(expected)
  })

  test('is the one that is confirmed, among ended ones and ones that never got going', () => {
    const standing = subscriber(
      { id: 'sub_incomplete', status: 'incomplete', offer: null },
      { id: 'sub_canceled', status: 'canceled', offer: { plan: 'enterprise', billing: 'annual' } },
      { id: 'sub_running' },
      { id: 'sub_expired', status: 'incomplete_expired', offer: null },
    )
    expect(decideLink(standing, { plan: 'business', billing: 'monthly' }, everythingIsSold)).toEqual({
      kind: up,
      subscriptionId: 'sub_running',
    })
  })

  test('on trial says where a trial is ended when its own plan is asked for', () => {
    const decision = decideLink(
      subscriber({ status: 'trialing' }),
      { plan: 'pro', billing: 'monthly' },
      everythingIsSold,
    )
    expect(decision).toMatchObject({ kind: 'refused', message: expect.stringContaining('billing.url') })
  })
})

describe('a subscription in trouble', () => {
  test.each(['past_due', 'unpaid', 'incomplete', 'paused'])(
    '(%s) goes to the portal, whatever is asked for',
    (status) => {
      for (const offer of offers) {
        expect(decideAll(subscriber({ status, offer }))).toEqual(always('billing_portal'))
        expect(decideAll(subscriber({ status, offer }), enterpriseIsNot)).toEqual(always('billing_portal'))
      }
    },
  )

  test('is the newest of several that never got going', () => {
    const standing = subscriber({ status: 'incomplete' }, { status: 'incomplete', offer: null })
    expect(decideAll(standing)).toEqual(always('billing_portal'))
  })
})

describe('a contradiction', () => {
  const statuses = ['trialing', 'active', 'past_due', 'unpaid', 'paused', 'a_word_of_tomorrow']

  test('of two subscriptions that live needs support', () => {
    for (const status of statuses)
      for (const other of statuses)
        expect(decideAll(subscriber({ status }, { status: other })), `${status}, ${other}`).toEqual(always('support'))
  })

  test('of a price that nobody knows needs support', () => {
    for (const status of [...statuses, 'incomplete'])
      expect(decideAll(subscriber({ status, offer: null })), status).toEqual(always('support'))
  })

  test('of a state that nobody knows needs support', () => {
    expect(decideAll(subscriber({ status: 'a_word_of_tomorrow' }))).toEqual(always('support'))
  })
})

describe('without a subscription that lives', () => {
  const ended = subscriber(
    { status: 'canceled' },
    { status: 'incomplete_expired', offer: null },
    { status: 'canceled' },
  )

  test.each([
    ['nothing', byHand('free', { accessOpen: false }), always(buy)],
    ['what has ended', ended, always(buy)],
    ['pro granted by hand', byHand('pro'), ['no', 'no', buy, buy, buy, buy]],
    ['business granted by hand', byHand('business'), ['no', 'no', 'no', 'no', buy, buy]],
    ['enterprise granted by hand', byHand('enterprise'), always('no')],
    ['a trial of pro granted by hand', byHand('pro', { trialing: true }), ['no', 'no', buy, buy, buy, buy]],
    ['pro granted by hand and lapsed', byHand('pro', { accessOpen: false }), always(buy)],
    ['enterprise granted by hand and lapsed', byHand('enterprise', { accessOpen: false }), always(buy)],
    ['pro granted by hand after what has ended', { ...ended, ...byHand('pro') }, ['no', 'no', buy, buy, buy, buy]],
  ])('%s leads to what can be bought', (_what, standing, outcomes) => {
    expect(decideAll(standing)).toEqual(outcomes)
    const unsold = outcomes.map((word, i) => (word === buy && offers[i]!.plan === 'enterprise' ? 'support' : word))
    expect(decideAll(standing, enterpriseIsNot)).toEqual(unsold)
  })
})
