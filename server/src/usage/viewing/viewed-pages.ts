import { hash } from 'node:crypto'
import type { Caller, CallerContext } from '../../auth/caller.ts'
import type { Queryable } from '../../db/pool.ts'
import { clockToleranceMs } from '../../kernel/time.ts'
import { findSearchRowsRefusal } from '../charge.ts'
import { deletePagesBefore, isPageOpen } from './view-queries.ts'
import { findViewingRefusal } from './viewing-limit.ts'

/** Identifies a page that a person looks at, by all that decides which rows it has; null for a key, which takes rows. */
export function hashViewedPage({ personId }: Pick<Caller, 'personId'>, parts: readonly unknown[]): Buffer | null {
  return personId === null ? null : hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16)
}

/**
 * Refuses a page, before it is searched, if its limit exceeds the search rows left or the rows that the person may still look
 * at: otherwise refused pages would tell, free of charge, whether there is a match. A page that the person has paid for within
 * ten minutes is not refused here; its charge decides about rows that are new on it.
 */
export async function requireViewableRows(ctx: CallerContext, limit: number, page: Buffer): Promise<void> {
  const refusal = findSearchRowsRefusal(ctx, limit) ?? (await findViewingRefusal(ctx, limit))
  if (refusal && !(await isPageOpen(ctx.db, { ...ctx.caller, now: ctx.now, page }))) throw refusal
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
