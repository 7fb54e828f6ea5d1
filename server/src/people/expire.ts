import type { Queryable } from '../db/pool.ts'
import { deleteOldAttemptWindows } from './attempt-queries.ts'
import { deleteExpiredChallenges } from './challenges/queries.ts'
import { deleteOldSignInLinks } from './links/queries.ts'
import { deleteExpiredSessions } from './sessions/queries.ts'

const rowsPerStatement = 1_000
const maxStatements = 50
/** Longer than any window of attempts. */
const windowsKeptMs = 86_400_000

/** Deletes sessions, links, challenges and windows that are over, a bounded number of each. */
export async function expirePeople(db: Queryable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - windowsKeptMs)
  await repeatUntilFew((limit) => deleteExpiredSessions(db, now, limit))
  await repeatUntilFew((limit) => deleteOldSignInLinks(db, now, limit))
  await repeatUntilFew((limit) => deleteExpiredChallenges(db, now, limit))
  await repeatUntilFew((limit) => deleteOldAttemptWindows(db, before, limit))
}

async function repeatUntilFew(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  for (let statement = 0; statement < maxStatements; statement++)
    if ((await deleteSome(rowsPerStatement)) < rowsPerStatement) return
}
