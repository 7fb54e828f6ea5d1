import { type Account, canRecoverSubscription, closedReason, endedStatuses } from '../../accounts/account.ts'
import { type Access, authorize } from '../../auth/access.ts'
import type { MemberContext } from '../../auth/signed-in.ts'
import type { BillingContext } from '../context.ts'
import { billingStatusOf } from '../status.ts'
import type { TrialServices } from '../trials/actions.ts'
import { selectOwners } from './queries.ts'
import type { ConsoleBillingReply } from './schema.ts'

/** A person's billing call: the context of the API's verbs, and who asks. */
export type MemberBillingContext = BillingContext & MemberContext & TrialServices

export const readingBilling = { member: { role: 'viewer' }, kind: 'read' } as const satisfies Access

/** The billing status of the API, what happens next, and who can change it. From stored state: the provider is not asked. */
export async function readBilling(ctx: MemberBillingContext): Promise<ConsoleBillingReply> {
  authorize(ctx, readingBilling)
  const { account, caller, ids } = ctx
  const { object: _, contact_credits: credits, ...status } = await billingStatusOf(ctx, account)
  const owners = await selectOwners(ctx.db, caller.accountId)
  return {
    object: 'billing',
    ...status,
    contact_credits: {
      ...credits,
      paid_plan_total: caller.entitlement.paidPlanCredits,
      renews_at: caller.entitlement.creditsPeriod.end.toISOString(),
    },
    granted: account.planInForce !== 'free' && account.subscriptionId === null,
    has_payment_method: account.hasPaymentMethod,
    problem: account.billingConflict,
    closed: closedReason(account),
    next: nextEvent(account),
    former: formerOffer(account),
    owners: owners.map(({ id, name, email }) => ({ id: ids.seal('person', id), name, email })),
  }
}

function formerOffer({ plan, planInForce, billing }: Account): ConsoleBillingReply['former'] {
  return planInForce === 'free' && plan !== 'free' ? { plan, billing: billing ?? 'monthly' } : null
}

/** What happens to the plan by itself. A granted plan only changes by the operator's hand. */
function nextEvent(account: Account): ConsoleBillingReply['next'] {
  const { status, subscriptionId, cancelAtPeriodEnd, currentPeriodEnd, trialing, trialEndsAt } = account
  const event = (kind: ConsoleBillingReply['next']['kind'], at: Date | null) => ({
    kind,
    at: at?.toISOString() ?? null,
  })
  if (canRecoverSubscription(account)) return event('past_due', null)
  if (trialing) return event(cancelAtPeriodEnd ? 'ends' : 'trial_ends', trialEndsAt)
  if (subscriptionId === null || endedStatuses.has(status) || !account.accessOpen) return event('none', null)
  return event(cancelAtPeriodEnd ? 'ends' : 'renews', currentPeriodEnd)
}
