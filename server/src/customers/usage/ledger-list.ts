import { type Static, Type } from 'typebox'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { RecordList, readListPage } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject, Nullable, OneOf, RequestId, Timestamp } from '../../foundation/kernel/shapes.ts'
import type { Meter } from '../accounts/plans.ts'
import { authorize } from '../auth/access.ts'
import type { CallerContext } from '../auth/caller.ts'
import { readingUsage } from './account-usage.ts'
import { type LedgerListQuery, openLedgerFilters } from './parameters.ts'
import { selectNewestEntries } from './queries.ts'
import { nameSpenders, SpentBy } from './spenders.ts'

const LedgerItem = ClosedObject({
  entry: Type.String({ pattern: '^le_[A-Za-z]{16}$', maxLength: 20, description: 'Names the entry.' }),
  spent_at: Timestamp('When it was spent.'),
  mode: Type.Union([Type.Literal('live'), Type.Literal('test')]),
  meter: OneOf(['contact_credits', 'store_exports', 'search_rows'] satisfies Meter[]),
  amount: Type.Integer({ minimum: 1 }),
  period_start: Timestamp('Start of the period that it counts to.'),
  spent_by: Nullable(SpentBy),
  spent_by_request: { ...RequestId, description: 'The request that spent it.' },
})

export const LedgerList = RecordList(LedgerItem)

export interface LedgerContext extends CallerContext {
  ids: IdSealer
  cursors: CursorSealer
}

/** A page of an account's ledger, newest first, without entries that are packed already. */
export async function listLedger(ctx: LedgerContext, query: LedgerListQuery): Promise<Static<typeof LedgerList>> {
  authorize(ctx, readingUsage)
  const { mode = 'live', meter, limit, cursor, ...others } = query
  const filters = openLedgerFilters(ctx.ids, query)
  const accountId = ctx.caller.accountId
  const page = await readListPage(
    { ...ctx, accountId, mode },
    {
      list: 'ledger',
      filters: { meter, ...others },
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      select: (after, count) =>
        selectNewestEntries(ctx.db, { ...filters, accountId, mode, meter, after, limit: count }),
      positionOf: (row) => ({ at: row.spent_at, row: row.entry }),
    },
  )
  const spenderOf = await nameSpenders({ db: ctx.db, ids: ctx.ids, accountId }, page.rows)
  return {
    object: 'list',
    data: page.rows.map((row) => ({
      entry: ctx.ids.seal('entry', row.entry),
      spent_at: row.spent_at.toISOString(),
      mode: row.mode,
      meter: row.meter,
      amount: row.amount,
      period_start: row.period_start.toISOString(),
      spent_by: spenderOf(row),
      spent_by_request: row.request_id,
    })),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
    request_id: ctx.requestId,
  }
}
