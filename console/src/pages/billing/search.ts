import { choiceParam, patternParam, type RawSearch } from '#lib/search-params.ts'

export const paidPlans = ['pro', 'business', 'enterprise'] as const
export type PaidPlan = (typeof paidPlans)[number]

const billingIntervals = ['monthly', 'annual'] as const
export type BillingInterval = (typeof billingIntervals)[number]

/** The page's search parameters. */
export interface BillingSearch {
  /** The account that the API's link to this page is about. */
  account?: string | undefined
  /** The plan that is chosen; the one that a link led to, on the way back from the payment provider. */
  plan?: PaidPlan | undefined
  billing?: BillingInterval | undefined
  /** From which page of the payment provider the person has just come back. */
  returned?: Returned | undefined
}

const returns = ['checkout', 'canceled', 'portal', 'trial'] as const
type Returned = (typeof returns)[number]

export function validateBillingSearch(search: RawSearch): BillingSearch {
  return {
    account: patternParam(search.account, /^acct_[A-Za-z]{16}$/),
    plan: choiceParam(search.plan, paidPlans),
    billing: choiceParam(search.billing, billingIntervals),
    returned: choiceParam(search.returned, returns),
  }
}
