import {
  type Account,
  canRecoverSubscription,
  closedReason,
  endedStatuses,
  isSubscriptionRunning,
} from '../../accounts/account.ts'
import { type BillingProvider, type Offer, type PaidPlan, type ProviderSubscription, paidPlans } from '../provider.ts'

/** The part of a subscription that the decision uses. */
export type SubscriptionSummary = Pick<ProviderSubscription, 'id' | 'status' | 'offer'>

export interface LinkDecisionInput {
  /** Decides if there is no live subscription. Nothing is sold to a suspended or closed account. */
  account: Pick<Account, 'planInForce' | 'accessOpen' | 'trialing' | 'suspendedAt' | 'closedAt'>
  /** From the provider, newest first. */
  subscriptions: readonly SubscriptionSummary[]
}

/** The page that a link opens, or why there is no link. */
export type LinkDecision =
  | { kind: 'checkout' }
  | { kind: 'subscription_update_confirm'; subscriptionId: string }
  | { kind: 'billing_portal' }
  | { kind: 'refused'; code: 'unsupported_plan_change' | 'billing_support_required'; message: string }

/**
 * The rules of `POST /billing/subscription-link`. A subscription with a payment problem is recovered in the portal,
 * whatever plan was requested; a running one is upgraded on a confirmation page; without one a checkout sells a new one.
 * Contradictory subscriptions need support.
 */
export function decideLink(
  { account, subscriptions }: LinkDecisionInput,
  requested: Offer,
  isForSale: BillingProvider['isForSale'],
): LinkDecision {
  const closed = closedReason(account)
  if (closed) return support(closed)
  const live = subscriptions.filter(({ status }) => !endedStatuses.has(status))
  const running = live.filter(isSubscriptionRunning)
  if (running.length > 1) return support('This account has several subscriptions at the payment provider; ask support.')
  const current = running[0] ?? live[0]
  const decision = current ? decideForSubscriber(current, requested) : decideWithoutSubscription(account, requested)
  const leadsToPurchase = decision.kind === 'checkout' || decision.kind === 'subscription_update_confirm'
  if (leadsToPurchase && !isForSale(requested.plan, requested.billing))
    return support(`The plan ${describeOffer(requested)}, cannot be bought with a link; ask support.`)
  return decision
}

function decideForSubscriber({ id, status, offer }: SubscriptionSummary, requested: Offer): LinkDecision {
  if (!offer) return support('The subscription has a price that is not in the price list; ask support.')
  if (canRecoverSubscription({ status, subscriptionId: id })) return { kind: 'billing_portal' }
  const isTrialing = status === 'trialing'
  if (!isTrialing && status !== 'active') return support('The subscription has an unknown status; ask support.')
  if (isUpgrade(offer, requested)) return { kind: 'subscription_update_confirm', subscriptionId: id }
  if (isTrialing && offer.plan === requested.plan) return unsupported(endTrialInstead(offer.plan))
  return unsupported(
    `The plan is ${describeOffer(offer)}; a link can only lead to a higher plan, or from monthly to annual billing.`,
  )
}

/** Without a live subscription: a granted plan can be upgraded, a lapsed one bought. */
function decideWithoutSubscription(
  { planInForce, accessOpen, trialing }: LinkDecisionInput['account'],
  requested: Offer,
): LinkDecision {
  if (planInForce === 'free' || !accessOpen) return { kind: 'checkout' }
  if (rank(requested.plan) > rank(planInForce)) return { kind: 'checkout' }
  if (trialing && planInForce === requested.plan) return unsupported(endTrialInstead(planInForce))
  return unsupported(
    `The plan is ${planInForce}, granted without a subscription; a link can only lead to a higher plan.`,
  )
}

function isUpgrade(from: Offer, to: Offer): boolean {
  if (rank(to.plan) !== rank(from.plan)) return rank(to.plan) > rank(from.plan)
  return from.billing === 'monthly' && to.billing === 'annual'
}

function rank(plan: PaidPlan): number {
  return paidPlans.indexOf(plan)
}

function describeOffer({ plan, billing }: Offer): string {
  return `${plan}, billed ${billing === 'annual' ? 'annually' : 'monthly'}`
}

function endTrialInstead(plan: PaidPlan): string {
  return `The plan ${plan} is already on trial; end the trial on the page at billing.url of GET /api/v1/usage.`
}

function unsupported(message: string): LinkDecision {
  return { kind: 'refused', code: 'unsupported_plan_change', message }
}

function support(message: string): LinkDecision {
  return { kind: 'refused', code: 'billing_support_required', message }
}
