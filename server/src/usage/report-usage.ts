import type { Static } from 'typebox'
import type { CallerContext } from '../auth/caller.ts'
import type { IdSealer } from '../kernel/ids.ts'
import { readUsage } from './read-usage.ts'
import type { UsageReply } from './schema.ts'

export interface UsageContext extends CallerContext {
  ids: IdSealer
  publicUrl: string
}

/** What the account may use and has used in the caller's mode, this request included. */
export async function reportUsage(ctx: UsageContext): Promise<Static<typeof UsageReply>> {
  const { accountId, mode, key, entitlement } = ctx.caller
  const { plan, planName, status, trial } = entitlement
  const usage = await readUsage(ctx.db, { accountId, mode, entitlement, now: ctx.now })
  return {
    object: 'usage',
    plan: {
      slug: plan,
      name: planName,
      status,
      trial: { active: trial.active, ends_at: trial.endsAt?.toISOString() ?? null },
    },
    ...usage,
    ...(trial.active ? { billing: trialAction(ctx) } : {}),
    key: { id: ctx.ids.seal('key', key.id), name: key.name, mode },
    request_id: ctx.requestId,
  }
}

function trialAction({ caller, publicUrl }: UsageContext): NonNullable<Static<typeof UsageReply>['billing']> {
  const { limits, paidPlanCredits, trial } = caller.entitlement
  return {
    // Only a payment provider that holds a payment method can end a trial at once.
    can_unlock_paid_credits_now: false,
    action: 'end_trial_to_unlock_pro_credits',
    current_limit: limits.contact_credits,
    paid_plan_limit: paidPlanCredits,
    trial_ends_at: trial.endsAt?.toISOString() ?? null,
    url: `${publicUrl}/billing/trial`,
  }
}
