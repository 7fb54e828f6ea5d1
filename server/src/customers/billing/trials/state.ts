import { type Account, canRecoverSubscription, closedReason, entitlementAt } from '../../accounts/account.ts'
import { readUsage } from '../../usage/read-usage.ts'
import type { BillingServices } from '../context.ts'
import type { TimeBudget } from '../links/counted-links.ts'
import { priceOf, readPrices } from '../prices.ts'
import type { BillingInterval, PaidPlan, Price, ProviderSubscription } from '../provider.ts'
import { loadBillingState } from '../status.ts'

/** What may be done about a trial: by a trial link according to its key's current scopes, by a person according to their role. */
export interface TrialPermissions {
  accountId: number
  /** Whether this may lead to the payment provider; otherwise the trial can only be ended. */
  canManageBilling: boolean
}

/** The next step that the trial page offers. */
type TrialStep =
  /** End a trial that the provider can charge for. */
  | { kind: 'end_trial'; subscription: ProviderSubscription }
  /** The provider has no payment method yet. */
  | { kind: 'add_payment_method'; subscription: ProviderSubscription; customerId: string }
  /** A trial granted by hand: buy the paid plan. */
  | { kind: 'buy'; account: Account; plan: PaidPlan; billing: BillingInterval }
  /** The trial is over, and its first payment failed. */
  | { kind: 'retry_payment'; subscription: ProviderSubscription | null; customerId: string }
  /** One of the three steps above, which this link may not open. */
  | { kind: 'needs_manager'; instead: ProviderStepKind }
  /** The trial is over and paid for; null for a plan granted by hand. */
  | { kind: 'plan_active'; subscription: ProviderSubscription | null }
  /** Neither trial nor paid plan. */
  | { kind: 'no_plan' }
  /** Only the operator can resolve this. */
  | { kind: 'contact_operator' }

export type ProviderStep = Extract<TrialStep, { kind: 'add_payment_method' | 'buy' | 'retry_payment' }>
type ProviderStepKind = 'add_payment_method' | 'buy' | 'retry_payment'

export interface TrialState {
  accountId: number
  planName: string
  /** Of the paid plan; null if it is not one fixed amount, or if the provider does not say. */
  price: Price | null
  trialEndsAt: Date | null
  /** Contact credits now, and per month on the paid plan. */
  credits: { total: number; remaining: number; paidPlanTotal: number }
  /** The account's limit of billing links per hour. */
  linksPerHour: number
  step: TrialStep
}

/** Reads the account and its subscriptions from the provider and derives the step. Changes nothing at the provider. */
export async function loadTrialState(
  ctx: BillingServices,
  { accountId, canManageBilling }: TrialPermissions,
  now: Date,
  withinBudget: TimeBudget,
): Promise<TrialState> {
  const { account, subscriptions } = await loadBillingState(ctx, accountId, withinBudget)
  const entitlement = entitlementAt(account, ctx.plans, now)
  const { contact_credits: credits } = await readUsage(ctx.db, { accountId, mode: 'live', entitlement, now })
  const step = stepOf(account, subscriptions, ctx)
  return {
    accountId,
    planName: entitlement.planName,
    price: await priceOfStep(ctx, step),
    trialEndsAt: entitlement.trial.endsAt,
    credits: { total: credits.total, remaining: credits.remaining, paidPlanTotal: credits.paid_plan_total },
    linksPerHour: entitlement.limits.billing_links_per_hour,
    step: leadsToProvider(step) && !canManageBilling ? { kind: 'needs_manager', instead: step.kind } : step,
  }
}

function leadsToProvider(step: TrialStep): step is ProviderStep {
  return step.kind === 'add_payment_method' || step.kind === 'buy' || step.kind === 'retry_payment'
}

function stepOf(
  account: Account,
  subscriptions: readonly ProviderSubscription[],
  { billing: provider }: BillingServices,
): TrialStep {
  const { customerId, billingConflict, trialing } = account
  if (billingConflict !== null || closedReason(account) !== null) return { kind: 'contact_operator' }
  const subscription = subscriptions.find(({ id }) => id === account.subscriptionId)
  if (trialing && subscription && customerId !== null)
    return subscription.hasPaymentMethod
      ? { kind: 'end_trial', subscription }
      : { kind: 'add_payment_method', subscription, customerId }
  if (trialing) {
    const { planInForce: plan } = account
    const billing = account.billing ?? 'monthly'
    return plan !== 'free' && provider.isForSale(plan, billing)
      ? { kind: 'buy', account, plan, billing }
      : { kind: 'contact_operator' }
  }
  if (canRecoverSubscription(account) && customerId !== null)
    return { kind: 'retry_payment', subscription: subscription ?? null, customerId }
  return account.accessOpen ? { kind: 'plan_active', subscription: subscription ?? null } : { kind: 'no_plan' }
}

async function priceOfStep({ billing }: BillingServices, step: TrialStep): Promise<Price | null> {
  if (step.kind === 'buy') return priceOf(await readPrices(billing), step)
  return 'subscription' in step ? (step.subscription?.price ?? null) : null
}
