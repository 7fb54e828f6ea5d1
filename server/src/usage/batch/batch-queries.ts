/**
 * SQL that admits and charges several requests of one account in one statement: what all such statements share. One of
 * them is all or nothing. It changes nothing if `admitted` is empty, and fails as a whole if a meter would exceed its
 * allowance (`isAllowanceExceeded`).
 *
 * Every statement locks in this order, so that two of them cannot deadlock: the windows, then reveals, exports in
 * ascending order, the account's counters by meter, the keys' counters by key and meter.
 */

import type { Mode } from '../../kernel/ids.ts'
import { formatTime } from '../../kernel/time.ts'

/** What the requests of a batch have in common, and the arrays with a value for each of them. */
export interface BatchCharge {
  accountId: number
  mode: Mode
  accountVersion: string
  /** The keys of the batch, each once, with their versions. */
  keyIds: readonly number[]
  keyVersions: readonly string[]
  minuteLimit: number
  dayLimit: number
  /** When a new minute starts. */
  startedAt: Date
  /** The minute is open for all requests if it started after `openAfter`, and not after `openUntil`. */
  openAfter: Date
  openUntil: Date
  /** It is over for all requests if it did not start after `overUntil`, or started after `overAfter`. */
  overUntil: Date
  overAfter: Date
  /** The UTC day of all requests, and the last day that counts as open for them, as YYYY-MM-DD. */
  day: string
  lastOpenDay: string
  periodStart: Date
  storeExportsAllowance: number
  requestIds: readonly string[]
  spentAt: readonly Date[]
  requestKeyIds: readonly number[]
  counterKeyIds: readonly number[]
  exportsBudgets: readonly (number | null)[]
}

/** Parameters $1 to $21, in the order of the properties of `BatchCharge`. */
export function batchValues(batch: BatchCharge): unknown[] {
  return [
    batch.accountId,
    batch.mode,
    batch.accountVersion,
    arrayLiteral(batch.keyIds),
    arrayLiteral(batch.keyVersions),
    batch.minuteLimit,
    batch.dayLimit,
    batch.startedAt,
    batch.openAfter,
    batch.openUntil,
    batch.overUntil,
    batch.overAfter,
    batch.day,
    batch.lastOpenDay,
    batch.periodStart,
    batch.storeExportsAllowance,
    arrayLiteral(batch.requestIds),
    arrayLiteral(batch.spentAt.map(formatTime)),
    arrayLiteral(batch.requestKeyIds),
    arrayLiteral(batch.counterKeyIds),
    arrayLiteral(batch.exportsBudgets),
  ]
}

/** A PostgreSQL array of values without special characters; cheaper than what the driver does for any value. */
export function arrayLiteral(values: readonly (number | string | boolean | null)[]): string {
  let items = ''
  for (let index = 0; index < values.length; index++) items += `${index > 0 ? ',' : ''}${values[index] ?? 'NULL'}`
  return `{${items}}`
}

/** Columns of `batch` beside those that every batch has: parameter, an array with a value for each request → column. */
type RequestColumns = Record<string, string>

const requestIds = '$17::text[]'
const spendingTimes = '$18::timestamptz[]'
const keyIds = '$19::bigint[]'
const counterKeyIds = '$20::bigint[]'

/** SQL for the value that a request has in an array: cheaper than a join with `batch`. */
function ofRequest(array: string, request: string): string {
  return `(${array})[${request}]`
}

/** SQL for when a request spends, and for its key. */
export const spentAtOf = (request: string) => ofRequest(spendingTimes, request)
export const keyOf = (request: string) => ofRequest(keyIds, request)

const isMinuteOpen = '(w.minute_started_at > $9::timestamptz and w.minute_started_at <= $10::timestamptz)'
const isMinuteOver = '(w.minute_started_at <= $11::timestamptz or w.minute_started_at > $12::timestamptz)'
const isDayOpen = '(w.day between $13::date and $14::date)'
const requests = `cardinality(${requestIds})`

/**
 * SQL of three relations. `batch (request, request_id, spent_at, key_id, counter_key_id, exports_budget, …)`: a row for
 * each request, numbered from 1, with further columns of arrays such as `{ '$22::integer[]': 'rows_asked' }`.
 * `standing (is_current)`: whether the account and all keys are what the process took them for. `admitted`: the windows
 * with all requests of the batch counted; no row if that fails, or if `condition` does not hold. All that writes has to
 * join it.
 */
