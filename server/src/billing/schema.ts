import { type Static, Type } from 'typebox'
import { planSlugs } from '../accounts/plans.ts'
import { Closed, Count, Moment, Nullable, RequestId, Word } from '../kernel/shapes.ts'
import type { Billing, PaidPlan } from './provider.ts'

export const paidPlans: readonly PaidPlan[] = ['pro', 'business', 'enterprise']
export const billings: readonly Billing[] = ['monthly', 'annual']
const linkKinds = ['checkout', 'subscription_update_confirm', 'billing_portal'] as const
export type LinkKind = (typeof linkKinds)[number]

const OneOf = <T extends string>(values: readonly T[], description?: string) =>
  Type.Enum([...values], { type: 'string', ...(description && { description }) })

/** How an account stands with the payment provider, as far as is known here. */
export const BillingStatusReply = Closed({
  object: Type.Literal('billing_status'),
  plan: Closed({
    slug: OneOf(planSlugs),
    name: Type.String({ maxLength: 200 }),
    status: Word({ description: 'Subscription state, such as active, past_due or canceled.' }),
    billing: Nullable(OneOf(billings, 'How often the plan is paid for; null without a paid plan.')),
    trial: Closed({ active: Type.Boolean(), ends_at: Nullable(Moment('End of the trial.')) }),
    cancel_at_period_end: Type.Boolean({ description: 'Whether the plan ends with the period that is paid for.' }),
    current_period_end: Nullable(Moment('End of the period that is paid for; null for a plan granted by hand.')),
  }),
  api_access: Closed({ enabled: Type.Boolean({ description: 'Whether the data endpoints answer.' }) }),
  contact_credits: Closed({
    total: Count('Credits in the current cap.'),
    used: Count('Credits spent in this period.'),
    remaining: Count('Credits left in this period.'),
  }),
  has_billing_account: Type.Boolean({ description: 'Whether the payment provider knows the account.' }),
  actions: Closed({
    can_create_subscription_link: Type.Boolean({
      description: 'Whether POST /billing/subscription-link has something to lead to.',
    }),
    can_manage_billing: Type.Boolean({ description: 'Whether POST /billing/portal-link leads to the portal.' }),
  }),
  request_id: RequestId,
})
export type BillingStatusReply = Static<typeof BillingStatusReply>

export const SubscriptionLinkRequest = Closed({
  plan: Type.Enum([...paidPlans], { type: 'string', description: 'The plan to subscribe to.', examples: ['business'] }),
  billing: Type.Optional(
    Type.Enum([...billings], { type: 'string', default: 'monthly', description: 'How often it is paid for.' }),
  ),
})
export type SubscriptionLinkRequest = Static<typeof SubscriptionLinkRequest>

/** A way to a page on which a person decides. */
export const BillingLinkReply = Closed({
  object: Type.Literal('billing_link'),
  kind: OneOf(linkKinds, 'What the page is for.'),
  url: Type.String({
    format: 'uri',
    maxLength: 4096,
    description: 'Short-lived. Whoever has it can act for the account: neither log nor share it.',
    examples: ['https://pay.example/session/7f3a'],
  }),
  target_plan: Nullable(OneOf(paidPlans, 'The plan that the page leads to; null for the portal.')),
  target_billing: Nullable(OneOf(billings, 'Its billing; null for the portal.')),
  expires_at: Nullable(Moment('When the link ends; null where the provider does not say.')),
  requires_customer_confirmation: Type.Literal(true, {
    description: 'Nothing changes before a person confirms it on the page.',
  }),
  request_id: RequestId,
})
export type BillingLinkReply = Static<typeof BillingLinkReply>
