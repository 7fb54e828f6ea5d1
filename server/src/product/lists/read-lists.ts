import type { Static } from 'typebox'
import { authorize } from '../../customers/auth/access.ts'
import { readListPage } from '../../foundation/kernel/list-pages.ts'
import { describeList, type ListsContext, listNotFound, openListId, readingLists } from './context.ts'
import * as queries from './queries.ts'
import type { List, ListPage, ListPageQuery } from './schema.ts'

/** A page of the account's lists, newest first. */
export async function readLists(ctx: ListsContext, query: ListPageQuery): Promise<Static<typeof ListPage>> {
  authorize(ctx, readingLists)
  const { accountId, mode } = ctx.caller
  const { kind, ...page } = query
  const { rows, hasMore, nextCursor } = await readListPage(
    { cursors: ctx.cursors, now: ctx.now, accountId, mode },
    {
      list: 'lists',
      filters: { kind },
      ...page,
      positionOf: (row: queries.ListRow) => ({ at: row.created_at, row: row.id }),
      select: (after, limit) => queries.selectLists(ctx.db, ctx.caller, { kind: kind ?? null, after, limit }),
    },
  )
  return {
    object: 'list',
    data: rows.map((row) => describeList(ctx, row)),
    has_more: hasMore,
    next_cursor: nextCursor,
    request_id: ctx.requestId,
  }
}

export async function readList(ctx: ListsContext, id: string): Promise<List> {
  authorize(ctx, readingLists)
  const row = await requireList(ctx, openListId(ctx, id))
  return { ...describeList(ctx, row), request_id: ctx.requestId }
}

export async function requireList(ctx: ListsContext, listId: number): Promise<queries.ListRow> {
  const row = await queries.selectList(ctx.db, ctx.caller, listId)
  if (!row) throw listNotFound()
  return row
}
