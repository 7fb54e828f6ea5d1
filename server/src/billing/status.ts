import { type Account, endedStatuses, entitlementAt } from '../accounts/account.ts'
import { selectAccount } from '../accounts/queries.ts'
import { readUsage } from '../usage/read-usage.ts'
import type { BillingContext } from './context.ts'
import { decideLink, type Subscribed } from './links/decision.ts'
import { type BillingStatusReply, billings, paidPlans } from './schema.ts'

/**
 * Plan, access, credits and what can be done about them. All that is told of the account is read at one moment, so that
 * no reply mixes two states of a subscription.
 */
export async function reportBillingStatus(ctx: BillingContext): Promise<BillingStatusReply> {
  const { accountId, mode } = ctx.caller
  const account = (await selectAccount(ctx.db, accountId))!
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
      can_create_subscription_link: leadsAnywhere(ctx, account),
      can_manage_billing: account.customerId !== null,
    },
    request_id: ctx.requestId,
  }
}

/** Whether some plan could be asked for, by what is kept of the subscription; the provider is not asked. */
function leadsAnywhere({ billing: provider }: BillingContext, account: Account): boolean {
  if (account.billingProblem !== null) return false
  const standing = { account, subscriptions: keptSubscriptions(account) }
  return paidPlans.some((plan) =>
    billings.some((billing) => decideLink(standing, { plan, billing }, provider.isSold).kind !== 'refused'),
  )
}

function keptSubscriptions({ subscriptionId, status, plan, billing }: Account): Subscribed[] {
  if (subscriptionId === null || endedStatuses.has(status)) return []
  return [{ id: subscriptionId, status, sold: plan === 'free' || !billing ? null : { plan, billing } }]
}
