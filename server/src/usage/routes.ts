import { type Static, Type } from 'typebox'
import { planSlugs } from '../accounts/plans.ts'
import { callerContext } from '../auth/access.ts'
import type { KeyCaller } from '../auth/caller.ts'
import { TrialCreditAction } from '../http/errors.ts'
import { errorReplies } from '../http/openapi/openapi.ts'
import type { ApiRoutes } from '../http/server.ts'
import type { IdSealer } from '../kernel/ids.ts'
import { ClosedObject, Count, Nullable, RequestId, TaxonomyValue, Timestamp } from '../kernel/shapes.ts'
import { type TrialContext, trialAction } from './charge-refusals.ts'
import { readUsage } from './read-usage.ts'
import type { TrialLinks } from './trial-links.ts'

const period = {
  period_start: Timestamp('Start of the period, inclusive.'),
  period_end: Timestamp('End of the period, exclusive.'),
}

const UsageReply = ClosedObject({
  object: Type.Literal('usage'),
  plan: ClosedObject({
    slug: Type.Enum(planSlugs),
    name: Type.String({ maxLength: 200 }),
    status: TaxonomyValue({ description: 'Subscription state, such as active, trialing or past_due.' }),
    trial: ClosedObject({ active: Type.Boolean(), ends_at: Nullable(Timestamp('End of the trial.')) }),
  }),
  contact_credits: ClosedObject({
    total: Count('Credits in the current cap: the trial’s during a trial, else the plan’s.'),
    used: Count('Credits spent in this period.'),
    remaining: Count('Credits left in this period.'),
    paid_plan_total: Count('The paid plan’s monthly credits.'),
    ...period,
  }),
  store_exports: ClosedObject({
    limit: Count('Unique stores per period.'),
    used: Count('Stores delivered in this period, each once.'),
    reserved: Count('Reserved by unfinished work.'),
    remaining: Count('Stores left in this period.'),
    ...period,
  }),
  api_requests: ClosedObject({
    limit: Count('Requests per UTC day.'),
    used: Count('Requests of this day, including this one.'),
    remaining: Count('Requests left today.'),
    ...period,
  }),
  search_rows: ClosedObject({
    limit: Count('Search rows per period.'),
    used: Count('Rows returned by searches in this period.'),
    remaining: Count('Rows left in this period.'),
    ...period,
  }),
  rate_limit: ClosedObject({
    limit: Count('Requests in one interval.'),
    interval: Type.Literal('minute', { description: 'Length of the fixed window.' }),
  }),
  billing: Type.Optional(TrialCreditAction),
  key: ClosedObject({
    id: Type.String({ pattern: '^key_[A-Za-z]{16}$', maxLength: 20, examples: ['key_RtWqLzXcVbNmPkJh'] }),
    name: Type.String({ maxLength: 200 }),
    mode: Type.Union([Type.Literal('live'), Type.Literal('test')]),
  }),
  request_id: RequestId,
})

interface UsageContext extends TrialContext {
  ids: IdSealer
  caller: KeyCaller
}

/** The usage of the account in the caller's mode, including this request. */
async function reportUsage(ctx: UsageContext): Promise<Static<typeof UsageReply>> {
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

export interface UsageServices {
  ids: IdSealer
  trialLinks: TrialLinks
}

export function registerUsageRoutes(api: ApiRoutes, { ids, trialLinks }: UsageServices): void {
  api.get(
    '/usage',
    {
      config: { access: { scope: 'usage:read' } },
      schema: {
        operationId: 'getUsage',
        tags: ['usage'],
        summary: 'Read plan, limits and remaining balances',
        description: 'The usage of the account in the mode of the key, including this request.',
        response: { 200: UsageReply, ...errorReplies(401, 403, 429) },
      },
    },
    (request) => reportUsage({ ...callerContext(request), ids, trialLinks }),
  )
}
