import { type Static, Type } from 'typebox'
import type { Queryable } from '../../foundation/db/pool.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { PageQuery, RecordList, readListLimit } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject, Nullable, Timestamp } from '../../foundation/kernel/shapes.ts'
import { userContext } from '../auth/signed-in.ts'
import { selectBillingEvents } from './event-queries.ts'

const WebhookListReply = RecordList(
  ClosedObject({
    id: Type.String(),
    type: Type.String(),
    received_at: Timestamp('When it came first.'),
    handled_at: Nullable(Timestamp('When it was handled.')),
    outcome: Nullable(Type.String()),
  }),
)
type WebhookListReply = Static<typeof WebhookListReply>

export function registerBillingEventRoutes(api: ApiRoutes): void {
  api.get(
    '/operator/webhooks',
    {
      config: { access: { operator: true, kind: 'read' } },
      schema: {
        operationId: 'listBillingEvents',
        tags: ['operator'],
        summary: 'List the webhook events of the payment provider, the newest first',
        querystring: PageQuery,
        response: { 200: WebhookListReply, ...errorReplies('invalid_cursor') },
      },
    },
    (request) => listBillingEvents(userContext(request), request.query),
  )
}

/** Lists the events of the payment provider, the newest first. */
async function listBillingEvents(
  ctx: { db: Queryable; requestId: string },
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
