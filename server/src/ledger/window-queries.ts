/** Statements on windows of time: of requests, and of what people look at. */
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { clockToleranceMs } from '../kernel/time.ts'

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
