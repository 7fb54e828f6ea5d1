import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import { readListPage } from '../../foundation/kernel/list-pages.ts'
import { authorize } from '../auth/access.ts'
import { type KeysContext, readKeys } from './context.ts'
import { selectNewestKeys } from './queries.ts'
import { type KeyReport, reportKeys } from './report-keys.ts'
import type { KeyListQuery } from './schema.ts'

/** A page of an account's keys, newest first. */
export async function listKeys(
  ctx: KeysContext & { cursors: CursorSealer },
  accountId: number,
  { state, limit, cursor }: KeyListQuery,
): Promise<{ data: KeyReport[]; has_more: boolean; next_cursor: string | null }> {
  authorize(ctx, readKeys)
  const page = await readListPage(
    { ...ctx, accountId, mode: 'live' },
    {
      list: 'keys',
      filters: { state },
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      select: (after, count) =>
        selectNewestKeys(ctx.db, {
          accountId,
          state: state ?? null,
          now: ctx.now,
          before: after?.row ?? null,
          limit: count,
        }),
      positionOf: (row) => ({ at: row.created_at, row: row.id }),
    },
  )
  return { data: await reportKeys(ctx, page.rows), has_more: page.hasMore, next_cursor: page.nextCursor }
}
