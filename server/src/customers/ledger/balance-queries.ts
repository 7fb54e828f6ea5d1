/** Statements that read what was used and what was paid for. */
import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'

export interface UsageCountersRow {
  contact_credits_used: number
  contact_credits_reserved: number
  store_exports_used: number
  store_exports_reserved: number
  search_rows_used: number
  search_rows_reserved: number
  /** Requests of the given day. */
  requests_used: number
}

/** All counters of an account and mode in its periods and on a day; 0 where nothing was counted. */
export async function readUsageCounters(
  db: Queryable,
  query: { accountId: number; mode: Mode; periodStart: Date; creditsPeriodStart: Date; day: string },
): Promise<UsageCountersRow> {
  const { rows } = await db.query<UsageCountersRow>({
    name: 'read_usage_counters',
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
    values: [query.accountId, query.mode, query.periodStart, query.day, query.creditsPeriodStart],
  })
  return rows[0]!
}

export interface RevealRow {
  contact_id: number
  revealed_at: Date
  /** Used and reserved, the same in every row; of the key, where it spends. */
  credits_taken: number
  exports_taken: number
  key_credits_taken: number
  key_exports_taken: number
}

/** When the account revealed contacts, and its balances now. */
export async function readReveals(
  db: Queryable,
  query: {
    accountId: number
    mode: Mode
    contactIds: readonly number[]
    creditsPeriodStart: Date
    periodStart: Date
    counterKeyId: number | null
  },
): Promise<RevealRow[]> {
  const { rows } = await db.query<RevealRow>({
    name: 'read_reveals',
    text: `
select contact_id, revealed_at,
       coalesce((select used + reserved
                 from usage_counters
                 where account_id = $1::bigint and mode = $2::text and meter = 'contact_credits'
                   and period_start = $4::timestamptz), 0) as credits_taken,
       coalesce((select used + reserved
                 from usage_counters
                 where account_id = $1::bigint and mode = $2::text and meter = 'store_exports'
                   and period_start = $5::timestamptz), 0) as exports_taken,
       coalesce((select used + reserved
                 from key_counters
                 where account_id = $1::bigint and key_id = $6::bigint and meter = 'contact_credits'
                   and period_start = $4::timestamptz), 0) as key_credits_taken,
       coalesce((select used + reserved
                 from key_counters
                 where account_id = $1::bigint and key_id = $6::bigint and meter = 'store_exports'
                   and period_start = $5::timestamptz), 0) as key_exports_taken
from reveals
where account_id = $1::bigint and mode = $2::text and contact_id = any ($3::bigint[])`,
    values: [
      ...[query.accountId, query.mode, query.contactIds, query.creditsPeriodStart, query.periodStart],
      query.counterKeyId,
    ],
  })
  return rows
}
