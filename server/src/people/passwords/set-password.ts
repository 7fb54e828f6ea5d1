import type { Queryable } from '../../db/pool.ts'
import { recordAudit } from '../audit.ts'
import { endSignInLinks } from '../links/queries.ts'
import { updatePassword } from '../queries.ts'
import { deleteSessionsOf } from '../sessions/queries.ts'
import { passwordHasher } from './hasher.ts'
import { requireStrongPassword } from './policy.ts'

/** Hashes a new password; throws `weak_password`. Outside of a transaction, because hashing waits for its turn. */
export async function hashNewPassword(password: string, person: { email: string; name: string }): Promise<string> {
  await requireStrongPassword(password, person)
  return passwordHasher.hash(password)
}

interface NewPassword {
  personId: number
  publicId: string
  hash: string
  /** Null to keep it. */
  name: string | null
  /** The session that stays; null for none. */
  keptSessionId: number | null
  address: string | null
  now: Date
}

/** Sets a person's password, which ends their other sessions and the links that were made for them. */
export async function setPassword(db: Queryable, input: NewPassword): Promise<void> {
  const { personId, publicId, hash, name, keptSessionId, address, now } = input
  await updatePassword(db, personId, { hash, name, at: now })
  // A link that is being used keeps its row locked until its session exists, so the sessions are deleted afterwards.
  await endSignInLinks(db, personId, now)
  await deleteSessionsOf(db, personId, keptSessionId)
  await recordAudit(db, { accountId: null, personId, action: 'password.set', target: publicId, address, at: now })
}
