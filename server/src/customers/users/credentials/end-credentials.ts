import type { Queryable } from '../../../foundation/db/pool.ts'
import { endSignInLinks } from '../links/queries.ts'
import { deletePasskeysOf } from '../passkeys/queries.ts'
import { lockCredentials, removePassword } from '../queries.ts'
import { deleteSessionsOf } from '../sessions/queries.ts'

interface EndedCredentials {
  personId: number
  /** Whether the password ends too; it stays where a new one is being set. */
  password: 'ends' | 'stays'
  now: Date
}

/**
 * Ends everything with which somebody can sign in as this person: sessions, links, passkeys and, if wanted, the password.
 * For whoever proves anew who they are, because somebody else may have set up any of it. The binding to a provider stays:
 * the provider vouches for it. Call it in a transaction: it locks the person first, so that a credential that is being
 * added at the same time is either seen here or refused there.
 */
export async function endAllCredentials(db: Queryable, { personId, password, now }: EndedCredentials): Promise<void> {
  await lockCredentials(db, personId)
  if (password === 'ends') await removePassword(db, personId)
  await endSignInLinks(db, personId, now)
  await deletePasskeysOf(db, personId)
  await deleteSessionsOf(db, personId, null)
}
