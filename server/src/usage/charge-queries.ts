import pg from 'pg'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

/** What every charge says: whom it is for, and which stores are delivered. */
export interface Charge {
  accountId: number
  mode: Mode
  now: Date
  requestId: string
  periodStart: Date
  /** Distinct, ascending: exports are locked in one order by every request. */
  storeIds: number[]
  storeExportsAllowance: number
}

/** The first parameters of every charge: $1 account, $2 mode, $3 now, $4 request, $5 period, $6 stores, $7 their allowance. */
export function chargeValues(charge: Charge): unknown[] {
  const { accountId, mode, now, requestId, periodStart, storeIds, storeExportsAllowance } = charge
  return [accountId, mode, now, requestId, periodStart, storeIds, storeExportsAllowance]
}

/** The part of a charge that marks the stores exported: `exported` are those that are new in the period. */
export const exportedPart = `
exported as (
  insert into store_exports (account_id, mode, period_start, store_id, exported_at)
  select $1::bigint, $2::text, $5::timestamptz, store_id, $3::timestamptz
  from unnest($6::bigint[]) as store_id
  on conflict do nothing
  returning store_id
)`

/**
 * The part of a charge that counts `spends (meter, period_start, amount, allowance)` and writes the ledger: `balances` are
 * what is used and reserved of each meter afterwards. The counters come last, in one order, so that their rows are locked
 * shortly and never crosswise.
 */
export const settledPart = `
counted as (
  insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
  select $1::bigint, $2::text, meter, period_start, amount, allowance
  from spends
  where amount > 0
  order by meter
  on conflict (account_id, mode, meter, period_start)
  do update set used = c.used + excluded.used, allowance = excluded.allowance
  returning meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
  select $1::bigint, $2::text, meter, period_start, amount, $4::text, $3::timestamptz
  from spends
  where amount > 0
),
balances as (
  select s.meter, coalesce(c.taken, b.used + b.reserved, 0) as taken
  from spends s
  left join counted c on c.meter = s.meter
  left join usage_counters b
    on b.account_id = $1::bigint and b.mode = $2::text and b.meter = s.meter and b.period_start = s.period_start
)`

export interface DeliveryCharge extends Charge {
  /** Contacts that the delivery shows, to learn which the account has revealed. */
  contactIds: number[]
  searchRows: number
  searchRowsAllowance: number
}

interface MeterBalanceRow {
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
 * (`isAllowanceExceeded`).
 */
export async function chargeDelivery(db: Queryable, charge: DeliveryCharge): Promise<ChargedDelivery> {
  // Elements of bigint[] arrive as text; both rows have the same ones.
  const { rows } = await db.query<MeterBalanceRow & { revealed: string[] }>({
    name: 'charge_delivery',
    text: chargeDeliverySql,
    values: [...chargeValues(charge), charge.searchRows, charge.searchRowsAllowance, charge.contactIds],
  })
  return { balances: rows, revealed: rows[0]!.revealed.map(Number) }
}

const chargeDeliverySql = `
with ${exportedPart},
spends (meter, period_start, amount, allowance) as (
  values ('search_rows', $5::timestamptz, $8::integer, $9::integer),
         ('store_exports', $5::timestamptz, (select count(*)::integer from exported), $7::integer)
),
${settledPart}
select meter, taken,
       array(select contact_id from reveals
             where account_id = $1::bigint and mode = $2::text and contact_id = any ($10::bigint[])) as revealed
from balances`

/** Whether a charge failed because a meter would have passed its allowance. */
export function isAllowanceExceeded(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.constraint === 'usage_counters_within_allowance'
}

/** What a refused charge was about. */
export interface StandingQuestion {
  accountId: number
  mode: Mode
  periodStart: Date
  creditsPeriodStart: Date
  storeIds: number[]
  /** Contacts that were to be revealed. */
  contactIds: number[]
}

export interface StandingRow {
  rows_taken: number
  exports_taken: number
  credits_taken: number
  /** How many of the stores have not been exported in the period. */
  new_stores: number
  /** How many of the contacts the account has not revealed. */
  new_contacts: number
}

/** Where the meters of a refused charge stand now, to say what it lacked. */
export async function readStanding(db: Queryable, asked: StandingQuestion): Promise<StandingRow> {
  const { rows } = await db.query<StandingRow>({
    name: 'read_standing',
    text: `
select coalesce(sum(used + reserved) filter (where meter = 'search_rows'), 0)::integer as rows_taken,
       coalesce(sum(used + reserved) filter (where meter = 'store_exports'), 0)::integer as exports_taken,
       coalesce(sum(used + reserved) filter (where meter = 'contact_credits'), 0)::integer as credits_taken,
       cardinality($5::bigint[]) - (
         select count(*)::integer
         from store_exports
         where account_id = $1::bigint and mode = $2::text and period_start = $3::timestamptz
           and store_id = any ($5::bigint[])) as new_stores,
       cardinality($6::bigint[]) - (
         select count(*)::integer
         from reveals
         where account_id = $1::bigint and mode = $2::text and contact_id = any ($6::bigint[])) as new_contacts
from usage_counters
where account_id = $1::bigint and mode = $2::text
  and (meter, period_start) in (('search_rows', $3::timestamptz), ('store_exports', $3::timestamptz),
                                ('contact_credits', $4::timestamptz))`,
    values: [
      asked.accountId,
      asked.mode,
      asked.periodStart,
      asked.creditsPeriodStart,
      asked.storeIds,
      asked.contactIds,
    ],
  })
  return rows[0]!
}
