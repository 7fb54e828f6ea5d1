import type { Queryable } from '../../foundation/db/pool.ts'
import { forgetOldAddresses } from '../auth/audit.ts'
import { deleteOldAttemptWindows } from './attempt-queries.ts'
import { deleteExpiredChallenges } from './challenges/queries.ts'
import { deleteOldInvitations } from './invitations/queries.ts'
import { deleteOldSignInLinks } from './links/queries.ts'
import { deleteExpiredSessions } from './sessions/queries.ts'

const rowsPerStatement = 1_000
const maxStatements = 50
/** Longer than any window of attempts. */
const windowsKeptMs = 86_400_000
const invitationsKeptMs = 30 * 86_400_000

/**
 * Deletes sessions, links, challenges, windows and invitations that are over, and leaves of old addresses in the audit log
 * the network, a bounded number of each.
 */
export async function expireUsers(db: Queryable, now: Date): Promise<void> {
  const past = (keptMs: number) => new Date(now.getTime() - keptMs)
  await repeatUntilFew((limit) => deleteExpiredSessions(db, now, limit))
  await repeatUntilFew((limit) => deleteOldSignInLinks(db, now, limit))
  await repeatUntilFew((limit) => deleteExpiredChallenges(db, now, limit))
  await repeatUntilFew((limit) => deleteOldAttemptWindows(db, past(windowsKeptMs), limit))
  await repeatUntilFew((limit) => deleteOldInvitations(db, past(invitationsKeptMs), limit))
  await repeatUntilFew((limit) => forgetOldAddresses(db, now, limit))
}

async function repeatUntilFew(expireSome: (limit: number) => Promise<number>): Promise<void> {
  for (let statement = 0; statement < maxStatements; statement++)
    if ((await expireSome(rowsPerStatement)) < rowsPerStatement) return
}
