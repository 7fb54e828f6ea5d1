import pg from 'pg'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

export interface DeliveryCharge {
  accountId: number
  mode: Mode
  periodStart: Date
  now: Date
  requestId: string
  /** Distinct, ascending: exports are locked in one order by every request. */
  storeIds: number[]
  /** Contacts that the delivery shows, to learn which the account has revealed. */
  contactIds: number[]
  searchRows: number
  searchRowsAllowance: number
  storeExportsAllowance: number
}

export interface MeterBalanceRow {
  meter: 'search_rows' | 'store_exports'
  /** Used and reserved after the charge. */
  taken: number
}

export interface ChargedDelivery {
  balances: MeterBalanceRow[]
  /** Those of the contacts that the account has revealed. */
  revealed: number[]
}

/**
 * Charges a delivery in one statement: marks the stores exported, counts those that are new in the period and the rows,
 * and writes the ledger. When a meter would pass its allowance the table's check fails and nothing of it happened
 * (`isAllowanceExceeded`). The counters come last, in one order, so that their rows are locked shortly and never crosswise.
 */
export async function chargeDelivery(db: Queryable, charge: DeliveryCharge): Promise<ChargedDelivery> {
  // Elements of bigint[] arrive as text; both rows have the same ones.
  const { rows } = await db.query<MeterBalanceRow & { revealed: string[] }>({
    name: 'charge_delivery',
    text: chargeDeliverySql,
    values: [
      charge.accountId,
      charge.mode,
      charge.periodStart,
      charge.now,
      charge.requestId,
      charge.storeIds,
      charge.searchRows,
      charge.searchRowsAllowance,
      charge.storeExportsAllowance,
      charge.contactIds,
    ],
  })
  return { balances: rows, revealed: rows[0]!.revealed.map(Number) }
}

const chargeDeliverySql = `
with exported as (
  insert into store_exports (account_id, mode, period_start, store_id, exported_at)
  select $1::bigint, $2::text, $3::timestamptz, store_id, $4::timestamptz
  from unnest($6::bigint[]) as store_id
  on conflict do nothing
  returning store_id
),
spends (meter, amount, allowance) as (
  values ('search_rows', $7::integer, $8::integer),
         ('store_exports', (select count(*)::integer from exported), $9::integer)
),
counted as (
  insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
  select $1::bigint, $2::text, meter, $3::timestamptz, amount, allowance
  from spends
  where amount > 0
  order by meter
  on conflict (account_id, mode, meter, period_start)
  do update set used = c.used + excluded.used, allowance = excluded.allowance
  returning meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
  select $1::bigint, $2::text, meter, $3::timestamptz, amount, $5::text, $4::timestamptz
  from spends
  where amount > 0
)
select s.meter, coalesce(c.taken, b.used + b.reserved, 0) as taken,
       array(select contact_id from reveals
             where account_id = $1::bigint and mode = $2::text and contact_id = any ($10::bigint[])) as revealed
from spends s
left join counted c on c.meter = s.meter
left join usage_counters b
  on b.account_id = $1::bigint and b.mode = $2::text and b.meter = s.meter and b.period_start = $3::timestamptz`

/** Whether a charge failed because a meter would have passed its allowance. */
export function isAllowanceExceeded(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.constraint === 'usage_counters_within_allowance'
}

export interface StandingRow {
  rows_taken: number
  exports_taken: number
  /** How many of the stores have not been exported in the period. */
  new_stores: number
}

/** Where the meters of a refused delivery stand now, to say what it lacked. */
export async function readStanding(
  db: Queryable,
  charge: Pick<DeliveryCharge, 'accountId' | 'mode' | 'periodStart' | 'storeIds'>,
): Promise<StandingRow> {
  const { rows } = await db.query<StandingRow>({
    name: 'read_standing',
    text: `
select coalesce(sum(used + reserved) filter (where meter = 'search_rows'), 0)::integer as rows_taken,
       coalesce(sum(used + reserved) filter (where meter = 'store_exports'), 0)::integer as exports_taken,
       (select count(*)::integer
        from unnest($4::bigint[]) as wanted
        where not exists (
          select from store_exports e
          where e.account_id = $1::bigint and e.mode = $2::text and e.period_start = $3::timestamptz
            and e.store_id = wanted)) as new_stores
from usage_counters
where account_id = $1::bigint and mode = $2::text and period_start = $3::timestamptz`,
    values: [charge.accountId, charge.mode, charge.periodStart, charge.storeIds],
  })
  return rows[0]!
}
