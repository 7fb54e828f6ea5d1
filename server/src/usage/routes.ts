import { type Static, Type } from 'typebox'
import { callerContext } from '../admission/access.ts'
import { TrialCreditAction } from '../auth/billing-actions.ts'
import { readCallerBudgets } from '../auth/budget-reports.ts'
import type { CallerContext, KeyCaller } from '../auth/caller.ts'
import type { TrialLinks } from '../auth/trial-links.ts'
import { errorReplies } from '../http/openapi/openapi.ts'
import type { ApiRoutes } from '../http/server.ts'
import type { IdSealer } from '../kernel/ids.ts'
import { ClosedObject, RequestId } from '../kernel/shapes.ts'
import { trialAction } from '../ledger/refusals.ts'
import { readUsage } from './read-usage.ts'
import { BudgetFigures, PlanStanding, reportPlan, usageFigures } from './schema.ts'

const UsageReply = ClosedObject(
  {
    object: Type.Literal('usage'),
    plan: PlanStanding,
    ...usageFigures,
    billing: Type.Optional(TrialCreditAction),
    key: ClosedObject(
      {
        id: Type.String({ pattern: '^key_[A-Za-z]{16}$', maxLength: 20, examples: ['key_RtWqLzXcVbNmPkJh'] }),
        name: Type.String({ maxLength: 200 }),
        mode: Type.Union([Type.Literal('live'), Type.Literal('test')]),
        budget: Type.Optional(
          ClosedObject(
            {
              contact_credits: Type.Optional(BudgetFigures),
              store_exports: Type.Optional(BudgetFigures),
              search_rows: Type.Optional(BudgetFigures),
            },
            {
              title: 'KeyBudget',
              description: 'What this key may spend of its own; missing without a budget, as is a meter without one.',
            },
          ),
        ),
      },
      { title: 'UsageKey' },
    ),
    request_id: RequestId,
  },
  { title: 'UsageReply' },
)

interface UsageContext extends CallerContext {
  ids: IdSealer
  trialLinks: TrialLinks
  caller: KeyCaller
}

/** The usage of the account in the caller's mode, including this request. */
async function reportUsage(ctx: UsageContext): Promise<Static<typeof UsageReply>> {
  const { accountId, mode, key, entitlement } = ctx.caller
  const usage = await readUsage(ctx.db, { accountId, mode, entitlement, now: ctx.now })
  const budgets = await readCallerBudgets(ctx.db, ctx.caller)
  const { contact_credits, store_exports, search_rows } = budgets ?? {}
  const budget = budgets && {
    ...(contact_credits && { contact_credits }),
    ...(store_exports && { store_exports }),
    ...(search_rows && { search_rows }),
  }
  return {
    object: 'usage',
    plan: reportPlan(entitlement),
    ...usage,
    ...(entitlement.trial.active
      ? { billing: trialAction(entitlement, ctx.trialLinks.urlFor(ctx.caller, ctx.now)) }
      : {}),
    key: { id: ctx.ids.seal('key', key.id), name: key.name, mode, ...(budget && { budget }) },
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
      config: { access: { key: { scope: 'usage:read' }, kind: 'read' } },
      schema: {
        operationId: 'getUsage',
        tags: ['usage'],
        summary: 'Read plan, limits and remaining balances',
        description: 'The usage of the account in the mode of the key, including this request.',
        response: { 200: UsageReply, ...errorReplies(401, 403, 429) },
      },
    },
    (request) => reportUsage({ ...callerContext(request), caller: request.caller!, ids, trialLinks }),
  )
}
