/** What an account can do about a refusal: the shapes of `error.billing`. */

import { type Static, Type } from 'typebox'
import { ClosedObject, Count, Nullable, OneOf, Timestamp, Variants } from '../../foundation/kernel/shapes.ts'
import type { Entitlement } from './account.ts'

/** The actions that restore the access of a lapsed account. */
const ApiAccessBillingAction = ClosedObject(
  {
    action: OneOf(['create_subscription_link', 'manage_billing'], {
      description:
        'create_subscription_link: the account needs a new subscription. manage_billing: it has one that needs attention, such as a payment.',
    }),
    url: Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'The page of the console on which a person does it, signed in. Not a path of the API.',
    }),
    endpoint: OneOf(['/api/v1/billing/subscription-link', '/api/v1/billing/portal-link'], {
      description:
        'The path to POST to, with the scope billing:manage: the reply has a link to the page of the provider.',
    }),
  },
  {
    title: 'ApiAccessBillingAction',
    description: 'How an account without API access gets it back. Missing for a suspended or closed account.',
  },
)
export type ApiAccessBillingAction = Static<typeof ApiAccessBillingAction>

/** How a trial becomes the paid plan. */
export const TrialCreditBillingAction = ClosedObject(
  {
    can_unlock_paid_credits_now: Type.Optional(
      Type.Boolean({
        description:
          'Whether ending the trial unlocks the credits at once; false as long as a payment method has to be added first.',
      }),
    ),
    action: Type.Literal('end_trial_to_unlock_pro_credits', {
      description: 'End the trial: the paid plan begins at once, with its credits.',
    }),
    current_limit: Count('Credits of the whole trial.'),
    paid_plan_limit: Count('Credits a month of the paid plan.'),
    trial_ends_at: Nullable(Timestamp('When the trial ends by itself; null if its end is open.')),
    url: Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'The page on which a person ends the trial. The link lasts an hour; do not log or share it.',
    }),
  },
  { title: 'TrialCreditBillingAction', description: 'How a trial account gets the credits of its paid plan.' },
)
export type TrialCreditBillingAction = Static<typeof TrialCreditBillingAction>

export const BillingAction = Variants('action', [ApiAccessBillingAction, TrialCreditBillingAction])

/** How a trial account gets the credits of its paid plan, for `usage.billing` and for a refused reveal. */
export function trialAction(
  {
    limits,
    paidPlanCredits,
    hasPaymentMethod,
    trial,
  }: Pick<Entitlement, 'limits' | 'paidPlanCredits' | 'hasPaymentMethod' | 'trial'>,
  url: string,
): TrialCreditBillingAction {
  return {
    can_unlock_paid_credits_now: hasPaymentMethod,
    action: 'end_trial_to_unlock_pro_credits',
    current_limit: limits.contact_credits,
    paid_plan_limit: paidPlanCredits,
    trial_ends_at: trial.endsAt?.toISOString() ?? null,
    url,
  }
}
