import { type Static, Type } from 'typebox'
import {
  ClosedObject,
  Count,
  Nullable,
  ObjectKind,
  OneOf,
  RequestId,
  Timestamp,
} from '../../foundation/kernel/shapes.ts'
import { planProperties } from '../accounts/plan-shapes.ts'
import { billingIntervals, paidPlans } from './provider.ts'

const linkKinds = ['checkout', 'subscription_update_confirm', 'billing_portal'] as const
export type BillingLinkKind = (typeof linkKinds)[number]

/** An account's plan, access and billing actions, from stored state. */
export const BillingStatus = ClosedObject(
  {
    object: ObjectKind('billing_status'),
    plan: ClosedObject(
      {
        ...planProperties,
        billing: Nullable(
          OneOf(billingIntervals, {
            description:
              'Billing interval of the plan; null without a paid plan, and for a plan that the operator granted.',
          }),
        ),
        cancel_at_period_end: Type.Boolean({
          description: 'Whether the plan ends at current_period_end instead of being renewed.',
        }),
        current_period_end: Nullable(
          Timestamp('End of the paid period; null without a paid plan, and for a plan that the operator granted.'),
        ),
      },
      { title: 'BillingPlan', description: 'The plan in force, how it is billed, and the state of its subscription.' },
    ),
    api_access: ClosedObject(
      { enabled: Type.Boolean({ description: 'Whether the data endpoints answer: those of all groups but billing.' }) },
      { title: 'ApiAccess', description: 'Whether the account may use the API.' },
    ),
    contact_credits: ClosedObject(
      {
        total: Count('Credits of the current cap: the trial’s during a trial, otherwise the plan’s for a month.'),
        used: Count('Credits spent in this period, in the web application as well.'),
        remaining: Count('Credits left in this period, less what running exports have reserved.'),
      },
      {
        title: 'BillingCredits',
        description: 'Contact credits, as in GET /usage. They are shared with the web application of this service.',
      },
    ),
    has_billing_account: Type.Boolean({
      description: 'Whether the account is a customer at the payment provider.',
    }),
    actions: ClosedObject(
      {
        can_create_subscription_link: Type.Boolean({
          description: 'Whether POST /billing/subscription-link can return a link for some plan.',
        }),
        can_manage_billing: Type.Boolean({ description: 'Whether POST /billing/portal-link can return a link.' }),
      },
      { title: 'BillingActions', description: 'Which links can be created now.' },
    ),
    request_id: RequestId,
  },
  {
    title: 'BillingStatus',
    description: 'Plan, access, credits and possible billing actions of the account, also while it has no API access.',
  },
)
export type BillingStatus = Static<typeof BillingStatus>

export const SubscriptionLinkRequest = ClosedObject(
  {
    plan: OneOf(paidPlans, {
      errorCode: 'invalid_plan',
      description: 'The plan to subscribe to, or to upgrade to.',
      examples: ['business'],
    }),
    billing: Type.Optional(
      OneOf(billingIntervals, {
        errorCode: 'invalid_billing',
        default: 'monthly',
        description: 'Billing interval of that plan.',
      }),
    ),
  },
  { title: 'SubscriptionLinkRequest', description: 'The plan that the link leads to.' },
)
export type SubscriptionLinkRequest = Static<typeof SubscriptionLinkRequest>

/** A link to a page on which a person decides. */
export const BillingLink = ClosedObject(
  {
    object: ObjectKind('billing_link'),
    kind: OneOf(linkKinds, {
      description:
        'What the page is for. checkout: a new subscription without a trial. subscription_update_confirm: exactly this upgrade. billing_portal: invoices, payment details, cancellation and recovery.',
    }),
    url: Type.String({
      format: 'uri',
      maxLength: 4096,
      description:
        'The page of the payment provider, to be opened by a person. Short-lived; anyone with the link can act for the account: do not log or share it.',
      examples: ['https://pay.example/session/7f3a'],
    }),
    target_plan: Nullable(
      OneOf(paidPlans, { description: 'The plan that the page leads to; null for a billing_portal.' }),
    ),
    target_billing: Nullable(
      OneOf(billingIntervals, { description: 'The billing interval of that plan; null for a billing_portal.' }),
    ),
    expires_at: Nullable(
      Timestamp(
        'When a checkout expires; null for the other kinds, whose links the provider ends after some minutes without a stated time.',
      ),
    ),
    requires_customer_confirmation: Type.Literal(true, {
      description: 'Always true: nothing changes until a person confirms it on the page.',
    }),
    request_id: RequestId,
  },
  {
    title: 'BillingLink',
    description: 'A link to a page of the payment provider. Creating it changes no subscription.',
  },
)
export type BillingLink = Static<typeof BillingLink>
