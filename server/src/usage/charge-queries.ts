import pg from 'pg'
import type { Caller } from '../auth/caller.ts'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

/** Who spends: an API key or a person of the console; the other is null. */
export interface Spender {
  keyId: number | null
  personId: number | null
}

export function spenderOf({ key, personId }: Pick<Caller, 'key' | 'personId'>): Spender {
  return { keyId: key?.id ?? null, personId }
}

export interface Charge extends Spender {
  accountId: number
  mode: Mode
  now: Date
  requestId: string
  periodStart: Date
  storeExportsAllowance: number
}

/**
 * The first parameters of every charge: $1 account, $2 mode, $3 now, $4 request, $5 period, $6 allowance of exports,
 * $7 key and $8 person.
 */
export function chargeValues(charge: Charge): unknown[] {
  const { accountId, mode, now, requestId, periodStart, storeExportsAllowance, keyId, personId } = charge
  return [accountId, mode, now, requestId, periodStart, storeExportsAllowance, keyId, personId]
}

/**
 * SQL that inserts the exports of `source (store_id)`; `exported` are the stores that are new in the period. Every request
 * inserts them in ascending order, so that they cannot deadlock.
 */
export function exportsCte(source: string): string {
  return `
exported as (
  insert into store_exports (account_id, mode, period_start, store_id, exported_at)
  select $1::bigint, $2::text, $5::timestamptz, store_id, $3::timestamptz
  from (select distinct store_id from ${source}) as each_once
  order by store_id
  on conflict do nothing
  returning store_id
)`
}

/**
 * SQL that counts `spends (meter, period_start, amount, allowance)` and writes the ledger; `balances` are the used and
 * reserved amounts afterwards. Counters come last and in one order, so that they are locked briefly and cannot deadlock.
 */
export const settlementCtes = `
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
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
  select $1::bigint, $2::text, meter, period_start, amount, $4::text, $3::timestamptz, $7::bigint, $8::bigint
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
  searchRowsAllowance: number
  /** Whether the rows are only shown to a person (`viewSql`) instead of taken (`deliverySql`). */
  isView: boolean
}

/** Parameters 1 to 9 of a delivery: those of every charge, then the allowance of search rows. */
export function deliveryValues(charge: DeliveryCharge): unknown[] {
  return [...chargeValues(charge), charge.searchRowsAllowance]
}

/** Used and reserved amounts after a charge. */
export interface MetersTaken {
  rows_taken: number
  exports_taken: number
}

export interface DeliveryParts {
  /** Selects the delivered rows, with `store_id`; its own parameters begin at $10. */
  delivered: string
  /** Whether each taken row counts as a search row; each viewed one does. */
  countsRows: boolean
  /** The final select, from `delivered` and `meters`; `meters` is always one row of `MetersTaken`. */
  answer: string
}

/**
 * A delivery in one statement: it fetches the rows of a reply and charges for exactly those, writing exports, counters and
 * the ledger. If a meter would exceed its allowance, the check constraint fails the whole statement (`isAllowanceExceeded`).
 */
export function deliverySql({ delivered, countsRows, answer }: DeliveryParts): string {
  return `
with delivered as materialized (${delivered}
),
${exportsCte('delivered')},
spends (meter, period_start, amount, allowance) as (
  values ('search_rows', $5::timestamptz, ${countsRows ? '(select count(*)::integer from delivered)' : '0'}, $9::integer),
         ('store_exports', $5::timestamptz, (select count(*)::integer from exported), $6::integer)
),
${settlementCtes},
${metersCte}
${answer}`
}

/** SQL for `meters`, one row of `MetersTaken`. */
export const metersCte = `
meters as (
  select max(taken) filter (where meter = 'search_rows') as rows_taken,
         max(taken) filter (where meter = 'store_exports') as exports_taken
  from balances
)`

/** Whether a charge failed because a meter would have exceeded its allowance. */
export function isAllowanceExceeded(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.constraint === 'usage_counters_within_allowance'
}

/** What a refused charge was for. */
export interface MeterBalancesQuery {
  accountId: number
  mode: Mode
  periodStart: Date
  creditsPeriodStart: Date
  /** Distinct. */
  storeIds: number[]
  /** Contacts to be revealed; distinct. */
  contactIds: number[]
}

export interface MeterBalancesRow {
  rows_taken: number
  exports_taken: number
  credits_taken: number
  /** How many of the stores have not been exported in the period. */
  new_stores: number
  /** How many of the contacts the account has not revealed. */
  new_contacts: number
}

/** Reads the counters after a refused charge, to find what it lacked. */
export async function readMeterBalances(db: Queryable, query: MeterBalancesQuery): Promise<MeterBalancesRow> {
  const { rows } = await db.query<MeterBalancesRow>({
    name: 'read_meter_balances',
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
      query.accountId,
      query.mode,
      query.periodStart,
      query.creditsPeriodStart,
      query.storeIds,
      query.contactIds,
    ],
  })
  return rows[0]!
}

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
