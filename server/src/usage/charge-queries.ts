import { type Budgets, noBudgets } from '../auth/budgets.ts'
import type { Caller } from '../auth/caller.ts'
import { violatesConstraint } from '../db/failures.ts'
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

/** What a charge counts for the key that spends: under which key, and its budgets. */
export interface KeyAccount {
  /** Null for a person. */
  counterKeyId: number | null
  budgets: Readonly<Budgets>
}

export function keyAccountOf({ key }: Pick<Caller, 'key'>): KeyAccount {
  return { counterKeyId: key?.counterKeyId ?? null, budgets: key?.budgets ?? noBudgets }
}

export interface Charge extends Spender, KeyAccount {
  accountId: number
  mode: Mode
  now: Date
  requestId: string
  periodStart: Date
  storeExportsAllowance: number
}

/**
 * The first parameters of every charge: $1 account, $2 mode, $3 now, $4 request, $5 period, $6 allowance of exports,
 * $7 key and $8 person, $9 the key that is counted and $10 its budget of exports.
 */
export function chargeValues(charge: Charge): unknown[] {
  const { accountId, mode, now, requestId, periodStart, storeExportsAllowance, keyId, personId } = charge
  const { counterKeyId, budgets } = charge
  return [
    ...[accountId, mode, now, requestId, periodStart, storeExportsAllowance, keyId, personId],
    ...[counterKeyId, budgets.store_exports],
  ]
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
 * SQL that counts `spends (meter, period_start, amount, allowance, budget)`, for the account and for the key, and writes the
 * ledger; `balances` are the used and reserved amounts afterwards, those of a key only where it has a budget. Counters come
 * last and in one order, so that they are locked briefly and cannot deadlock: the account's counter of a meter before the key's.
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
key_counted as (
  -- The join and the order make the account's counters come first.
  insert into key_counters as k (account_id, key_id, meter, period_start, used, budget)
  select $1::bigint, $9::bigint, s.meter, s.period_start, s.amount, s.budget
  from spends s
  join counted c on c.meter = s.meter
  where $9::bigint is not null
  order by s.meter
  on conflict (account_id, key_id, meter, period_start)
  do update set used = k.used + excluded.used, budget = excluded.budget
  returning meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
  select $1::bigint, $2::text, meter, period_start, amount, $4::text, $3::timestamptz, $7::bigint, $8::bigint
  from spends
  where amount > 0
),
balances as (
  select s.meter, coalesce(c.taken, b.used + b.reserved, 0) as taken,
         coalesce(kc.taken, kb.used + kb.reserved, 0) as key_taken
  from spends s
  left join counted c on c.meter = s.meter
  left join key_counted kc on kc.meter = s.meter
  left join usage_counters b
    on b.account_id = $1::bigint and b.mode = $2::text and b.meter = s.meter and b.period_start = s.period_start
  left join key_counters kb
    on s.budget is not null and kb.account_id = $1::bigint and kb.key_id = $9::bigint and kb.meter = s.meter
      and kb.period_start = s.period_start
)`

export interface DeliveryCharge extends Charge {
  searchRowsAllowance: number
  /** The page on which the rows are only shown to a person (`viewSql`); null where they are taken (`deliverySql`). */
  viewedPage: Buffer | null
}

/** Parameters 1 to 12 of a delivery: those of every charge, then the allowance of search rows and the key's budget of them. */
export function deliveryValues(charge: DeliveryCharge): unknown[] {
  return [...chargeValues(charge), charge.searchRowsAllowance, charge.budgets.search_rows]
}

/** Used and reserved amounts after a charge. */
export interface MetersTaken {
  rows_taken: number
  exports_taken: number
  /** Of the key, where it has a budget. */
  key_rows_taken: number
  key_exports_taken: number
  /** Of a view: the rows that were charged, without those that the page has shown to the person before. */
  rows_charged?: number
}

/** The meters of a row that has other columns too. */
export function pickMeters({
  rows_taken,
  exports_taken,
  key_rows_taken,
  key_exports_taken,
  rows_charged,
}: MetersTaken): MetersTaken {
  const taken = { rows_taken, exports_taken, key_rows_taken, key_exports_taken }
  return rows_charged === undefined ? taken : { ...taken, rows_charged }
}

export interface DeliveryParts {
  /** Selects the delivered rows, with `store_id`; its own parameters begin at $13. */
  delivered: string
  /** How many parameters of its own it has. */
  ownParameters: number
  /** The column that tells the rows of a page apart. */
  rowId: string
  /** Whether each taken row counts as a search row; each viewed one does. */
  countsRows: boolean
  /** The final select, from `delivered` and `meters`; `meters` is always one row of `MetersTaken`. */
  answer: string
}

/**
 * A delivery in one statement: it fetches the rows of a reply and charges for exactly those, writing exports, counters and
 * the ledger. If a meter would exceed its allowance, the check constraint fails the whole statement (`isAllowanceExceeded`).
 */
export function deliverySql({
  delivered,
  countsRows,
  answer,
}: Pick<DeliveryParts, 'delivered' | 'countsRows' | 'answer'>): string {
  return `
with delivered as materialized (${delivered}
),
${exportsCte('delivered')},
spends (meter, period_start, amount, allowance, budget) as (
  values ('search_rows', $5::timestamptz, ${countsRows ? '(select count(*)::integer from delivered)' : '0'}, $11::integer,
          $12::integer),
         ('store_exports', $5::timestamptz, (select count(*)::integer from exported), $6::integer, $10::integer)
),
${settlementCtes},
${metersCte()}
${answer}`
}

/** SQL for `meters`, one row of `MetersTaken`, with further columns. */
export const metersCte = (columns = '') => `
meters as (
  select ${columns}max(taken) filter (where meter = 'search_rows') as rows_taken,
         max(taken) filter (where meter = 'store_exports') as exports_taken,
         max(key_taken) filter (where meter = 'search_rows') as key_rows_taken,
         max(key_taken) filter (where meter = 'store_exports') as key_exports_taken
  from balances
)`

const allowanceConstraints = ['usage_counters_within_allowance', 'key_counters_within_budget']

/** Whether a charge failed because a meter would have exceeded its allowance, or a budget of the key. */
export function isAllowanceExceeded(error: unknown): boolean {
  return violatesConstraint(error, allowanceConstraints)
}

/** What a refused charge was for. */
export interface MeterBalancesQuery {
  accountId: number
  mode: Mode
  periodStart: Date
  creditsPeriodStart: Date
  counterKeyId: number | null
  /** Distinct. */
  storeIds: number[]
  /** Contacts to be revealed; distinct. */
  contactIds: number[]
}

export interface MeterBalancesRow {
  rows_taken: number
  exports_taken: number
  credits_taken: number
  key_rows_taken: number
  key_exports_taken: number
  key_credits_taken: number
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
       coalesce(sum(key_taken) filter (where meter = 'search_rows'), 0)::integer as key_rows_taken,
       coalesce(sum(key_taken) filter (where meter = 'store_exports'), 0)::integer as key_exports_taken,
       coalesce(sum(key_taken) filter (where meter = 'contact_credits'), 0)::integer as key_credits_taken,
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
-- The account counts whatever one of its keys does.
left join lateral (
  select k.used + k.reserved as key_taken
  from key_counters k
  where k.account_id = usage_counters.account_id and k.key_id = $7::bigint and k.meter = usage_counters.meter
    and k.period_start = usage_counters.period_start
) of_key on true
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
      query.counterKeyId,
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
