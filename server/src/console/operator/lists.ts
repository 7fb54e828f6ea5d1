import { ApiError } from '../../kernel/errors.ts'
import type { PersonContext } from '../access.ts'
import type { PageQuery, PrivacyRequestListReply, WebhookListReply } from './data-schema.ts'
import { type PrivacyRequestLogRow, selectBillingEvents, selectPrivacyRequests } from './queries.ts'

/** Lists the events of the payment provider, the newest first. */
export async function listBillingEvents(ctx: PersonContext, { limit, cursor }: PageQuery): Promise<WebhookListReply> {
  const [receivedAtMs, id] = readCursor(cursor, ['number', 'string']) as [number?, string?]
  const before = receivedAtMs === undefined ? null : { receivedAt: new Date(receivedAtMs), id: id! }
  const rows = await selectBillingEvents(ctx.db, before, limit + 1)
  const { data, ...page } = pageOf(rows, limit, (row) => [row.received_at.getTime(), row.id])
  return {
    object: 'list',
    data: data.map((row) => ({
      ...row,
      received_at: row.received_at.toISOString(),
      handled_at: row.handled_at?.toISOString() ?? null,
    })),
    ...page,
    request_id: ctx.requestId,
  }
}

/** Lists the requests of the privacy page, the newest first: when and how each ended, and nothing about whose it was. */
export async function listPrivacyRequests(
  ctx: PersonContext,
  { limit, cursor }: PageQuery,
): Promise<PrivacyRequestListReply> {
  const [beforeId] = readCursor(cursor, ['number']) as [number?]
  const rows = await selectPrivacyRequests(ctx.db, beforeId ?? null, limit + 1)
  const { data, ...page } = pageOf(rows, limit, (row) => [row.id])
  return {
    object: 'list',
    data: data.map((row) => ({
      requested_at: row.requested_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      opened_at: row.opened_at?.toISOString() ?? null,
      ended_at: row.ended_at?.toISOString() ?? null,
      outcome: outcomeAt(row, ctx.now),
      erased: row.erased,
    })),
    ...page,
    request_id: ctx.requestId,
  }
}

/** A request that has not ended shows the outcome that the clean-up will give it. */
function outcomeAt({ outcome, opened_at, ended_at, expires_at }: PrivacyRequestLogRow, now: Date) {
  if (ended_at !== null) return outcome!
  if (expires_at > now) return opened_at === null ? 'waiting' : 'opened'
  return outcome ?? (opened_at === null ? 'expired' : 'kept')
}

function pageOf<Row>(rows: Row[], limit: number, positionOf: (row: Row) => unknown[]) {
  const data = rows.slice(0, limit)
  const has_more = rows.length > limit
  const next_cursor = has_more ? Buffer.from(JSON.stringify(positionOf(data.at(-1)!))).toString('base64url') : null
  return { data, has_more, next_cursor }
}

/** The position in a cursor; an empty one without a cursor. Positions are no secret of an operator. */
function readCursor(cursor: string | undefined, types: readonly ('number' | 'string')[]): unknown[] {
  if (cursor === undefined) return []
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(position) && types.every((type, index) => isValid(position[index], type))) return position
  } catch {
    // Not JSON.
  }
  throw new ApiError('invalid_cursor', 'This cursor does not come from this list.', { param: 'cursor' })
}

function isValid(value: unknown, type: 'number' | 'string'): boolean {
  return type === 'number' ? Number.isSafeInteger(value) && Math.abs(value as number) < 8e15 : typeof value === type
}
