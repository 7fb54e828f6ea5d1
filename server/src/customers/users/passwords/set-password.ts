import type { Queryable } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { ActorContext } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import { endAllCredentials } from '../credentials/end-credentials.ts'
import { endSignInLinks } from '../links/queries.ts'
import { lockCredentials, updatePassword } from '../queries.ts'
import { deleteSessionsOf, lockSession } from '../sessions/queries.ts'
import { passwordHasher } from './hasher.ts'
import { requireStrongPassword } from './policy.ts'

/** Hashes a new password; throws `weak_password`. Outside of a transaction, because hashing waits for its turn. */
export async function hashNewPassword(
  password: string,
  user: { email: string; name: string; address: string },
): Promise<string> {
  await requireStrongPassword(password, user)
  return passwordHasher.hash(password, user)
}

interface NewPassword {
  userId: number
  publicId: string
  hash: string
}

/** Sets the password of a user with a link, and ends their other credentials. */
export async function replacePassword(
  db: Queryable,
  ctx: ActorContext,
  input: NewPassword & { name: string | null },
): Promise<void> {
  await endAllCredentials(db, { userId: input.userId, password: 'stays', now: ctx.now })
  await storePassword(db, ctx, input)
}

/**
 * Changes the password of a signed-in user, which ends their other sessions and the links that were made for
 * them. Passkeys stay. Throws if the session ended while the password was hashed.
 */
export async function changeOwnPassword(
  db: Queryable,
  ctx: ActorContext,
  input: NewPassword & { sessionId: number },
): Promise<void> {
  const { userId, sessionId } = input
  await lockCredentials(db, userId)
  if (!(await lockSession(db, userId, sessionId)))
    throw new Refusal('not_signed_in', 'This session has ended; sign in again.')
  await endSignInLinks(db, userId, ctx.now)
  await deleteSessionsOf(db, userId, sessionId)
  await storePassword(db, ctx, { ...input, name: null })
}

/** A name of null keeps it. */
async function storePassword(
  db: Queryable,
  ctx: ActorContext,
  input: NewPassword & { name: string | null },
): Promise<void> {
  const { userId, publicId, hash, name } = input
  await updatePassword(db, userId, { hash, name, at: ctx.now })
  await recordAudit(db, ctx, { accountId: null, action: 'password.set', target: publicId })
}
