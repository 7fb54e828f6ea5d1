/** Statements on windows of time: of requests, and of the rows that the console shows to people. */
import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'

/**
 * SQL condition: whether a window that began at `startedAt` is open at `now`. It is closed when it is over, or starts
 * further ahead than clocks may differ. `rateWindowAt` decides the same. The difference of two times is immutable, where a
 * time plus an interval is not: Citus takes only immutable functions in `on conflict do update`.
 */
export function isWindowOpenSql(startedAt: string, now: string, length: string): string {
  const tolerance = `interval '${clockToleranceMs} milliseconds'`
  return `(${now} - ${startedAt} < interval '${length}' and ${now} - ${startedAt} >= - ${tolerance})`
}

/**
 * Removes a counted request from its windows, when the work that it was counted for is refused for a limit. A window that has been
 * replaced since is left alone.
 */
export async function uncountRequest(
  db: Queryable,
  counted: { accountId: number; mode: Mode; minuteStartedAt: Date; day: string },
): Promise<void> {
  await db.query({
    name: 'uncount_request',
    text: `
update request_windows
set minute_used = case when minute_started_at = $3::timestamptz then greatest(minute_used - 1, 0) else minute_used end,
    day_used    = case when day = $4::date then greatest(day_used - 1, 0) else day_used end
where account_id = $1::bigint and mode = $2::text`,
    values: [counted.accountId, counted.mode, counted.minuteStartedAt, counted.day],
  })
}

/** The rows that a person may look at in a fixed hour, over all accounts. */
export const viewedRowsAllowance = 3_000

/** SQL condition: whether a person's hour that began at `startedAt` is open. */
export const isUserHourOpenSql = (startedAt: string) => isWindowOpenSql(startedAt, ':spent_at::timestamptz', '1 hour')

/** SQL condition: whether a page was opened so recently that what it showed is shown again for nothing. */
export const isPageOpenSql = (openedAt: string) => isWindowOpenSql(openedAt, ':spent_at::timestamptz', '10 minutes')

/** Deletes the oldest pages that were opened before a time, about `batchSize` of them, and all after another; returns how many. */
async function deletePagesBefore(
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

/** Far longer than a page stays open. */
const keptMs = 1_200_000
const batchSize = 1_000

/** Deletes pages that are no longer open, in batches; also those that a clock opened too far in the future. */
export async function expireViewedPages(db: Queryable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs)
  const after = new Date(now.getTime() + clockToleranceMs)
  while ((await deletePagesBefore(db, { before, after }, batchSize)) > batchSize);
}
