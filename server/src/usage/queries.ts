import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

export interface UsageRow {
  contact_credits_used: number
  contact_credits_reserved: number
  store_exports_used: number
  store_exports_reserved: number
  search_rows_used: number
  search_rows_reserved: number
  /** Requests of the day asked about. */
  requests_used: number
}

/** All counters of an account and mode in its periods and on a day; what was never counted is 0. */
export async function readCounters(
  db: Queryable,
  wanted: { accountId: number; mode: Mode; periodStart: Date; creditsPeriodStart: Date; day: string },
): Promise<UsageRow> {
  const { rows } = await db.query<UsageRow>({
    name: 'read_counters',
    text: `
select coalesce(max(used) filter (where meter = 'contact_credits'), 0) as contact_credits_used,
       coalesce(max(reserved) filter (where meter = 'contact_credits'), 0) as contact_credits_reserved,
       coalesce(max(used) filter (where meter = 'store_exports'), 0) as store_exports_used,
       coalesce(max(reserved) filter (where meter = 'store_exports'), 0) as store_exports_reserved,
       coalesce(max(used) filter (where meter = 'search_rows'), 0) as search_rows_used,
       coalesce(max(reserved) filter (where meter = 'search_rows'), 0) as search_rows_reserved,
       coalesce((select w.day_used
                 from request_windows w
                 where w.account_id = $1::bigint and w.mode = $2::text and w.day = $4::date), 0) as requests_used
from usage_counters
where account_id = $1::bigint and mode = $2::text
  and (meter, period_start) in (('contact_credits', $5::timestamptz),
                                ('store_exports', $3::timestamptz), ('search_rows', $3::timestamptz))`,
    values: [wanted.accountId, wanted.mode, wanted.periodStart, wanted.day, wanted.creditsPeriodStart],
  })
  return rows[0]!
}
