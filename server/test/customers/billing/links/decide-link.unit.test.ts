import { describe, expect, test } from 'vitest'
import type { PlanSlug } from '../../../../src/customers/accounts/plans.ts'
import {
  decideLink,
  type LinkDecision,
  type LinkDecisionInput,
  type SubscriptionSummary,
} from '../../../../src/customers/billing/links/decide-link.ts'
import type { BillingInterval, PaidPlan } from '../../../../src/customers/billing/provider.ts'

const offers = ['pro', 'business', 'enterprise'].flatMap((plan) =>
  ['monthly', 'annual'].map((billing) => ({ plan, billing }) as { plan: PaidPlan; billing: BillingInterval }),
)
const everythingIsForSale = () => true
const enterpriseIsNotForSale = (plan: PaidPlan) => plan !== 'enterprise'

const notClosed = { suspendedAt: null, closedAt: null }
const freeAccount: LinkDecisionInput['account'] = {
  planInForce: 'free',
  accessOpen: false,
  trialing: false,
  ...notClosed,
}
const byHand = (planInForce: PlanSlug, { accessOpen = true, trialing = false } = {}) => ({
  account: { planInForce, accessOpen, trialing, ...notClosed },
  subscriptions: [],
})
const subscriber = (...subscriptions: Partial<SubscriptionSummary>[]): LinkDecisionInput => ({
  account: freeAccount,
  subscriptions: subscriptions.map((traits, index) => ({
    id: `sub_${index}`,
    status: 'active',
    offer: { plan: 'pro', billing: 'monthly' },
    ...traits,
  })),
})

const outcomeOf = (decision: LinkDecision): string =>
  decision.kind !== 'refused' ? decision.kind : decision.code === 'unsupported_plan_change' ? 'no' : 'support'

const decideAll = (
  input: LinkDecisionInput,
  isForSale = everythingIsForSale as (plan: PaidPlan, billing: BillingInterval) => boolean,
) => offers.map((offer) => outcomeOf(decideLink(input, offer, isForSale)))
const always = (outcome: string) => offers.map(() => outcome)

const up = 'subscription_update_confirm'
const buy = 'checkout'

test.each([
  ['suspended', { suspendedAt: new Date(0), closedAt: null }],
  ['closed', { suspendedAt: null, closedAt: new Date(0) }],
])('nothing is sold to a %s account', (_, closing) => {
  for (const input of [byHand('free', { accessOpen: false }), byHand('pro'), subscriber({})])
    expect(decideAll({ ...input, account: { ...input.account, ...closing } })).toEqual(always('support'))
})

describe('a running subscription', () => {
  // Requested:                pro mon, ann    business mon, ann    enterprise mon, ann
  const grid: [PaidPlan, BillingInterval, string[]][] = [
    ['pro', 'monthly', ['no', up, up, up, up, up]],
    ['pro', 'annual', ['no', 'no', up, up, up, up]],
    ['business', 'monthly', ['no', 'no', 'no', up, up, up]],
    ['business', 'annual', ['no', 'no', 'no', 'no', up, up]],
    ['enterprise', 'monthly', ['no', 'no', 'no', 'no', 'no', up]],
    ['enterprise', 'annual', ['no', 'no', 'no', 'no', 'no', 'no']],
  ]

  test.each(grid)('to %s, %s, can only be upgraded, also on trial', (plan, billing, outcomes) => {
    for (const status of ['active', 'trialing'])
      expect(decideAll(subscriber({ status, offer: { plan, billing } })), status).toEqual(outcomes)
  })

  test.each(grid)('to %s, %s, needs support for a plan without a price', (plan, billing, outcomes) => {
    const expected = outcomes.map((word, i) => (word === up && offers[i]!.plan === 'enterprise' ? 'support' : word))
    expect(decideAll(subscriber({ offer: { plan, billing } }), enterpriseIsNotForSale)).toEqual(expected)
  })

  test('is the one that is upgraded, among ended and incomplete ones', () => {
    const input = subscriber(
      { id: 'sub_incomplete', status: 'incomplete', offer: null },
      { id: 'sub_canceled', status: 'canceled', offer: { plan: 'enterprise', billing: 'annual' } },
      { id: 'sub_running' },
      { id: 'sub_expired', status: 'incomplete_expired', offer: null },
    )
    expect(decideLink(input, { plan: 'business', billing: 'monthly' }, everythingIsForSale)).toEqual({
      kind: up,
      subscriptionId: 'sub_running',
    })
  })

  test('on trial is refused its own plan, with a message that says where to end the trial', () => {
    const decision = decideLink(
      subscriber({ status: 'trialing' }),
      { plan: 'pro', billing: 'monthly' },
      everythingIsForSale,
    )
    expect(decision).toMatchObject({ kind: 'refused', message: expect.stringContaining('billing.url') })
  })
})

describe('a subscription with a payment problem', () => {
  test.each(['past_due', 'unpaid', 'incomplete', 'paused'])(
    '(%s) leads to the portal, whatever plan is requested',
    (status) => {
      for (const offer of offers) {
        expect(decideAll(subscriber({ status, offer }))).toEqual(always('billing_portal'))
        expect(decideAll(subscriber({ status, offer }), enterpriseIsNotForSale)).toEqual(always('billing_portal'))
      }
    },
  )

  test('is the newest of several incomplete ones', () => {
    const input = subscriber({ status: 'incomplete' }, { status: 'incomplete', offer: null })
    expect(decideAll(input)).toEqual(always('billing_portal'))
  })
})

describe('support is needed', () => {
  const statuses = ['trialing', 'active', 'past_due', 'unpaid', 'paused', 'a_future_status']

  test('for two live subscriptions', () => {
    for (const status of statuses)
      for (const other of statuses)
        expect(decideAll(subscriber({ status }, { status: other })), `${status}, ${other}`).toEqual(always('support'))
  })

  test('for an unknown price', () => {
    for (const status of [...statuses, 'incomplete'])
      expect(decideAll(subscriber({ status, offer: null })), status).toEqual(always('support'))
  })

  test('for an unknown status', () => {
    expect(decideAll(subscriber({ status: 'a_future_status' }))).toEqual(always('support'))
  })
})

describe('without a live subscription', () => {
  const ended = subscriber(
    { status: 'canceled' },
    { status: 'incomplete_expired', offer: null },
    { status: 'canceled' },
  )

  test.each([
    ['no plan', byHand('free', { accessOpen: false }), always(buy)],
    ['an ended subscription', ended, always(buy)],
    ['pro granted by hand', byHand('pro'), ['no', 'no', buy, buy, buy, buy]],
    ['business granted by hand', byHand('business'), ['no', 'no', 'no', 'no', buy, buy]],
    ['enterprise granted by hand', byHand('enterprise'), always('no')],
    ['a trial of pro granted by hand', byHand('pro', { trialing: true }), ['no', 'no', buy, buy, buy, buy]],
    ['pro granted by hand and lapsed', byHand('pro', { accessOpen: false }), always(buy)],
    ['enterprise granted by hand and lapsed', byHand('enterprise', { accessOpen: false }), always(buy)],
    [
      'pro granted by hand after an ended subscription',
      { ...ended, ...byHand('pro') },
      ['no', 'no', buy, buy, buy, buy],
    ],
  ])('%s leads to a checkout of the allowed plans', (_what, input, outcomes) => {
    expect(decideAll(input)).toEqual(outcomes)
    const unsold = outcomes.map((word, i) => (word === buy && offers[i]!.plan === 'enterprise' ? 'support' : word))
    expect(decideAll(input, enterpriseIsNotForSale)).toEqual(unsold)
  })
})
