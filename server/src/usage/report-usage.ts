import type { Static } from 'typebox'
import type { IdSealer } from '../kernel/ids.ts'
import type { TrialContext } from './charge-refusals.ts'
import { readUsage } from './read-usage.ts'
import type { UsageReply } from './schema.ts'
import { trialAction } from './trial-action.ts'

export interface UsageContext extends TrialContext {
  ids: IdSealer
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
    ...(trial.active ? { billing: trialAction(entitlement, ctx.trialLinks.urlFor(ctx.caller, ctx.now)) } : {}),
    key: { id: ctx.ids.seal('key', key.id), name: key.name, mode },
    request_id: ctx.requestId,
  }
}
