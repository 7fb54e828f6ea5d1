import type { Limits } from '../accounts/plans.ts'
import type { TermsRow } from '../accounts/queries.ts'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { clockToleranceMs } from '../kernel/time.ts'
import type { BudgetColumns } from './budgets.ts'
import type { BillingLimit } from './rate-limits.ts'

/** The key and account of a request, and the windows it counts towards; fields of other windows are missing. */
export interface AdmissionRow extends TermsRow, BudgetColumns {
  key_id: number
  key_name: string
  mode: Mode
  scopes: string[]
  expires_at: Date | null
  revoked_at: Date | null
  key_suspended_at: Date | null
  counter_key_id: number
  account_id: number
  /** Hashes of the two rows, which change with every column of them; a bigint each, as text. */
  key_version: string
  account_version: string
  /** Whether this call was admitted and counted; the windows then include it. */
  counted: boolean
  minute_started_at?: Date | null
  minute_used?: number | null
  day?: string | null
  day_used?: number | null
  hour_started_at?: Date | null
  hour_used?: number | null
  /** Recent periods with the search rows used in each, when the route needs them; null for none. */
  rows_period_starts?: Date[] | null
  rows_taken?: number[] | null
  /** The same of a key with a budget of search rows. */
  key_rows_period_starts?: Date[] | null
  key_rows_taken?: number[] | null
}

/** Input of every admission statement. */
export interface AdmissionInput {
  secretHash: Buffer
  /** The key's account. Windows and counters are found by it before the key is read. */
  accountId: number
  now: Date
  scope: string
  /** JSON object: plan in force (prefixed with `trial:` during a trial) → its rate limits. */
  planLimitsJson: string
}

export interface RequestAdmissionInput extends AdmissionInput {
  /** The UTC day of `now`, as YYYY-MM-DD. */
  day: string
  readSearchRows: boolean
}

/**
 * Admits a request in one statement: reads the key with its account and counts the request in the minute and the day. For a search
 * it also reads the search rows used. Changes nothing when the key is unusable, a window is full, access is closed or the scope
 * is missing. It is its own transaction, whose commit is not flushed to disk at once: see `asynchronousCommit`.
 */
export async function admitRequest(db: Queryable, input: RequestAdmissionInput): Promise<AdmissionRow | undefined> {
  const statement = input.readSearchRows
    ? { name: 'admit_search', text: admitSearchSql }
    : { name: 'admit_request', text: admitRequestSql }
  const { rows } = await db.query<AdmissionRow>({ ...statement, values: valuesOf(input) })
  return rows[0]
}

/**
 * Admits a request for a billing link: access may be closed, and the hour of links must have room. The hour is not
 * counted here, because only created links count.
 */
export async function admitLinkRequest(db: Queryable, input: RequestAdmissionInput): Promise<AdmissionRow | undefined> {
  const { rows } = await db.query<AdmissionRow>({
    name: 'admit_link_request',
    text: admitLinkRequestSql,
    values: valuesOf(input),
  })
  return rows[0]
}

export interface MessageAdmissionInput extends Omit<RequestAdmissionInput, 'scope' | 'readSearchRows'> {
  /** How many messages count; may be 0. */
  messages: number
}

/**
 * Admits messages to `/mcp` in one statement: counts them in the minute, all or none, and not in the day. Needs no scope. With
 * no message to count it reads only, and `counted` is false.
 */
export async function admitMessages(db: Queryable, input: MessageAdmissionInput): Promise<AdmissionRow | undefined> {
  const { secretHash, now, planLimitsJson, accountId, day, messages } = input
  const { rows } = await db.query<AdmissionRow>({
    name: 'admit_messages',
    text: admitMessagesSql,
    values: [secretHash, now, null, planLimitsJson, accountId, day, messages],
  })
  return rows[0]
}

function valuesOf(input: RequestAdmissionInput): unknown[] {
  const { secretHash, now, scope, planLimitsJson, accountId, day } = input
  return [secretHash, now, scope, planLimitsJson, accountId, day]
}

/**
 * SQL of the key with its account, whether it is usable here, and the limits in force under the given names. Parameters
 * 1 to 5 of a statement with it: key hash, time, scope, plan limits, and the account's id.
 */
