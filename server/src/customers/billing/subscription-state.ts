import { type Account, type BillingConflict, endedStatuses, isSubscriptionRunning } from '../accounts/account.ts'
import { planSlugs } from '../accounts/plans.ts'
import type { ProviderSubscription } from './provider.ts'

/** The part of an account that follows from its subscriptions at the provider. */
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
  | 'billingConflict'
>

/** Derives the state from all subscriptions of the account's customer, newest first. */
export function deriveSubscriptionState(
  account: Account,
  subscriptions: readonly ProviderSubscription[],
): SubscriptionState {
  const { subscription, problem } = selectDecisive(account, subscriptions)
  if (!subscription) return { ...storedSubscriptionState(account), billingConflict: null }
  const { status, offer, trialStart, trialEnd } = subscription
  const isTrialing = status === 'trialing'
  const trialStartedAt = isTrialing ? (trialStart ?? subscription.createdAt) : null
  const hasEnded = endedStatuses.has(status)
  return {
    // Without a configured price the plan is unknown: keep the stored one.
    plan: offer?.plan ?? account.plan,
    billing: offer?.billing ?? account.billing,
    status,
    trialStartedAt,
    trialEndsAt: isTrialing ? trialEnd : null,
    // Stripe anchors the cycle at the trial's end, which can move; periods from there would grant the credits again.
    periodAnchor: trialStartedAt ?? subscription.billingCycleAnchor,
    subscriptionId: subscription.id,
    cancelAtPeriodEnd: !hasEnded && subscription.cancelAtPeriodEnd,
    currentPeriodEnd: hasEnded ? null : subscription.currentPeriodEnd,
    hasPaymentMethod: subscription.hasPaymentMethod,
    billingConflict: problem ?? (offer || hasEnded ? null : 'unknown_price'),
  }
}

/** The stored state of an account. */
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
    billingConflict: account.billingConflict,
  }
}

interface DecisiveSubscription {
  subscription: ProviderSubscription | undefined
  problem: BillingConflict | null
}

/** The running subscription; without one the newest incomplete one; without that the newest of all. */
function selectDecisive(account: Account, subscriptions: readonly ProviderSubscription[]): DecisiveSubscription {
  const running = subscriptions.filter(isSubscriptionRunning)
  if (running.length > 0)
    return {
      subscription: running.toSorted((a, b) => precedence(b) - precedence(a))[0],
      problem: running.length > 1 ? 'several_subscriptions' : null,
    }
  // A granted plan is kept despite an unfinished purchase or earlier, ended subscriptions.
  const isGrantedByHand = account.subscriptionId === null && account.planInForce !== 'free'
  if (isGrantedByHand) return { subscription: undefined, problem: null }
  const incomplete = subscriptions.find(({ status }) => status === 'incomplete')
  return { subscription: incomplete ?? subscriptions[0], problem: null }
}

/** Order among running subscriptions: those with access first, then by plan, so that customers get what they paid for. */
function precedence({ status, offer }: ProviderSubscription): number {
  const opensAccess = status === 'active' || status === 'trialing'
  return (opensAccess ? planSlugs.length : 0) + (offer ? planSlugs.indexOf(offer.plan) : -1)
}