export function admittedCtes(columns: RequestColumns = {}, condition = 'true'): string {
  const arrays = [requestIds, spendingTimes, keyIds, counterKeyIds, '$21::integer[]']
  const names = ['request_id', 'spent_at', 'key_id', 'counter_key_id', 'exports_budget']
  return `
batch as materialized (
  select *
  from unnest(${[...arrays, ...Object.keys(columns)].join(', ')})
    with ordinality as each (${[...names, ...Object.values(columns)].join(', ')}, request)
),
standing as materialized (
  -- Beside the versions, what must never be wrong is read by itself.
  select exists (
           select 1 from accounts a
           where a.id = $1::bigint and hash_record_extended(a, 0) = $3::bigint and a.access_open)
         and cardinality($4::bigint[]) = (
           select count(*)
           from unnest($4::bigint[], $5::bigint[]) as known (id, version)
           join api_keys k on k.id = known.id
           where hash_record_extended(k, 0) = known.version and k.revoked_at is null and k.suspended_at is null)
         as is_current
),
admitted as (
  insert into request_windows as w (account_id, mode, minute_started_at, minute_used, day, day_used)
  select $1::bigint, $2::text, $8::timestamptz, ${requests}, $13::date, ${requests}
  from standing
  where is_current and ${requests} <= least($6::integer, $7::integer) and ${condition}
    -- Without room, nothing is written; the update below decides between concurrent batches.
    and not exists (
      select 1 from request_windows w
      where w.account_id = $1::bigint and w.mode = $2::text
        and (${isDayOpen} and w.day_used + ${requests} > $7::integer
             or ${isMinuteOpen} and w.minute_used + ${requests} > $6::integer
             or not ${isMinuteOpen} and not ${isMinuteOver}))
  on conflict (account_id, mode) do update set
    minute_started_at = case when ${isMinuteOpen} then w.minute_started_at else excluded.minute_started_at end,
    minute_used       = case when ${isMinuteOpen} then w.minute_used + excluded.minute_used else excluded.minute_used end,
    day               = case when ${isDayOpen} then w.day else excluded.day end,
    day_used          = case when ${isDayOpen} then w.day_used + excluded.day_used else excluded.day_used end
  where (${isMinuteOpen} and w.minute_used + excluded.minute_used <= $6::integer or ${isMinuteOver})
    and (not ${isDayOpen} or w.day_used + excluded.day_used <= $7::integer)
  returning minute_started_at, minute_used, day, day_used
)`
}

/**
 * SQL that inserts the exports of `export_firsts (store_id, request)`, in ascending order: which request of the batch has each
 * store first, and pays for it. `exported (store_id)` are the stores that are new in the period.
 */
export const batchExportsCte = `
exported as (
  insert into store_exports (account_id, mode, period_start, store_id, exported_at)
  select $1::bigint, $2::text, $15::timestamptz, f.store_id, ${spentAtOf('f.request')}
  from export_firsts f
  cross join admitted
  order by f.store_id
  on conflict do nothing
  returning store_id
)`

/** A statement has a text of its own for a batch of one request: nearly all of them, but under load. */
export interface BatchTexts {
  one: string
  several: string
}

export function textsFor(write: (isAlone: boolean) => string): BatchTexts {
  return { one: write(true), several: write(false) }
}

export function statementFor(
  name: string,
  texts: BatchTexts,
  { requestIds }: Pick<BatchCharge, 'requestIds'>,
): { name: string; text: string } {
  return requestIds.length === 1 ? { name: `${name}_alone`, text: texts.one } : { name, text: texts.several }
}

/** SQL for how many exports each request is the first to have. */
export function exportAmounts(isAlone: boolean): string {
  return isAlone ? amountOfOne('exported') : amountsOf('export_firsts', 'store_id', 'exported')
}

/**
 * SQL for `(request, amount)`: how many rows of `asked (request, id)` are in `done (id)`. A condition of an aggregate is looked up in
 * a hash table; a join of the two would compare each with each, because nothing is known of their sizes.
 */
export function amountsOf(asked: string, id: string, done: string): string {
  return `(
    select request, count(*) filter (where ${id} in (select ${id} from ${done}))::integer as amount
    from ${asked}
    group by request
  )`
}

