import { hash } from 'node:crypto'
import type { Caller } from '../auth/caller.ts'
import type { Queryable } from '../db/pool.ts'
import { clockToleranceMs } from '../kernel/time.ts'
import { deletePagesBefore } from './window-queries.ts'

/** Identifies a page that a person looks at, by all that decides which rows it has; null for a key, which takes rows. */
export function hashViewedPage({ personId }: Pick<Caller, 'personId'>, parts: readonly unknown[]): Buffer | null {
  return personId === null ? null : hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16)
}

/** Far longer than a page stays open. */
const keptMs = 1_200_000
const batchSize = 1_000

/** Deletes pages that are no longer open, in batches; also those that a clock opened too far in the future. */
export async function expireViewedPages(db: Queryable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs)
  const after = new Date(now.getTime() + clockToleranceMs)
  while ((await deletePagesBefore(db, { before, after }, batchSize)) > batchSize);
}
