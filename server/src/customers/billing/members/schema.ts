import { type Static, Type } from 'typebox'
import { ClosedObject, Count, Nullable, OneOf, RequestId, Timestamp } from '../../../foundation/kernel/shapes.ts'
import { planSlugs } from '../../accounts/plans.ts'
import { billingIntervals, paidPlans } from '../provider.ts'
import { BillingStatus } from '../schema.ts'

const { object: _, contact_credits, request_id, ...statusProperties } = BillingStatus.properties

/** The billing status of the API, with what the page explains beyond it. */
export const ConsoleBillingReply = ClosedObject({
  object: Type.Literal('billing'),
  ...statusProperties,
  contact_credits: ClosedObject({
    ...contact_credits.properties,
    paid_plan_total: Count('Credits a month of the plan without a trial.'),
    renews_at: Timestamp('When a new period of credits starts.'),
  }),
  granted: Type.Boolean({
    description: 'Whether the plan in force was granted by the operator, without a subscription.',
  }),
  has_payment_method: Type.Boolean({ description: 'Whether the provider can charge at once.' }),
  problem: Nullable(
    OneOf(['several_subscriptions', 'unknown_price'], { description: 'What only support can resolve.' }),
  ),
  closed: Nullable(Type.String({ description: 'Why access is closed whatever the plan, such as a suspension.' })),
  next: ClosedObject({
    kind: OneOf(['trial_ends', 'renews', 'ends', 'past_due', 'none'], {
      description: 'What happens next: `past_due` waits for a payment.',
    }),
    at: Nullable(Timestamp('When; null if no time is known.')),
  }),
  former: Nullable(
    ClosedObject(
      { plan: OneOf(paidPlans), billing: OneOf(billingIntervals) },
      { description: 'The paid plan that ended.' },
    ),
  ),
  owners: Type.Array(ClosedObject({ id: Type.String(), name: Type.String(), email: Type.String() }), {
    description: 'The people who can change the plan.',
  }),
  request_id,
})
export type ConsoleBillingReply = Static<typeof ConsoleBillingReply>

const PlanPrice = ClosedObject({
  amount: Count('In the currency’s smallest unit.'),
  currency: Type.String({ description: 'ISO 4217, in lower case.' }),
  interval: Type.String({ description: 'day, week, month or year' }),
  interval_count: Count('How many intervals one charge covers.'),
})

const PlanOffer = ClosedObject({
  billing: OneOf(billingIntervals),
  for_sale: Type.Boolean({ description: 'Whether the provider has a price for it.' }),
  price: Nullable(PlanPrice),
  change: OneOf(['current', 'buy', 'upgrade', 'downgrade', 'recover', 'end_trial', 'support'], {
    description: 'What taking this offer means for the account.',
  }),
  link: Nullable(
    OneOf(['checkout', 'subscription_update_confirm', 'billing_portal'], {
      description:
        'The page that leads there: `billing_portal` from POST …/portal-link for a downgrade, others from POST …/subscription-link. Null if there is none.',
    }),
  ),
})
export type PlanOffer = Static<typeof PlanOffer>

const ComparedPlan = ClosedObject({
  object: Type.Literal('plan'),
  slug: OneOf(planSlugs),
  name: Type.String(),
  current: Type.Boolean(),
  limits: ClosedObject({
    contact_credits: Count('A month.'),
    store_exports: Count('A month.'),
    search_rows: Count('A month.'),
    requests_per_minute: Count('Requests of API keys.'),
    requests_per_day: Count('Requests of API keys.'),
  }),
  offers: Type.Array(PlanOffer, { description: 'None for the plan that costs nothing.' }),
})
export type ComparedPlan = Static<typeof ComparedPlan>

export const PlanListReply = ClosedObject({
  object: Type.Literal('list'),
  data: Type.Array(ComparedPlan),
  has_more: Type.Literal(false),
  next_cursor: Type.Null(),
  request_id: RequestId,
})
export type PlanListReply = Static<typeof PlanListReply>

export const TrialReply = ClosedObject({
  object: Type.Literal('trial'),
  step: OneOf(
    ['end_trial', 'add_payment_method', 'buy', 'retry_payment', 'plan_active', 'no_plan', 'contact_operator'],
    {
      description:
        'What POST …/end-trial does now: end the trial, or answer with a link to a page of the provider. The last three: nothing.',
    },
  ),
  plan_name: Type.String(),
  ends_at: Nullable(Timestamp('When the trial ends by itself.')),
  price: Nullable(PlanPrice),
  cancel_at_period_end: Type.Boolean({ description: 'Whether the paid plan ends with its first period.' }),
  contact_credits: ClosedObject({
    total: Count('Credits of the trial.'),
    remaining: Count('Credits of the trial that are left.'),
    after: Count('Credits a month of the paid plan.'),
  }),
  confirmation: Type.String({ description: 'To be sent with POST …/end-trial: that exactly this was shown.' }),
  request_id: RequestId,
})
export type TrialReply = Static<typeof TrialReply>

export const EndTrialRequest = ClosedObject({ confirmation: Type.String({ maxLength: 200 }) })

export const EndTrialReply = ClosedObject({
  object: Type.Literal('trial_step'),
  outcome: OneOf(['ended', 'link', 'unchanged']),
  url: Nullable(
    Type.String({ format: 'uri', maxLength: 4096, description: 'The provider’s page. Do not log or share it.' }),
  ),
  request_id: RequestId,
})
export type EndTrialReply = Static<typeof EndTrialReply>