export function presentedKeySql({ needsAccess, needsScope = true, limits }: PresentedParts): string {
  const limitColumns = Object.entries(limits).map(
    ([column, meter]) =>
      `coalesce((a.limits ->> '${meter}')::integer, (p.figures ->> '${meter}')::integer) as ${column}`,
  )
  return `
presented as materialized (
  select k.id as key_id, k.name as key_name, k.mode, k.scopes, k.expires_at, k.revoked_at,
         k.suspended_at as key_suspended_at, coalesce(k.counter_key_id, k.id) as counter_key_id,
         k.budget_contact_credits, k.budget_store_exports, k.budget_search_rows,
         a.id as account_id, a.plan, a.status, a.trial_started_at, a.trial_ends_at, a.period_anchor, a.limits,
         a.created_at, a.subscription_id, a.has_payment_method, a.plan_in_force, a.trialing, a.access_open,
         a.suspended_at, a.closed_at,
         k.revoked_at is null and k.suspended_at is null and (k.expires_at is null or k.expires_at > $2::timestamptz)
           ${needsAccess ? 'and a.access_open ' : ''}and ${needsScope ? '$3::text = any (k.scopes)' : '$3::text is null'} as usable,
         hash_record_extended(k, 0)::text as key_version, hash_record_extended(a, 0)::text as account_version,
         ${limitColumns.join(',\n         ')}
  from api_keys k
  join accounts a on a.id = k.account_id
  cross join lateral (
    select $4::jsonb -> (case when a.trialing then 'trial:' || a.plan_in_force else a.plan_in_force end) as figures
  ) p
  where k.secret_hash = $1::bytea
)`
}

/** SQL of the stored hour of one kind of billing call, under a name; no row before the first one. */
export function hourSql(name: string, kind: BillingLimit): string {
  return `
${name} as materialized (
  select started_at, used
  from billing_windows
  where account_id = $5::bigint and mode = (select mode from presented) and kind = '${kind}'
)`
}

interface PresentedParts {
  needsAccess: boolean
  /** False for what any key may do; parameter 3 is then null. */
  needsScope?: boolean
  /** Column → limit. */
  limits: Record<string, keyof Limits>
}

const tolerance = `interval '${clockToleranceMs} milliseconds'`

/**
 * SQL condition: whether a window that began at `startedAt` is open at `now`. It is closed when it is over, or starts
 * further ahead than clocks may differ. `rateWindowAt` decides the same. The difference of two times is immutable, where a
 * time plus an interval is not: Citus takes only immutable functions in `on conflict do update`.
 */
export function isWindowOpenSql(startedAt: string, now: string, length: string): string {
  return `(${now} - ${startedAt} < interval '${length}' and ${now} - ${startedAt} >= - ${tolerance})`
}

const isMinuteOpen = isWindowOpenSql('w.minute_started_at', '$2::timestamptz', '60 seconds')
/** The same for the UTC day, which starts at midnight. */
const isDayOpen = `(w.day between $6::date and (($2::timestamptz at time zone 'UTC') + ${tolerance})::date)`

/** How much a call counts to its minute and its day, as SQL, and what else has to hold. */
interface Counted {
  minute?: string
  day?: string
  condition?: string
}

/**
 * SQL that counts a call in its minute and day, when the key is usable and `condition` holds. The row to insert carries the
 * limits, so that the update compares with them.
 */
