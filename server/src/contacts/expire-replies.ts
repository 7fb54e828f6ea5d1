import type { Queryable } from '../db/pool.ts'
import { keptMs } from './idempotency.ts'
import { deleteExpiredReplies } from './idempotency-queries.ts'

const batchSize = 1_000

/** Deletes the kept replies that are too old to be given again, a bounded number at a time. */
export async function expireReplies(db: Queryable, now: Date): Promise<void> {
  const expiredAt = new Date(now.getTime() - keptMs)
  while ((await deleteExpiredReplies(db, expiredAt, batchSize)) > batchSize);
}
