import { type Pool, transact } from '../../foundation/db/pool.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import type { ImportFiles } from './files.ts'
import { markFilesRemoved, selectExpiredFiles } from './queries.ts'

const dayMs = 86_400_000
/** How long the file of an import that ended stays, so that it can run again. */
const endedMs = dayMs
/** How long a file stays that was not imported. */
const abandonedMs = 7 * dayMs
const rejectsMs = 30 * dayMs

/** Removes files of this server's imports that are kept no longer: they may contain personal data. */
export async function removeExpiredFiles({
  db,
  files,
  clock,
}: {
  db: Pool
  files: ImportFiles
  clock: Clock
}): Promise<void> {
  if (!files.exist) return
  const at = clock.now()
  const before = (ageMs: number) => new Date(at.getTime() - ageMs)
  const expired = await selectExpiredFiles(db, await files.serverId(), {
    ended: before(endedMs),
    abandoned: before(abandonedMs),
    rejects: before(rejectsMs),
  })
  for (const { id, source, rejects } of expired)
    await transact(db, async (client) => {
      const error = 'Its file was removed after seven days without an import.'
      const job = await markFilesRemoved(client, { id, source, rejects, error, at })
      // Before the commit: the row still keeps a run from starting.
      if (job) await files.remove(job, { source: job.sourceRemovedAt !== null, rejects: job.rejectsRemovedAt !== null })
    })
}