const countedSql = ({ minute = '1', day = '1', condition = '' }: Counted = {}) => `
windows as materialized (
  select minute_started_at, minute_used, day, day_used
  from request_windows
  where account_id = $5::bigint and mode = (select mode from presented)
),
counted as (
  insert into request_windows as w
    (account_id, mode, minute_started_at, minute_used, day, day_used, minute_limit, day_limit)
  select $5::bigint, mode, $2::timestamptz, ${minute}, $6::date, ${day}, minute_limit, day_limit
  from presented p
  where usable and ${minute} between 1 and minute_limit and ${day} <= day_limit ${condition}
    -- A full window is rejected without a write; the update below decides between concurrent requests.
    and not exists (
      select 1 from windows w
      where ${isDayOpen} and w.day_used + ${day} > p.day_limit or ${isMinuteOpen} and w.minute_used + ${minute} > p.minute_limit)
  on conflict (account_id, mode) do update set
    minute_started_at = case when ${isMinuteOpen} then w.minute_started_at else excluded.minute_started_at end,
    minute_used       = case when ${isMinuteOpen} then w.minute_used else 0 end + excluded.minute_used,
    day               = case when ${isDayOpen} then w.day else excluded.day end,
    day_used          = case when ${isDayOpen} then w.day_used else 0 end + excluded.day_used,
    minute_limit      = excluded.minute_limit,
    day_limit         = excluded.day_limit
  where (not ${isMinuteOpen} or w.minute_used + excluded.minute_used <= excluded.minute_limit)
    and (not ${isDayOpen} or w.day_used + excluded.day_used <= excluded.day_limit)
  returning minute_started_at, minute_used, day, day_used
)`

/** SQL of the search rows of the account and of the key, by period. */
const searchRowsSql = `
search_rows as materialized (
  select array_agg(period_start) as starts, array_agg(used + reserved) as taken
  from usage_counters
  where account_id = $5::bigint and mode = (select mode from presented) and meter = 'search_rows'
    and period_start > $2::timestamptz - interval '32 days'
),
key_search_rows as materialized (
  select array_agg(period_start) as starts, array_agg(used + reserved) as taken
  from key_counters
  where account_id = $5::bigint and meter = 'search_rows'
    and key_id = (select counter_key_id from presented where budget_search_rows is not null)
    and period_start > $2::timestamptz - interval '32 days'
)`

const admittedColumns = `p.*, c.day_used is not null as counted,
       coalesce(c.minute_started_at, w.minute_started_at) as minute_started_at,
       coalesce(c.minute_used, w.minute_used) as minute_used,
       coalesce(c.day, w.day) as day,
       coalesce(c.day_used, w.day_used) as day_used`

const searchRowsColumns = `r.starts as rows_period_starts, r.taken as rows_taken,
       b.starts as key_rows_period_starts, b.taken as key_rows_taken`

const admittedFrom = `presented p
left join counted c on true
left join windows w on c.day_used is null`

const requestLimits = { minute_limit: 'requests_per_minute', day_limit: 'requests_per_day' } as const

/**
 * Makes the commit of this transaction asynchronous. A crash of PostgreSQL can lose the last moments of counted
 * requests. Paid work waits for its own commit, which flushes all earlier ones.
 */
const asynchronousCommit = "set_config('synchronous_commit', 'off', true)"

const admitRequestSql = `
with ${presentedKeySql({ needsAccess: true, limits: requestLimits })},
${countedSql()}
select ${admittedColumns}, ${asynchronousCommit}
from ${admittedFrom}`

const admitSearchSql = `
with ${presentedKeySql({ needsAccess: true, limits: requestLimits })},
${countedSql()},
${searchRowsSql}
select ${admittedColumns}, ${searchRowsColumns}, ${asynchronousCommit}
from ${admittedFrom}
cross join search_rows r
cross join key_search_rows b`

/** Parameter 7 is the number of messages. The day gets none of them: it counts the calls that they make. */
const admitMessagesSql = `
with ${presentedKeySql({ needsAccess: true, needsScope: false, limits: requestLimits })},
${countedSql({ minute: '$7::integer', day: '0' })}
select ${admittedColumns}, ${asynchronousCommit}
from ${admittedFrom}`

const roomForLinkSql = `and hour_limit > 0
    and not exists (
      select 1 from link_hour h
      where ${isWindowOpenSql('h.started_at', '$2::timestamptz', '1 hour')} and h.used >= p.hour_limit)`

const admitLinkRequestSql = `
with ${presentedKeySql({ needsAccess: false, limits: { ...requestLimits, hour_limit: 'billing_links_per_hour' } })},
${hourSql('link_hour', 'billing_links')},
${countedSql({ condition: roomForLinkSql })}
select ${admittedColumns}, h.started_at as hour_started_at, h.used as hour_used
from ${admittedFrom}
left join link_hour h on true`

/**
 * Removes a counted request from its windows, when a quota rejects it. A window that has been replaced since is left
 * alone.
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
