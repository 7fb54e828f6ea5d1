import type { Entitlement } from '../accounts/account.ts'
import type { TrialCreditBillingAction } from '../kernel/errors.ts'

/** How a trial account gets the credits of its paid plan, for `usage.billing` and for a refused reveal. */
export function trialAction(
  { limits, paidPlanCredits, hasPaymentMethod, trial }: Entitlement,
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
