import type { Static } from 'typebox'
import { selectNewestKeys } from '../../auth/key-queries.ts'
import { reportKeys } from '../../auth/keys.ts'
import { readListPage } from '../../delivery/list-pages.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import { itemOf, type MemberKeysContext } from './change-key.ts'
import type { KeyList, KeyListQuery } from './schema.ts'

interface KeyListContext extends MemberKeysContext {
  cursors: CursorSealer
}

/** A page of an account's keys, newest first. */
export async function listAccountKeys(
  ctx: KeyListContext,
  { state, limit, cursor }: KeyListQuery,
): Promise<Static<typeof KeyList>> {
  const accountId = ctx.account.id
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
  return {
    object: 'list',
    data: (await reportKeys(ctx, page.rows)).map(itemOf),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
    request_id: ctx.requestId,
  }
}
