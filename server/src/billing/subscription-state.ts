import { type Account, type BillingProblem, endedStatuses, isSubscriptionRunning } from '../accounts/account.ts'
import { planSlugs } from '../accounts/plans.ts'
import type { ProviderSubscription } from './provider.ts'

/** What of an account follows from the payment provider. */
export type SubscriptionState = Pick<
  Account,
  | 'plan'
  | 'billing'
  | 'status'
  | 'trialStartedAt'
  | 'trialEndsAt'
  | 'periodAnchor'
  | 'subscriptionId'
  | 'cancelAtPeriodEnd'
  | 'currentPeriodEnd'
  | 'hasPaymentMethod'
  | 'billingProblem'
>

/** An account's terms by all subscriptions that its customer has, the newest first. */
export function deriveSubscriptionState(
  account: Account,
  subscriptions: readonly ProviderSubscription[],
): SubscriptionState {
  const { subscription, problem } = decisiveSubscription(account, subscriptions)
  if (!subscription) return { ...storedSubscriptionState(account), billingProblem: null }
  const { status, offer, trialStart, trialEnd } = subscription
  const isTrialing = status === 'trialing'
  const trialStartedAt = isTrialing ? (trialStart ?? subscription.createdAt) : null
  const isOver = endedStatuses.has(status)
  return {
    // Without a price of ours there is no telling what was sold: what the account has stays.
    plan: offer?.plan ?? account.plan,
    billing: offer?.billing ?? account.billing,
    status,
    trialStartedAt,
    trialEndsAt: isTrialing ? trialEnd : null,
    // A trial's cycle is counted from its end, which can be put off; counted from there, its credits would be had again.
    periodAnchor: trialStartedAt ?? subscription.billingCycleAnchor,
    subscriptionId: subscription.id,
    cancelAtPeriodEnd: !isOver && subscription.cancelAtPeriodEnd,
    currentPeriodEnd: isOver ? null : subscription.currentPeriodEnd,
    hasPaymentMethod: subscription.hasPaymentMethod,
    billingProblem: problem ?? (offer || isOver ? null : 'unknown_price'),
  }
}

/** The same facts as the account has them. */
export function storedSubscriptionState(account: Account): SubscriptionState {
  return {
    plan: account.plan,
    billing: account.billing,
    status: account.status,
    trialStartedAt: account.trialStartedAt,
    trialEndsAt: account.trialEndsAt,
    periodAnchor: account.periodAnchor,
    subscriptionId: account.subscriptionId,
    cancelAtPeriodEnd: account.cancelAtPeriodEnd,
    currentPeriodEnd: account.currentPeriodEnd,
    hasPaymentMethod: account.hasPaymentMethod,
    billingProblem: account.billingProblem,
  }
}

interface Decision {
  subscription: ProviderSubscription | undefined
  problem: BillingProblem | null
}

/** A running subscription decides; only without one the newest that never got going, and then the newest that is over. */
function decisiveSubscription(account: Account, subscriptions: readonly ProviderSubscription[]): Decision {
  const running = subscriptions.filter(isSubscriptionRunning)
  if (running.length > 0)
    return {
      subscription: running.toSorted((a, b) => worth(b) - worth(a))[0],
      problem: running.length > 1 ? 'several_subscriptions' : null,
    }
  // A plan granted by hand outlives a purchase that came to nothing, and subscriptions that were over before.
  const isGrantedByHand = account.subscriptionId === null && account.planInForce !== 'free'
  if (isGrantedByHand) return { subscription: undefined, problem: null }
  const incomplete = subscriptions.find(({ status }) => status === 'incomplete')
  return { subscription: incomplete ?? subscriptions[0], problem: null }
}

/** Of several that run, what was paid for must be had: one that opens access before one that does not, then by plan. */
function worth({ status, offer }: ProviderSubscription): number {
  const opensAccess = status === 'active' || status === 'trialing'
  return (opensAccess ? planSlugs.length : 0) + (offer ? planSlugs.indexOf(offer.plan) : -1)
}
