import { type Static, Type } from 'typebox'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer, Mode } from '../../foundation/kernel/ids.ts'
import { ClosedObject, Described, GrowingEnum, ObjectKind, OneOf, RequestId } from '../../foundation/kernel/shapes.ts'
import { formatDay } from '../../foundation/kernel/time.ts'
import { TrialCreditBillingAction, trialAction } from '../accounts/billing-actions.ts'
import { callerContext } from '../admission/hooks.ts'
import { authorize } from '../auth/access.ts'
import { readCallerBudgets } from '../auth/budget-reports.ts'
import { type CallerContext, type KeyCaller, scopes } from '../auth/caller.ts'
import type { TrialLinks } from '../auth/trial-links.ts'
import { AccountUsage, type KeptExports, readAccountUsage, readingUsage } from './account-usage.ts'
import { DailyUsage, readDailyUsage } from './daily-usage.ts'
import { usageExamples } from './examples.ts'
import { openLedgerFile, takingLedger } from './ledger-file.ts'
import { LedgerList, listLedger } from './ledger-list.ts'
import { AccountUsageQuery, DailyUsageQuery, LedgerFileQuery, LedgerListQuery } from './parameters.ts'
import { readUsage } from './read-usage.ts'
import { BudgetFigures, reportPlan, UsagePlan, usageFigures } from './schema.ts'

const UsageReport = ClosedObject(
  {
    object: ObjectKind('usage'),
    plan: UsagePlan,
    ...usageFigures,
    billing: Type.Optional(
      Described(TrialCreditBillingAction, 'During a trial: how to get the credits of the paid plan at once.'),
    ),
    key: ClosedObject(
      {
        id: Type.String({
          pattern: '^key_[A-Za-z]{16}$',
          maxLength: 20,
          description: 'Id of the key. It is no secret.',
          examples: ['key_RtWqLzXcVbNmPkJh'],
        }),
        name: Type.String({ maxLength: 200, description: 'The name that the key was given.' }),
        mode: OneOf(['live', 'test'], {
          description: 'live: real data and balances. test: the sandbox, with balances of its own.',
        }),
        scopes: Type.Array(
          GrowingEnum('A scope.', Object.fromEntries(scopes.map((scope) => [scope, null])), '^[a-z]+:[a-z]+$'),
          {
            maxItems: 100,
            description: 'What this key may do.',
            examples: [['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal', 'billing:read']],
          },
        ),
        budget: Type.Optional(
          ClosedObject(
            {
              contact_credits: Type.Optional(Described(BudgetFigures, 'Contact credits that the key may spend.')),
              store_exports: Type.Optional(Described(BudgetFigures, 'Store exports that the key may spend.')),
              search_rows: Type.Optional(Described(BudgetFigures, 'Search rows that the key may spend.')),
            },
            {
              title: 'KeyBudget',
              description: 'What this key may spend of its own; missing without a budget, as is a meter without one.',
            },
          ),
        ),
      },
      { title: 'UsageKey', description: 'The key of this request.' },
    ),
    request_id: RequestId,
  },
  { title: 'Usage', description: 'Plan, limits and balances of the account, in the mode of the key.' },
)

interface UsageContext extends CallerContext {
  ids: IdSealer
  trialLinks: TrialLinks
  caller: KeyCaller
}

/** The usage of the account in the caller's mode, including this request. */
async function reportUsage(ctx: UsageContext): Promise<Static<typeof UsageReport>> {
  authorize(ctx, readingUsage)
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
    key: {
      id: ctx.ids.seal('key', key.id),
      name: key.name,
      mode,
      scopes: [...ctx.caller.scopes],
      ...(budget && { budget }),
    },
    request_id: ctx.requestId,
  }
}

export interface UsageServices {
  ids: IdSealer
  trialLinks: TrialLinks
  cursors: CursorSealer
  config: { ledgerDetailMonths: number }
  readKeptExports(ctx: CallerContext, mode: Mode): Promise<KeptExports>
}

// Without a type: it is sent as a stream.
const LedgerFile: object = {
  description: 'The ledger as CSV.',
  content: { 'text/csv': { schema: Type.String({ description: 'A line for each entry, after a line of names.' }) } },
}

export function registerUsageRoutes(api: ApiRoutes, services: UsageServices): void {
  const { ids, trialLinks, cursors, config, readKeptExports } = services

  api.get(
    '/usage',
    {
      config: {
        access: readingUsage,
        // Not in the contract: a 400.
        ignoresUnknownQuery: true,
        example: usageExamples.getUsage,
        memberSchema: { querystring: AccountUsageQuery, response: { 200: AccountUsage } },
      },
      schema: {
        operationId: 'getUsage',
        tags: ['usage'],
        summary: 'Read plan, limits and remaining balances',
        description: 'The usage of the account in the mode of the key, including this request.',
        response: { 200: UsageReport },
      },
    },
    async (request, reply) => {
      const { caller, query } = request
      const ctx = callerContext(request)
      // Each door has a schema of its own for the reply.
      return reply.send(
        caller
          ? ((await reportUsage({ ...ctx, caller, ids, trialLinks })) as never)
          : ((await readAccountUsage({ ...ctx, readKeptExports }, query as AccountUsageQuery)) as never),
      )
    },
  )

  api.get(
    '/usage/daily',
    {
      config: { access: { member: readingUsage.member, kind: 'read' } },
      schema: {
        operationId: 'getDailyUsage',
        tags: ['usage'],
        summary: 'Read what was spent on each day',
        description: 'Days are in UTC. Days before kept_since are left out.',
        querystring: DailyUsageQuery,
        response: { 200: DailyUsage },
      },
    },
    (request) =>
      readDailyUsage({ ...callerContext(request), ids, ledgerDetailMonths: config.ledgerDetailMonths }, request.query),
  )

  api.get(
    '/ledger',
    {
      config: { access: { member: readingUsage.member, kind: 'read' } },
      schema: {
        operationId: 'listLedger',
        tags: ['usage'],
        summary: 'List what was spent, newest first',
        querystring: LedgerListQuery,
        response: { 200: LedgerList },
      },
    },
    (request) => listLedger({ ...callerContext(request), ids, cursors }, request.query),
  )

  api.get(
    '/ledger/file',
    {
      config: { access: takingLedger },
      schema: {
        operationId: 'getLedgerFile',
        tags: ['usage'],
        summary: 'Download what was spent as CSV, oldest first',
        description: 'Includes entries that the list no longer shows. It is written to the audit log.',
        querystring: LedgerFileQuery,
        response: { 200: LedgerFile },
      },
    },
    async (request, reply) => {
      const file = await openLedgerFile({ ...callerContext(request), ids }, request.query)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="storedex-ledger-${formatDay(request.now)}.csv"`)
        .send(file)
    },
  )
}
