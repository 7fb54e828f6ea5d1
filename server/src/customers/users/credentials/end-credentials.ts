import type { Queryable } from '../../../foundation/db/pool.ts'
import { endSignInLinks } from '../links/queries.ts'
import { deletePasskeysOf } from '../passkeys/queries.ts'
import { lockCredentials, removePassword } from '../queries.ts'
import { deleteSessionsOf } from '../sessions/queries.ts'

interface EndedCredentials {
  userId: number
  /** Whether the password ends too; it stays where a new one is being set. */
  password: 'ends' | 'stays'
  now: Date
}

/**
 * Ends all credentials of this user: sessions, links, passkeys and, if wanted, the password.
 * For a user who proves their identity again: a stranger may have set up any of them. The binding to a provider stays:
 * the provider vouches for it. Call it in a transaction: it locks the user first, so that a credential that is being
 * added at the same time is either seen here or refused there.
 */
export async function endAllCredentials(db: Queryable, { userId, password, now }: EndedCredentials): Promise<void> {
  await lockCredentials(db, userId)
  if (password === 'ends') await removePassword(db, userId)
  await endSignInLinks(db, userId, now)
  await deletePasskeysOf(db, userId)
  await deleteSessionsOf(db, userId, null)
}
