import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { plainName } from '../../foundation/kernel/mail/plain-name.ts'
import { type Account, endedStatuses, entitlementAt } from '../accounts/account.ts'
import { selectAccount } from '../accounts/queries.ts'
import { readUsage } from '../usage/read-usage.ts'
import type { BillingContext } from './context.ts'
import type { TimeBudget } from './links/counted-links.ts'
import { decideLink, type SubscriptionSummary } from './links/decide-link.ts'
import { billingIntervals, type ProviderSubscription, paidPlans } from './provider.ts'
import { setCustomerIfUnchanged } from './queries.ts'
import type { BillingStatus } from './schema.ts'
import { deriveSubscriptionState, storedSubscriptionState } from './subscription-state.ts'
import { type SyncContext, syncAccount } from './sync/sync-account.ts'

/** An account with its subscriptions at the payment provider, newest first. */
export interface BillingState {
  account: Account
  subscriptions: ProviderSubscription[]
}

/** Reads the subscriptions from the provider. If the stored state differs, because an event was lost, syncs the account. */
export async function loadBillingState(
  ctx: SyncContext,
  accountId: number,
  withinBudget: TimeBudget,
): Promise<BillingState> {
  const account = (await selectAccount(ctx.db, accountId))!
  if (account.customerId === null) return { account, subscriptions: [] }
  const subscriptions = await withinBudget(ctx.billing.listSubscriptions(account.customerId))
  if (isDeepStrictEqual(deriveSubscriptionState(account, subscriptions), storedSubscriptionState(account)))
    return { account, subscriptions }
  await withinBudget(syncAccount(ctx, accountId))
  return { account: (await selectAccount(ctx.db, accountId))!, subscriptions }
}

/** Returns the account's customer id; creates the customer if there is none. Concurrent calls create only one. */
export async function ensureCustomer(
  ctx: SyncContext & { ids: IdSealer },
  account: Account,
  withinBudget: TimeBudget,
): Promise<string> {
  return account.customerId ?? createCustomer(ctx, account, withinBudget)
}

/** Runs `work` with the account's customer. If the provider no longer knows it, creates a new customer and retries once. */
export async function withCustomer<T>(
  ctx: SyncContext & { ids: IdSealer },
  account: Account,
  withinBudget: TimeBudget,
  work: (customerId: string) => Promise<T>,
): Promise<T> {
  const customerId = await ensureCustomer(ctx, account, withinBudget)
  try {
    return await work(customerId)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'billing_account_not_found') throw error
    return work(await createCustomer(ctx, { ...account, customerId }, withinBudget))
  }
}

/** Creates the first customer, or one that replaces `customerId`. */
async function createCustomer(
  ctx: SyncContext & { ids: IdSealer },
  { id, name, email, customerId }: Account,
  withinBudget: TimeBudget,
): Promise<string> {
  const publicId = ctx.ids.seal('account', id)
  const created = await withinBudget(
    ctx.billing.createCustomer({
      publicId,
      name: plainName(name) || publicId,
      email,
      ...(customerId && { replaces: customerId }),
    }),
  )
  return setCustomerIfUnchanged(ctx.db, id, created, customerId)
}

/**
 * Plan, access, credits and possible billing actions. The account is read once, so that no reply mixes two states of a
 * subscription.
 */
export async function readBillingStatus(ctx: BillingContext): Promise<BillingStatus> {
  return billingStatusOf(ctx, (await selectAccount(ctx.db, ctx.caller.accountId))!)
}

/** The billing status of an account that was read for this request. */
export async function billingStatusOf(ctx: BillingContext, account: Account): Promise<BillingStatus> {
  const { accountId, mode } = ctx.caller
  const entitlement = entitlementAt(account, ctx.plans, ctx.now)
  const { contact_credits } = await readUsage(ctx.db, { accountId, mode, entitlement, now: ctx.now })
  const isPaid = account.planInForce !== 'free'
  return {
    object: 'billing_status',
    plan: {
      slug: entitlement.plan,
      name: entitlement.planName,
      status: entitlement.status,
      billing: isPaid ? account.billing : null,
      trial: { active: entitlement.trial.active, ends_at: entitlement.trial.endsAt?.toISOString() ?? null },
      cancel_at_period_end: isPaid && account.cancelAtPeriodEnd,
      current_period_end: isPaid ? (account.currentPeriodEnd?.toISOString() ?? null) : null,
    },
    api_access: { enabled: entitlement.accessOpen },
    contact_credits: {
      total: contact_credits.total,
      used: contact_credits.used,
      remaining: contact_credits.remaining,
    },
    has_billing_account: account.customerId !== null,
    actions: {
      can_create_subscription_link: canCreateAnyLink(ctx, account),
      can_manage_billing: account.customerId !== null,
    },
    request_id: ctx.requestId,
  }
}

/** Whether a link to some plan is possible, according to the stored subscription; the provider is not called. */
function canCreateAnyLink({ billing: provider }: BillingContext, account: Account): boolean {
  if (account.billingConflict !== null) return false
  const input = { account, subscriptions: storedSubscriptions(account) }
  return paidPlans.some((plan) =>
    billingIntervals.some((billing) => decideLink(input, { plan, billing }, provider.isForSale).kind !== 'refused'),
  )
}

/** The account's live subscription as it is stored. */
export function storedSubscriptions({ subscriptionId, status, plan, billing }: Account): SubscriptionSummary[] {
  if (subscriptionId === null || endedStatuses.has(status)) return []
  return [{ id: subscriptionId, status, offer: plan === 'free' || !billing ? null : { plan, billing } }]
}
