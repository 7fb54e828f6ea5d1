import { transact } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import { type Access, authorize } from '../../auth/access.ts'
import { recordAudit } from '../../auth/audit.ts'
import type { UserContext } from '../../auth/signed-in.ts'
import type { SessionListReply } from '../schema.ts'
import { deleteSession, deleteSessionsOf, selectSessionsOf } from '../sessions/queries.ts'
import { describeDevice } from './device.ts'

interface SessionsContext extends UserContext {
  ids: IdSealer
}

export const readSessions: Access = { person: true, kind: 'read' }
export const endSessions: Access = { person: true, kind: 'edit' }
export const signingOut: Access = { person: true, kind: 'session' }

const maxListed = 100

/** Where the user is signed in, the last used first. */
export async function listSessions(ctx: SessionsContext): Promise<SessionListReply['data']> {
  authorize(ctx, readSessions)
  const rows = await selectSessionsOf(ctx.db, { userId: ctx.user.id, now: ctx.now, limit: maxListed })
  return rows.map((row) => ({
    object: 'person_session',
    id: ctx.ids.seal('session', row.id),
    device: describeDevice(row.user_agent),
    address: row.address,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    is_current: row.id === ctx.session.id,
  }))
}

/** Ends one session of the user; its next request is refused. Returns whether it was the one that asks. */
export async function endSession(ctx: SessionsContext, sessionId: string): Promise<{ isCurrent: boolean }> {
  authorize(ctx, endSessions)
  const opened = ctx.ids.open(sessionId)
  const id = opened?.kind === 'session' ? opened.value : null
  await transact(ctx.db, async (client) => {
    if (id === null || !(await deleteSession(client, ctx.user.id, id)))
      throw new Refusal('session_not_found', 'There is no such session, or it has ended.')
    await recordAudit(client, ctx, { accountId: null, action: 'session.ended', target: sessionId })
  })
  return { isCurrent: id === ctx.session.id }
}

/** Ends all sessions of the user but the one that asks. */
export async function endOtherSessions(ctx: SessionsContext): Promise<void> {
  authorize(ctx, endSessions)
  await transact(ctx.db, async (client) => {
    const count = await deleteSessionsOf(client, ctx.user.id, ctx.session.id)
    await recordAudit(client, ctx, { accountId: null, action: 'session.others_ended', details: { count } })
  })
}

/** Ends the session that asks. */
export async function signOut(ctx: UserContext): Promise<void> {
  authorize(ctx, signingOut)
  await transact(ctx.db, async (client) => {
    await deleteSession(client, ctx.user.id, ctx.session.id)
    await recordAudit(client, ctx, { accountId: null, action: 'session.ended' })
  })
}