/** The same if the batch has one request: a plan with less to start. */
export function amountOfOne(done: string): string {
  return `(select 1 as request, count(*)::integer as amount from ${done})`
}

/**
 * SQL that counts `spends (request, meter, period_start, amount, allowance, budget)`, for the account and for the keys, and
 * writes the ledger as if the requests had come one after the other. `balances (meter, taken)` and
 * `key_balances (counter_key_id, meter, taken)` are the used and reserved amounts afterwards; the latter only of keys with
 * a budget of the meter.
 */
export const batchSettlementCtes = `
counted as (
  insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
  select $1::bigint, $2::text, meter, period_start, sum(amount)::integer, max(allowance)
  from spends
  where amount > 0
  group by meter, period_start
  order by meter
  on conflict (account_id, mode, meter, period_start)
  do update set used = c.used + excluded.used, allowance = excluded.allowance
  returning meter, used + reserved as taken
),
key_counted as (
  -- The join and the order make the account's counters come first.
  insert into key_counters as k (account_id, key_id, meter, period_start, used, budget)
  select $1::bigint, ${ofRequest(counterKeyIds, 's.request')} as counter_key_id, s.meter, s.period_start, sum(s.amount)::integer,
         max(s.budget)
  from spends s
  join counted c on c.meter = s.meter
  where s.amount > 0
  group by counter_key_id, s.meter, s.period_start
  order by counter_key_id, s.meter
  on conflict (account_id, key_id, meter, period_start)
  do update set used = k.used + excluded.used, budget = excluded.budget
  returning key_id, meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
  select $1::bigint, $2::text, meter, period_start, amount, ${ofRequest(requestIds, 'request')}, ${spentAtOf('request')},
         ${keyOf('request')}, null
  from spends
  where amount > 0
  order by request
),
${balancesCtes()}`

/** The same for `spends` whose amounts are all 0: only the balances are read. */
export const freeSettlementCtes = `
counted as (
  select ''::text as meter, 0 as taken where false
),
key_counted as (
  select 0::bigint as key_id, ''::text as meter, 0 as taken where false
),
${balancesCtes()}`

function balancesCtes(): string {
  return `balances as (
  -- A share lock reads what was committed while this statement waited for the windows.
  select s.meter, coalesce(c.taken, (
           select u.used + u.reserved
           from usage_counters u
           where u.account_id = $1::bigint and u.mode = $2::text and u.meter = s.meter and u.period_start = s.period_start
           for share), 0) as taken
  from (select meter, max(period_start) as period_start from spends group by meter) s
  left join counted c on c.meter = s.meter
),
key_balances as (
  select s.counter_key_id, s.meter, coalesce(c.taken, (
           select k.used + k.reserved
           from key_counters k
           where k.account_id = $1::bigint and k.key_id = s.counter_key_id and k.meter = s.meter
             and k.period_start = s.period_start
           for share), 0) as taken
  from (select ${ofRequest(counterKeyIds, 'request')} as counter_key_id, meter, max(period_start) as period_start
        from spends
        where budget is not null
        group by counter_key_id, meter) s
  left join key_counted c on c.key_id = s.counter_key_id and c.meter = s.meter
)`
}

/** SQL columns of `AdmissionOutcome`, from `standing s` and `admitted a`. */
export const admissionColumns = `
       (extract(epoch from a.minute_started_at) * 1000)::bigint as minute_started_ms, a.minute_used, a.day, a.day_used,
       s.is_current`

/** SQL columns `…_taken` and `key_…_taken`: the balances of a meter, and those of keys as `key taken`, separated by commas. */
export function takenColumns(name: string, meter: string): string {
  return `
       (select taken from balances where meter = '${meter}') as ${name}_taken,
       (select string_agg(counter_key_id || ' ' || taken, ',') from key_balances where meter = '${meter}') as key_${name}_taken`
}

/**
 * SQL column that makes the commit asynchronous if nothing is charged: then only requests were counted, and a crash of
 * PostgreSQL may lose the last moments of those, as with `admit_request`.
 */
export const flushOnlyCharges = `case when not exists (select 1 from spends where amount > 0)
       then set_config('synchronous_commit', 'off', true) end as flushed`
