import type { Entitlement } from '../accounts/account.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { TrialCreditAction } from '../http/errors.ts'
import { ApiError } from '../kernel/errors.ts'
import { formatDay, formatNumber, type Period } from '../kernel/time.ts'
import type { TrialLinks } from './trial-links.ts'

/** A request whose refusal may link to the trial page. */
export interface TrialContext extends CallerContext {
  trialLinks: TrialLinks
}

/** The limit of a search exceeds the search rows left. */
export function rowsRefusal({ caller, now }: CallerContext, remaining: number): ApiError {
  const { limits, period } = caller.entitlement
  const advice = remaining > 0 ? `; ask for limit ${formatNumber(remaining)} or less` : ''
  return new ApiError(
    'rate_limit_exceeded',
    `${formatNumber(remaining)} of ${formatNumber(limits.search_rows)} search rows are left until ${formatDay(period.end)}${advice}.`,
    { param: 'search_rows', retryAfterSeconds: secondsUntilEnd(period, now) },
  )
}

/**
 * A reply holds more new stores than exports are left. The message does not say how many more: that would count the matches
 * of a search without payment.
 */
export function exportsRefusal({ caller, now }: CallerContext, remaining: number): ApiError {
  const { limits, period } = caller.entitlement
  return new ApiError(
    'rate_limit_exceeded',
    `${formatNumber(remaining)} of ${formatNumber(limits.store_exports)} store exports are left until ${formatDay(period.end)}; this reply holds more stores that are new this period.`,
    { param: 'store_exports', retryAfterSeconds: secondsUntilEnd(period, now) },
  )
}

/** A reveal needs more credits than are left; during a trial, the refusal says how to get those of the paid plan. */
export function creditsRefusal({ caller, now, trialLinks }: TrialContext, needed: number, remaining: number): ApiError {
  const { limits, creditsPeriod, trial } = caller.entitlement
  const verb = needed === 1 ? 'is' : 'are'
  return new ApiError(
    'insufficient_contact_credits',
    `${count(needed, 'contact credit')} ${verb} needed, but ${formatNumber(remaining)} of ${formatNumber(limits.contact_credits)} ${remaining === 1 ? 'is' : 'are'} left ${trial.active ? 'for this trial' : `until ${formatDay(creditsPeriod.end)}`}.`,
    {
      param: 'contact_ids',
      ...(trial.active && { billing: trialAction(caller.entitlement, trialLinks.urlFor(caller, now)) }),
    },
  )
}

/** A budget of the key, and what is used and reserved of it. */
interface TakenBudget {
  budget: number
  taken: number
}

/** The limit of a search exceeds what is left of the key's budget of search rows. */
export function rowsBudgetRefusal({ caller, now }: CallerContext, { budget, taken }: TakenBudget): ApiError {
  const { period } = caller.entitlement
  const left = Math.max(0, budget - taken)
  const advice = left > 0 ? `; ask for limit ${formatNumber(left)} or less` : ''
  return new ApiError(
    'rate_limit_exceeded',
    `This API key has used ${ofBudget({ budget, taken }, 'search rows')} of its own budget until ${formatDay(period.end)}${advice}.`,
    { param: 'key_budget.search_rows', retryAfterSeconds: secondsUntilEnd(period, now) },
  )
}

/** A reply holds more new stores than the key's budget has left; like `exportsRefusal` it does not say how many. */
export function exportsBudgetRefusal({ caller, now }: CallerContext, taken: TakenBudget): ApiError {
  const { period } = caller.entitlement
  return new ApiError(
    'rate_limit_exceeded',
    `This API key has used ${ofBudget(taken, 'store exports')} of its own budget until ${formatDay(period.end)}; this reply holds more stores that are new this period.`,
    { param: 'key_budget.store_exports', retryAfterSeconds: secondsUntilEnd(period, now) },
  )
}

/** A reveal needs more credits than the key's budget has left. No link: more credits of the account would not help. */
export function creditsBudgetRefusal({ caller }: CallerContext, needed: number, taken: TakenBudget): ApiError {
  const { creditsPeriod } = caller.entitlement
  const verb = needed === 1 ? 'is' : 'are'
  return new ApiError(
    'insufficient_contact_credits',
    `${count(needed, 'contact credit')} ${verb} needed, but this API key has used ${ofBudget(taken, 'contact credits')} of its own budget until ${formatDay(creditsPeriod.end)}.`,
    { param: 'key_budget.contact_credits' },
  )
}

/** Such as "8 of 10 contact credits". A budget can be lowered below what is used. */
const ofBudget = ({ budget, taken }: TakenBudget, things: string) =>
  `${formatNumber(taken)} of ${formatNumber(budget)} ${things}`

function secondsUntilEnd({ end }: Period, now: Date): number {
  return Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000))
}

const count = (value: number, noun: string) => `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`

/** How a trial account gets the credits of its paid plan, for `usage.billing` and for a refused reveal. */
export function trialAction(
  { limits, paidPlanCredits, hasPaymentMethod, trial }: Entitlement,
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
