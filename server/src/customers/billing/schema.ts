import { type Static, Type } from 'typebox'
import {
  ClosedObject,
  Count,
  Nullable,
  OneOf,
  RequestId,
  TaxonomyValue,
  Timestamp,
} from '../../foundation/kernel/shapes.ts'
import { planSlugs } from '../accounts/plans.ts'
import { billingIntervals, paidPlans } from './provider.ts'

const linkKinds = ['checkout', 'subscription_update_confirm', 'billing_portal'] as const
export type BillingLinkKind = (typeof linkKinds)[number]

/** An account's plan, access and billing actions, from stored state. */
export const BillingStatusReply = ClosedObject(
  {
    object: Type.Literal('billing_status'),
    plan: ClosedObject(
      {
        slug: OneOf(planSlugs),
        name: Type.String({ maxLength: 200 }),
        status: TaxonomyValue({ description: 'Subscription state, such as active, past_due or canceled.' }),
        billing: Nullable(
          OneOf(billingIntervals, { description: 'Billing interval of the plan; null without a paid plan.' }),
        ),
        trial: ClosedObject(
          { active: Type.Boolean(), ends_at: Nullable(Timestamp('End of the trial.')) },
          { title: 'BillingTrial' },
        ),
        cancel_at_period_end: Type.Boolean({ description: 'Whether the plan ends with the paid period.' }),
        current_period_end: Nullable(Timestamp('End of the paid period; null for a granted plan.')),
      },
      { title: 'BillingPlan' },
    ),
    api_access: ClosedObject(
      { enabled: Type.Boolean({ description: 'Whether the data endpoints answer.' }) },
      { title: 'ApiAccess' },
    ),
    contact_credits: ClosedObject(
      {
        total: Count('Credits in the current cap.'),
        used: Count('Credits spent in this period.'),
        remaining: Count('Credits left in this period.'),
      },
      { title: 'BillingCredits' },
    ),
    has_billing_account: Type.Boolean({ description: 'Whether the account is a customer at the payment provider.' }),
    actions: ClosedObject(
      {
        can_create_subscription_link: Type.Boolean({
          description: 'Whether POST /billing/subscription-link can return a link for some plan.',
        }),
        can_manage_billing: Type.Boolean({ description: 'Whether POST /billing/portal-link can return a link.' }),
      },
      { title: 'BillingActions' },
    ),
    request_id: RequestId,
  },
  { title: 'BillingStatusReply' },
)
export type BillingStatusReply = Static<typeof BillingStatusReply>

export const SubscriptionLinkRequest = ClosedObject(
  {
    plan: OneOf(paidPlans, {
      errorCode: 'invalid_plan',
      description: 'The plan to subscribe to.',
      examples: ['business'],
    }),
    billing: Type.Optional(
      OneOf(billingIntervals, {
        errorCode: 'invalid_billing',
        default: 'monthly',
        description: 'Billing interval.',
      }),
    ),
  },
  { title: 'SubscriptionLinkRequest' },
)
export type SubscriptionLinkRequest = Static<typeof SubscriptionLinkRequest>

/** A link to a page on which a person decides. */
export const BillingLinkReply = ClosedObject(
  {
    object: Type.Literal('billing_link'),
    kind: OneOf(linkKinds, { description: 'What the page is for.' }),
    url: Type.String({
      format: 'uri',
      maxLength: 4096,
      description: 'Short-lived. Anyone with the link can act for the account: do not log or share it.',
      examples: ['https://pay.example/session/7f3a'],
    }),
    target_plan: Nullable(OneOf(paidPlans, { description: 'The plan that the page leads to; null for the portal.' })),
    target_billing: Nullable(
      OneOf(billingIntervals, { description: 'The billing interval of that plan; null for the portal.' }),
    ),
    expires_at: Nullable(Timestamp('When the link expires; null if the provider does not say.')),
    requires_customer_confirmation: Type.Literal(true, {
      description: 'Nothing changes until a person confirms it on the page.',
    }),
    request_id: RequestId,
  },
  { title: 'BillingLinkReply' },
)
export type BillingLinkReply = Static<typeof BillingLinkReply>
