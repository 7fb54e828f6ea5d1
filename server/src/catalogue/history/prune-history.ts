import type { Queryable } from '../../foundation/db/pool.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import { sleepUnlessStopped } from '../../foundation/runtime/timing.ts'
import { deleteOldestChanges } from './queries.ts'

const dayMs = 24 * 3_600_000
/** Few enough that a statement is short, many enough that pruning keeps up with imports. */
const batchSize = 2_000

interface PruneContext {
  db: Queryable
  clock: Clock
  historyDays: number
}

/**
 * Deletes the changes of stores that are older than `historyDays`, in batches, until none is left or it is stopped. A first
 * import can become old all at once, so it rests after each batch for as long as that took.
 */
export async function pruneHistory({ db, clock, historyDays }: PruneContext, stopped: AbortSignal): Promise<void> {
  const expiredAt = new Date(clock.now().getTime() - historyDays * dayMs)
  for (;;) {
    const startedAtMs = performance.now()
    if ((await deleteOldestChanges(db, expiredAt, batchSize)) <= batchSize) return
    if (!(await sleepUnlessStopped(performance.now() - startedAtMs, stopped))) return
  }
}
