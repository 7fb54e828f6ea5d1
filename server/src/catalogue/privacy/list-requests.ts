import { type Access, authorize } from '../../customers/auth/access.ts'
import type { ActorContext } from '../../customers/auth/actor.ts'
import type { Queryable } from '../../foundation/db/pool.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import { ofInstallation, type PageQuery, readListPage } from '../../foundation/kernel/list-pages.ts'
import { type PrivacyRequestLogRow, selectPrivacyRequests } from './queries.ts'
import type { PrivacyRequestListReply } from './schema.ts'

export const readingRequests = { operator: true, kind: 'read' } as const satisfies Access

interface ListContext extends ActorContext {
  db: Queryable
  cursors: CursorSealer
  requestId: string
}

/** Lists the requests of the privacy page, the newest first: when and how each ended, and nothing about whose it was. */
export async function listPrivacyRequests(
  ctx: ListContext,
  { limit, cursor }: PageQuery,
): Promise<PrivacyRequestListReply> {
  authorize(ctx, readingRequests)
  const page = await readListPage<PrivacyRequestLogRow>(
    { ...ctx, ...ofInstallation },
    {
      list: 'privacy requests',
      filters: {},
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      positionOf: ({ id, requested_at }) => ({ at: requested_at, row: id }),
      select: (after, count) => selectPrivacyRequests(ctx.db, after?.row ?? null, count),
    },
  )
  return {
    object: 'list',
    data: page.rows.map((row) => ({
      entry: row.id,
      requested_at: row.requested_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      opened_at: row.opened_at?.toISOString() ?? null,
      ended_at: row.ended_at?.toISOString() ?? null,
      outcome: outcomeAt(row, ctx.now),
      erased: row.erased,
    })),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
    request_id: ctx.requestId,
  }
}

/** A request that has not ended shows the outcome that the clean-up will give it. */
function outcomeAt({ outcome, opened_at, ended_at, expires_at }: PrivacyRequestLogRow, now: Date) {
  if (ended_at !== null) return outcome!
  if (expires_at > now) return opened_at === null ? 'waiting' : 'opened'
  return outcome ?? (opened_at === null ? 'expired' : 'kept')
}
