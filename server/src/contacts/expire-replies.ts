import type { Queryable } from '../db/pool.ts'
import { keptMs } from '../idempotency/idempotency.ts'
import { deleteExpiredReplies, redateFutureReplies } from '../idempotency/queries.ts'
import { clockToleranceMs } from '../kernel/clock.ts'

const batchSize = 1_000

/**
 * Deletes the kept replies that are too old to be given again, a bounded number at a time. Those of a clock that ran ahead
 * are kept for a day from now.
 */
export async function expireReplies(db: Queryable, now: Date): Promise<void> {
  const latest = new Date(now.getTime() + clockToleranceMs)
  while ((await redateFutureReplies(db, { now, latest }, batchSize)) > batchSize);
  const expiredAt = new Date(now.getTime() - keptMs)
  while ((await deleteExpiredReplies(db, expiredAt, batchSize)) > batchSize);
}
