import type { Entitlement } from '../accounts/account.ts'
import type { TrialCreditBillingAction } from '../kernel/errors.ts'

/** How a trial account gets the credits of its paid plan, for `usage.billing` and for a refused reveal. */
export function trialAction(
  { limits, paidPlanCredits, trial }: Entitlement,
  publicUrl: string,
): TrialCreditBillingAction {
  return {
    // Only a payment provider that holds a payment method can end a trial at once.
    can_unlock_paid_credits_now: false,
    action: 'end_trial_to_unlock_pro_credits',
    current_limit: limits.contact_credits,
    paid_plan_limit: paidPlanCredits,
    trial_ends_at: trial.endsAt?.toISOString() ?? null,
    url: `${publicUrl}/billing/trial`,
  }
}
