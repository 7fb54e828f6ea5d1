import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import { useReloadSession } from '#api/session.ts'
import type { BillingInterval, PaidPlan } from './search.ts'

export interface Billing {
  object: 'billing'
  plan: {
    /** The plan in force: `free` once a subscription has ended. */
    slug: 'free' | PaidPlan
    name: string
    status: string
    billing: BillingInterval | null
    trial: { active: boolean; ends_at: string | null }
    cancel_at_period_end: boolean
    current_period_end: string | null
  }
  api_access: { enabled: boolean }
  contact_credits: { total: number; used: number; remaining: number; paid_plan_total: number; renews_at: string }
  has_billing_account: boolean
  actions: { can_create_subscription_link: boolean; can_manage_billing: boolean }
  /** By the operator, without a subscription. */
  granted: boolean
  has_payment_method: boolean
  problem: 'several_subscriptions' | 'unknown_price' | null
  /** Why access is closed whatever the plan: suspended, or closed for good. */
  closed: string | null
  next: { kind: 'trial_ends' | 'renews' | 'ends' | 'past_due' | 'none'; at: string | null }
  /** The paid plan that ended. */
  former: { plan: PaidPlan; billing: BillingInterval } | null
  owners: { id: string; name: string; email: string }[]
}

export interface Price {
  /** In the currency's smallest unit. */
  amount: number
  currency: string
  interval: string
  interval_count: number
}

export interface PlanOffer {
  billing: BillingInterval
  for_sale: boolean
  price: Price | null
  change: 'current' | 'buy' | 'upgrade' | 'downgrade' | 'recover' | 'end_trial' | 'support'
  /** The page of the provider that leads there. */
  link: 'checkout' | 'subscription_update_confirm' | 'billing_portal' | null
}

export interface Plan {
  object: 'plan'
  slug: 'free' | PaidPlan
  name: string
  current: boolean
  limits: Record<
    'contact_credits' | 'store_exports' | 'search_rows' | 'requests_per_minute' | 'requests_per_day',
    number
  >
  offers: PlanOffer[]
}

export interface Trial {
  object: 'trial'
  step: 'end_trial' | 'add_payment_method' | 'buy' | 'retry_payment' | 'plan_active' | 'no_plan' | 'contact_operator'
  plan_name: string
  ends_at: string | null
  price: Price | null
  cancel_at_period_end: boolean
  contact_credits: { total: number; remaining: number; after: number }
  confirmation: string
}

const keyOf = (account: string) => [account, 'billing']

export const billingQuery = (account: string) =>
  queryOptions({
    queryKey: [...keyOf(account), 'status'],
    queryFn: ({ signal }) => api.get<Billing>(path`/accounts/${account}/billing`, { signal }),
    // Somebody may have changed it at the payment provider meanwhile.
    staleTime: 0,
  })

export const plansQuery = (account: string) =>
  queryOptions({
    queryKey: [...keyOf(account), 'plans'],
    queryFn: ({ signal }) => api.get<{ data: Plan[] }>(path`/accounts/${account}/billing/plans`, { signal }),
    staleTime: 0,
  })

/** Not kept: its confirmation is for what is shown now. */
export function readTrial(account: string): Promise<Trial> {
  return api.get<Trial>(path`/accounts/${account}/billing/trial`)
}

/** Where the person has to go for it; null when the trial has ended. */
export async function endTrial(account: string, confirmation: string): Promise<string | null> {
  const { url } = await api.post<{ url: string | null }>(path`/accounts/${account}/billing/end-trial`, { confirmation })
  return url
}

/** The page of the provider on which the offer is bought or confirmed. Who has the address can act for the account. */
export async function createSubscriptionLink(
  account: string,
  offer: { plan: PaidPlan; billing: BillingInterval },
): Promise<string> {
  const { url } = await api.post<{ url: string }>(path`/accounts/${account}/billing/subscription-link`, offer)
  return url
}

export async function createPortalLink(account: string): Promise<string> {
  const { url } = await api.post<{ url: string }>(path`/accounts/${account}/billing/portal-link`)
  return url
}

/** Loads the page's data and the session anew, after the plan has changed. */
export function useReloadBilling(account: string): () => Promise<void> {
  const client = useQueryClient()
  const reloadSession = useReloadSession()
  return async () => {
    await Promise.all([client.invalidateQueries({ queryKey: keyOf(account) }), reloadSession()])
  }
}
