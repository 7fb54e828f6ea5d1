import type { FastifyRequest } from 'fastify'
import type { UserContext } from '../../customers/auth/signed-in.ts'
import { type AdmittedSessionRow, admitSession } from '../../customers/users/sessions/queries.ts'
import type { Browser } from '../../customers/users/sessions/sessions.ts'
import { hashToken } from '../../customers/users/tokens.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'

export function describeUser(
  request: FastifyRequest,
  row: AdmittedSessionRow,
  ids: IdSealer,
  kind: 'person' | 'operator' = 'person',
): UserContext {
  const { person_id: userId, signed_in_at: signedInAt } = row
  return {
    actor: { kind, userId, signedInAt, address: request.ip },
    db: request.db,
    now: request.now,
    requestId: request.id,
    address: request.ip,
    user: {
      id: row.person_id,
      publicId: ids.seal('person', row.person_id),
      email: row.person_email,
      name: row.person_name,
      isOperator: row.operator,
    },
    session: { id: row.session_id, signedInAt: row.signed_in_at, seeAsAccountId: row.see_as_account_id },
  }
}

/** The context of a session that this request has begun. */
export async function newSessionContext(request: FastifyRequest, token: string, ids: IdSealer): Promise<UserContext> {
  const admission = { tokenHash: hashToken(token), now: request.now, accountId: null }
  const row = await admitSession(request.db, admission)
  if (!row) throw new Error('the session that this request began is gone')
  return describeUser(request, row, ids)
}

/** Where a session would begin. */
export function browserOf(request: FastifyRequest): Browser {
  return { address: request.ip, userAgent: request.headers['user-agent'] ?? '' }
}
