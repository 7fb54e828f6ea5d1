import { type Account, canRecoverSubscription, endedStatuses, isSubscriptionRunning } from '../../accounts/account.ts'
import type { Billing, BillingProvider, PaidPlan, ProviderSubscription } from '../provider.ts'
import { paidPlans } from '../schema.ts'

/** What is asked for. */
export interface Offer {
  plan: PaidPlan
  billing: Billing
}

/** What of a subscription bears on the decision. */
export type SubscriptionSummary = Pick<ProviderSubscription, 'id' | 'status' | 'offer'>

export interface LinkDecisionInput {
  /** The account, which decides while no subscription lives. */
  account: Pick<Account, 'planInForce' | 'accessOpen' | 'trialing'>
  /** Those of the payment provider, the newest first. */
  subscriptions: readonly SubscriptionSummary[]
}

/** Where a person is led, or why nowhere. */
export type LinkDecision =
  | { kind: 'checkout' }
  | { kind: 'subscription_update_confirm'; subscriptionId: string }
  | { kind: 'billing_portal' }
  | { kind: 'refused'; code: 'unsupported_plan_change' | 'billing_support_required'; message: string }

/**
 * The rules of `POST /billing/subscription-link`. A subscription in need is recovered in the portal, whatever was asked
 * for; a running one goes up, on a page that confirms just that; without one a new one is bought. What contradicts itself
 * at the provider is for a person to sort out.
 */
export function decideLink(
  { account, subscriptions }: LinkDecisionInput,
  purchase: Offer,
  isSold: BillingProvider['isForSale'],
): LinkDecision {
  const live = subscriptions.filter(({ status }) => !endedStatuses.has(status))
  const running = live.filter(isSubscriptionRunning)
  if (running.length > 1) return support('This account has several subscriptions at the payment provider; ask support.')
  const current = running[0] ?? live[0]
  const decision = current ? decideForSubscriber(current, purchase) : decideForOthers(account, purchase)
  const leadsToPurchase = decision.kind === 'checkout' || decision.kind === 'subscription_update_confirm'
  if (leadsToPurchase && !isSold(purchase.plan, purchase.billing))
    return support(`The plan ${nameOf(purchase)}, is not sold by link; ask support.`)
  return decision
}

function decideForSubscriber({ id, status, offer }: SubscriptionSummary, purchase: Offer): LinkDecision {
  if (!offer) return support('The subscription has a price that is not in the price list; ask support.')
  if (canRecoverSubscription({ status, subscriptionId: id })) return { kind: 'billing_portal' }
  const isTrialing = status === 'trialing'
  if (!isTrialing && status !== 'active')
    return support('The subscription is in a state that is not known here; ask support.')
  if (isUpgrade(offer, purchase)) return { kind: 'subscription_update_confirm', subscriptionId: id }
  if (isTrialing && offer.plan === purchase.plan) return unsupported(endTrialInstead(offer.plan))
  return unsupported(`The plan is ${nameOf(offer)}; a link leads to a higher plan, or from monthly to annual billing.`)
}

/** Without a subscription that lives: a plan granted by hand can be bettered, one that lapsed be bought anew. */
function decideForOthers(
  { planInForce, accessOpen, trialing }: LinkDecisionInput['account'],
  purchase: Offer,
): LinkDecision {
  if (planInForce === 'free' || !accessOpen) return { kind: 'checkout' }
  if (rank(purchase.plan) > rank(planInForce)) return { kind: 'checkout' }
  if (trialing && planInForce === purchase.plan) return unsupported(endTrialInstead(planInForce))
  return unsupported(`The plan is ${planInForce}, granted without a subscription; a link leads to a higher plan.`)
}

function isUpgrade(from: Offer, to: Offer): boolean {
  if (rank(to.plan) !== rank(from.plan)) return rank(to.plan) > rank(from.plan)
  return from.billing === 'monthly' && to.billing === 'annual'
}

function rank(plan: PaidPlan): number {
  return paidPlans.indexOf(plan)
}

function nameOf({ plan, billing }: Offer): string {
  return `${plan}, billed ${billing === 'annual' ? 'annually' : 'monthly'}`
}

function endTrialInstead(plan: PaidPlan): string {
  return `The plan ${plan} is on trial already; the page at billing.url of GET /api/v1/usage ends the trial.`
}

function unsupported(message: string): LinkDecision {
  return { kind: 'refused', code: 'unsupported_plan_change', message }
}

function support(message: string): LinkDecision {
  return { kind: 'refused', code: 'billing_support_required', message }
}
