import { type Account, canRecoverSubscription, entitlementAt } from '../../accounts/account.ts'
import { readUsage } from '../../usage/read-usage.ts'
import type { TimeBudget } from '../links/links.ts'
import type { Billing, PaidPlan, ProviderSubscription } from '../provider.ts'
import { loadBillingState } from '../status.ts'
import type { BillingServices } from '../sync/sync-account.ts'

/** What a link to the trial page is worth at this moment. */
export interface TrialLinkPermissions {
  accountId: number
  /** Whether the page may lead to the payment provider; without it, it may only end the trial. */
  canManageBilling: boolean
}

/** What a person can do on the trial page, which follows from how the account stands. */
type TrialStep =
  /** A subscription in its trial that the provider can charge. */
  | { kind: 'end_trial'; subscription: ProviderSubscription }
  /** One that it cannot charge yet. */
  | { kind: 'add_payment_method'; subscription: ProviderSubscription; customerId: string }
  /** A trial granted by hand: the paid plan is bought. */
  | { kind: 'buy'; account: Account; plan: PaidPlan; billing: Billing }
  /** The trial is over, and its first payment did not go through. */
  | { kind: 'mend_payment'; customerId: string }
  /** One of the three steps above that leads to the provider, which this link may not open. */
  | { kind: 'needs_manager'; instead: ProviderStepKind }
  /** The trial is over and paid for. */
  | { kind: 'done' }
  /** Neither trial nor paid plan. */
  | { kind: 'over' }
  /** Something that only whoever runs the service can sort out. */
  | { kind: 'ask' }

export type ProviderStep = Extract<TrialStep, { kind: 'add_payment_method' | 'buy' | 'mend_payment' }>
type ProviderStepKind = 'add_payment_method' | 'buy' | 'mend_payment'

export interface TrialPageState {
  accountId: number
  planName: string
  trialEndsAt: Date | null
  /** Contact credits now, and each month on the paid plan. */
  credits: { total: number; remaining: number; paidPlanTotal: number }
  /** How many billing links the account may have made in an hour. */
  linksPerHour: number
  step: TrialStep
}

/** How the account stands at this moment, by the provider's word, and what this link may do. Nothing is changed there. */
export async function loadTrialPageState(
  ctx: BillingServices,
  { accountId, canManageBilling }: TrialLinkPermissions,
  now: Date,
  inTime: TimeBudget,
): Promise<TrialPageState> {
  const { account, subscriptions } = await loadBillingState(ctx, accountId, inTime)
  const entitlement = entitlementAt(account, ctx.plans, now)
  const { contact_credits: credits } = await readUsage(ctx.db, { accountId, mode: 'live', entitlement, now })
  const step = stepOf(account, subscriptions, ctx)
  return {
    accountId,
    planName: entitlement.planName,
    trialEndsAt: entitlement.trial.endsAt,
    credits: { total: credits.total, remaining: credits.remaining, paidPlanTotal: credits.paid_plan_total },
    linksPerHour: entitlement.limits.billing_links_per_hour,
    step: leadsToProvider(step) && !canManageBilling ? { kind: 'needs_manager', instead: step.kind } : step,
  }
}

function leadsToProvider(step: TrialStep): step is ProviderStep {
  return step.kind === 'add_payment_method' || step.kind === 'buy' || step.kind === 'mend_payment'
}

function stepOf(
  account: Account,
  subscriptions: readonly ProviderSubscription[],
  { billing: provider }: BillingServices,
): TrialStep {
  const { customerId, billingProblem, trialing } = account
  if (billingProblem !== null) return { kind: 'ask' }
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
      : { kind: 'ask' }
  }
  if (canRecoverSubscription(account) && customerId !== null) return { kind: 'mend_payment', customerId }
  return { kind: account.accessOpen ? 'done' : 'over' }
}
