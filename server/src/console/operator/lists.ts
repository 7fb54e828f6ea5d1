import type { PersonContext } from '../../auth/signed-in.ts'
import { readListLimit, readListPage } from '../../delivery/list-pages.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import { Refusal } from '../../kernel/errors.ts'
import { listContext } from './context.ts'
import type { PageQuery, PrivacyRequestListReply, WebhookListReply } from './data-schema.ts'
import { type PrivacyRequestLogRow, selectBillingEvents, selectPrivacyRequests } from './queries.ts'

/** Lists the requests of the privacy page, the newest first: when and how each ended, and nothing about whose it was. */
export async function listPrivacyRequests(
  ctx: PersonContext,
  cursors: CursorSealer,
  { limit, cursor }: PageQuery,
): Promise<PrivacyRequestListReply> {
  const page = await readListPage<PrivacyRequestLogRow>(listContext(ctx, cursors), {
    list: 'privacy requests',
    filters: {},
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
    positionOf: ({ id, requested_at }) => ({ at: requested_at, row: id }),
    select: (after, count) => selectPrivacyRequests(ctx.db, after?.row ?? null, count),
  })
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

/** Lists the events of the payment provider, the newest first. */
export async function listBillingEvents(
  ctx: PersonContext,
  { limit: limitText, cursor }: PageQuery,
): Promise<WebhookListReply> {
  const limit = readListLimit(limitText === undefined ? {} : { limit: limitText })
  const found = await selectBillingEvents(ctx.db, cursor === undefined ? null : openCursor(cursor), limit + 1)
  const rows = found.slice(0, limit)
  const hasMore = found.length > limit
  return {
    object: 'list',
    data: rows.map((row) => ({
      ...row,
      received_at: row.received_at.toISOString(),
      handled_at: row.handled_at?.toISOString() ?? null,
    })),
    has_more: hasMore,
    next_cursor: hasMore ? sealCursor(rows.at(-1)!) : null,
    request_id: ctx.requestId,
  }
}

// Ids of events are words of the provider, which the sealed cursors have no room for. Operators see them anyway.
function sealCursor({ received_at, id }: { received_at: Date; id: string }): string {
  return `cur_${Buffer.from(`${received_at.getTime()} ${id}`).toString('base64url')}`
}

function openCursor(cursor: string): { receivedAt: Date; id: string } {
  const [, time, id] = /^(\d{1,15}) (.+)$/.exec(Buffer.from(cursor.slice(4), 'base64url').toString()) ?? []
  if (time === undefined || id === undefined)
    throw new Refusal('invalid_cursor', 'This cursor does not come from this list; start again without it.', {
      param: 'cursor',
    })
  return { receivedAt: new Date(Number(time)), id }
}
