/** What an account can do about a refusal: the shapes of `error.billing`. */

import { type Static, Type } from 'typebox'
import { ClosedObject, Count, Nullable, Timestamp } from '../../foundation/kernel/shapes.ts'
import type { Entitlement } from './account.ts'

/** The actions that restore the access of a lapsed account. */
const ApiAccessAction = ClosedObject(
  {
    action: Type.Union([Type.Literal('create_subscription_link'), Type.Literal('manage_billing')]),
    url: Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'The page of the console on which a person does it, signed in. Not a path of the API.',
    }),
    endpoint: Type.Union(
      [Type.Literal('/api/v1/billing/subscription-link'), Type.Literal('/api/v1/billing/portal-link')],
      {
        description:
          'The path to POST to, with the scope billing:manage: the reply has a link to the page of the provider.',
      },
    ),
  },
  {
    title: 'ApiAccessBillingAction',
    description: 'How an account without API access gets it back. Missing for a suspended or closed account.',
  },
)
export type ApiAccessAction = Static<typeof ApiAccessAction>

/** How a trial becomes the paid plan. */
export const TrialCreditAction = ClosedObject(
  {
    can_unlock_paid_credits_now: Type.Optional(Type.Boolean()),
    action: Type.Literal('end_trial_to_unlock_pro_credits'),
    current_limit: Count("The trial's cap."),
    paid_plan_limit: Count("The paid plan's monthly credits."),
    trial_ends_at: Nullable(Timestamp('End of the trial.')),
    url: Type.String({ format: 'uri', maxLength: 2048, description: 'Where a person ends the trial.' }),
  },
  { title: 'TrialCreditBillingAction', description: 'How a trial account gets the credits of its paid plan.' },
)
export type TrialCreditAction = Static<typeof TrialCreditAction>

export const BillingAction = Type.Union([ApiAccessAction, TrialCreditAction])

/** How a trial account gets the credits of its paid plan, for `usage.billing` and for a refused reveal. */
export function trialAction(
  {
    limits,
    paidPlanCredits,
    hasPaymentMethod,
    trial,
  }: Pick<Entitlement, 'limits' | 'paidPlanCredits' | 'hasPaymentMethod' | 'trial'>,
  url: string,
): TrialCreditAction {
  return {
    can_unlock_paid_credits_now: hasPaymentMethod,
    action: 'end_trial_to_unlock_pro_credits',
    current_limit: limits.contact_credits,
    paid_plan_limit: paidPlanCredits,
    trial_ends_at: trial.endsAt?.toISOString() ?? null,
    url,
  }
}
