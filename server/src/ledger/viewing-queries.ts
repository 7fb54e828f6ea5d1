/** Rows that the console shows to a person: charged as search rows, and bounded by the hour of the person. */
import type { Queryable } from '../db/pool.ts'
import { isWindowOpenSql } from './window-queries.ts'

/** The rows that a person may look at in a fixed hour, over all accounts. */
export const viewedRowsAllowance = 3_000

/** SQL condition: whether a person's hour that began at `startedAt` is open. */
export const isPersonHourOpenSql = (startedAt: string) => isWindowOpenSql(startedAt, ':spent_at::timestamptz', '1 hour')

/** SQL condition: whether a page was opened so recently that what it showed is shown again for nothing. */
export const isPageOpenSql = (openedAt: string) => isWindowOpenSql(openedAt, ':spent_at::timestamptz', '10 minutes')

/** Deletes the oldest pages that were opened before a time, about `batchSize` of them, and all after another; returns how many. */
export async function deletePagesBefore(
  db: Queryable,
  { before, after }: { before: Date; after: Date },
  batchSize: number,
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delete_viewed_pages',
    text: `
delete from viewed_pages
where opened_at <= least($1::timestamptz,
                         (select opened_at from viewed_pages order by opened_at offset $3::integer limit 1))
   or opened_at > $2::timestamptz`,
    values: [before, after, batchSize],
  })
  return rowCount ?? 0
}
