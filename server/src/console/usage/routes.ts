import { Type } from 'typebox'
import { memberContext } from '../../auth/signed-in.ts'
import { errorReplies } from '../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../http/server.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import { formatDay } from '../../kernel/time.ts'
import { AccountUsage, readAccountUsage } from './account-usage.ts'
import { DailyUsage, readDailyUsage } from './daily-usage.ts'
import { openLedgerFile } from './ledger-file.ts'
import { LedgerList, listLedger } from './ledger-list.ts'
import { AccountUsageQuery, DailyUsageQuery, LedgerFileQuery, LedgerListQuery } from './parameters.ts'

export interface UsageConsoleServices {
  ids: IdSealer
  cursors: CursorSealer
  config: { ledgerDetailMonths: number }
}

// Without a type: it is sent as a stream.
const LedgerFile: object = {
  description: 'The ledger as CSV.',
  content: { 'text/csv': { schema: Type.String({ description: 'A line for each entry, after a line of names.' }) } },
}

// Usage stays visible without access: a lapsed account has to see what it spent.
const viewer = { access: { member: { role: 'viewer' }, kind: 'read' } } as const

export function registerUsageConsoleRoutes(api: ApiRoutes, { ids, cursors, config }: UsageConsoleServices): void {
  api.get(
    '/usage',
    {
      config: viewer,
      schema: {
        operationId: 'getAccountUsage',
        tags: ['usage'],
        summary: 'Read limits, remaining balances and alerts',
        querystring: AccountUsageQuery,
        response: { 200: AccountUsage },
      },
    },
    (request) => readAccountUsage(memberContext(request), request.query),
  )

  api.get(
    '/usage/daily',
    {
      config: viewer,
      schema: {
        operationId: 'getDailyUsage',
        tags: ['usage'],
        summary: 'Read what was spent on each day',
        description: 'Days are in UTC. Days before kept_since are left out.',
        querystring: DailyUsageQuery,
        response: { 200: DailyUsage },
      },
    },
    (request) => {
      const { ledgerDetailMonths } = config
      return readDailyUsage({ ...memberContext(request), ids, ledgerDetailMonths }, request.query)
    },
  )

  api.get(
    '/ledger',
    {
      config: viewer,
      schema: {
        operationId: 'listLedger',
        tags: ['usage'],
        summary: 'List what was spent, newest first',
        querystring: LedgerListQuery,
        response: { 200: LedgerList, ...errorReplies('invalid_cursor', 'invalid_limit') },
      },
    },
    (request) => listLedger({ ...memberContext(request), ids, cursors }, request.query),
  )

  api.get(
    '/ledger/file',
    {
      config: viewer,
      schema: {
        operationId: 'getLedgerFile',
        tags: ['usage'],
        summary: 'Download what was spent as CSV, oldest first',
        description: 'Includes entries that the list no longer shows.',
        querystring: LedgerFileQuery,
        response: { 200: LedgerFile },
      },
    },
    async (request, reply) => {
      const ctx = memberContext(request)
      const file = await openLedgerFile({ ...ctx, ids }, request.query)
      const name = `storedex-ledger-${formatDay(ctx.now)}.csv`
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(file)
    },
  )
}
