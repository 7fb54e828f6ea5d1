import { transact } from '../../../db/pool.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { deleteSession, deleteSessionsOf } from '../../../people/sessions/queries.ts'
import { type OwnContext, recordOwnChange } from '../context.ts'
import type { AccountDoneReply, SessionListReply } from '../schema.ts'
import { describeDevice } from './device.ts'
import { selectSessionsOf } from './session-queries.ts'

const maxListed = 100

/** Where the person is signed in, the last used first. */
export async function listSessions(ctx: OwnContext): Promise<SessionListReply> {
  const rows = await selectSessionsOf(ctx.db, { personId: ctx.person.id, now: ctx.now, limit: maxListed })
  return {
    object: 'list',
    data: rows.map((row) => ({
      object: 'person_session',
      id: ctx.ids.seal('session', row.id),
      device: describeDevice(row.user_agent),
      address: row.address,
      created_at: row.created_at.toISOString(),
      last_seen_at: row.last_seen_at.toISOString(),
      is_current: row.id === ctx.session.id,
    })),
    has_more: false,
    next_cursor: null,
    request_id: ctx.requestId,
  }
}

/** Ends one session of the person; its next request is refused. */
export async function endSession(
  ctx: OwnContext,
  sessionId: string,
): Promise<AccountDoneReply & { isCurrent: boolean }> {
  const opened = ctx.ids.open(sessionId)
  const id = opened?.kind === 'session' ? opened.value : null
  await transact(ctx.db, async (client) => {
    if (id === null || !(await deleteSession(client, ctx.person.id, id)))
      throw new Refusal('session_not_found', 'There is no such session, or it has ended.')
    await recordOwnChange(client, ctx, { action: 'session.ended', target: sessionId })
  })
  return { object: 'done', request_id: ctx.requestId, isCurrent: id === ctx.session.id }
}

/** Ends all sessions of the person but the one that asks. */
export async function endOtherSessions(ctx: OwnContext): Promise<AccountDoneReply> {
  await transact(ctx.db, async (client) => {
    const count = await deleteSessionsOf(client, ctx.person.id, ctx.session.id)
    await recordOwnChange(client, ctx, { action: 'session.others_ended', details: { count } })
  })
  return { object: 'done', request_id: ctx.requestId }
}
