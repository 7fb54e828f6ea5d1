import type { Limits } from '../accounts/plans.ts'
import type { TermsRow } from '../accounts/queries.ts'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { clockToleranceMs } from '../kernel/time.ts'

/** Who presents a key, and what is kept of the windows that the call counts to; missing where it does not count. */
export interface AdmissionRow extends TermsRow {
  key_id: number
  key_name: string
  mode: Mode
  scopes: string[]
  expires_at: Date | null
  revoked_at: Date | null
  suspended_at: Date | null
  account_id: number
  /** Whether this call passed the limits and was counted; the window figures include it then. */
  counted: boolean
  minute_started_at?: Date | null
  minute_used?: number | null
  day?: string | null
  day_used?: number | null
  hour_started_at?: Date | null
  hour_used?: number | null
  /** Periods of the last month with the search rows taken in each, when the route asked for them; null for none. */
  rows_period_starts?: Date[] | null
  rows_taken?: number[] | null
}

/** What every admission is asked with. */
export interface AdmissionInput {
  secretHash: Buffer
  now: Date
  scope: string
  /** Plan in force (with a `trial:` before it during a trial) → the limits that are counted, as JSON. */
  planLimitsJson: string
}

export interface RequestAdmissionInput extends AdmissionInput {
  /** The UTC day of `now`, as YYYY-MM-DD. */
  day: string
  readSearchRows: boolean
}

/**
 * Admission in one statement: reads the key with its account and counts the request in the minute and the day, unless
 * the key is unusable, a window is full, access is closed or the scope is missing; then nothing changes. It runs alone, as a
 * transaction whose commit nobody waits for: see `withoutWaiting`.
 */
export async function admitRequest(db: Queryable, question: RequestAdmissionInput): Promise<AdmissionRow | undefined> {
  const { rows } = await db.query<AdmissionRow>({
    name: 'admit_request',
    text: admitRequestSql,
    values: valuesOf(question),
  })
  return rows[0]
}

/**
 * The same for a billing link: access may be closed, and the hour of links must have room. It is not counted there yet:
 * only a link that comes to be is.
 */
export async function admitLinkRequest(
  db: Queryable,
  question: RequestAdmissionInput,
): Promise<AdmissionRow | undefined> {
  const { rows } = await db.query<AdmissionRow>({
    name: 'admit_link_request',
    text: admitLinkRequestSql,
    values: valuesOf(question),
  })
  return rows[0]
}

function valuesOf({ secretHash, now, scope, planLimitsJson, day, readSearchRows }: RequestAdmissionInput): unknown[] {
  return [secretHash, now, scope, planLimitsJson, day, readSearchRows]
}

/**
 * The key with its account, whether it may be used here, and the limits in force under the names given: key's hash,
 * moment, scope and plan limits are the parameters 1 to 4.
 */
export function presentedKeySql({ needsAccess, limits }: PresentedParts): string {
  const limitColumns = Object.entries(limits).map(
    ([column, meter]) =>
      `coalesce((a.limits ->> '${meter}')::integer, (p.figures ->> '${meter}')::integer) as ${column}`,
  )
  return `
presented as materialized (
  select k.id as key_id, k.name as key_name, k.mode, k.scopes, k.expires_at, k.revoked_at, k.suspended_at,
         a.id as account_id, a.plan, a.status, a.trial_started_at, a.trial_ends_at, a.period_anchor, a.limits,
         a.created_at, a.subscription_id, a.has_payment_method, a.plan_in_force, a.trialing, a.access_open,
         k.revoked_at is null and k.suspended_at is null and (k.expires_at is null or k.expires_at > $2::timestamptz)
           ${needsAccess ? 'and a.access_open ' : ''}and $3::text = any (k.scopes) as usable,
         ${limitColumns.join(',\n         ')}
  from api_keys k
  join accounts a on a.id = k.account_id
  cross join lateral (
    select $4::jsonb -> (case when a.trialing then 'trial:' || a.plan_in_force else a.plan_in_force end) as figures
  ) p
  where k.secret_hash = $1::bytea
)`
}

interface PresentedParts {
  needsAccess: boolean
  /** Column → limit. */
  limits: Record<string, keyof Limits>
}

const tolerance = `interval '${clockToleranceMs} milliseconds'`

/**
 * Whether a window that began at `startedAt` is open at `now`: it is not over, and its start is not further ahead than clocks
 * may be apart. `rateWindowAt` decides the same.
 */
export function isWindowOpenSql(startedAt: string, now: string, length: string): string {
  return `(${startedAt} > ${now} - interval '${length}' and ${startedAt} <= ${now} + ${tolerance})`
}

const isMinuteOpen = isWindowOpenSql('w.minute_started_at', '$2::timestamptz', '60 seconds')
/** The same for the UTC day, whose start is midnight. */
const isDayOpen = `(w.day between $5::date and (($2::timestamptz + ${tolerance}) at time zone 'UTC')::date)`

/** Counts a request in its minute and day, where it may be used and `condition` holds. */
const countedSql = (condition: string) => `
counted as (
  insert into request_windows as w (account_id, mode, minute_started_at, minute_used, day, day_used)
  select account_id, mode, $2::timestamptz, 1, $5::date, 1
  from presented p
  where usable and minute_limit > 0 and day_limit > 0 ${condition}
    -- What is full already is refused without a write; the update below decides between requests at once.
    and not exists (
      select from request_windows w
      where w.account_id = p.account_id and w.mode = p.mode
        and (${isDayOpen} and w.day_used >= p.day_limit or ${isMinuteOpen} and w.minute_used >= p.minute_limit))
  on conflict (account_id, mode) do update set
    minute_started_at = case when ${isMinuteOpen} then w.minute_started_at else excluded.minute_started_at end,
    minute_used       = case when ${isMinuteOpen} then w.minute_used + 1 else 1 end,
    day               = case when ${isDayOpen} then w.day else excluded.day end,
    day_used          = case when ${isDayOpen} then w.day_used + 1 else 1 end
  where (not ${isMinuteOpen} or w.minute_used < (select minute_limit from presented))
    and (not ${isDayOpen} or w.day_used < (select day_limit from presented))
  returning minute_started_at, minute_used, day, day_used
)`

const admittedColumns = `p.*, c.day_used is not null as counted,
       coalesce(c.minute_started_at, w.minute_started_at) as minute_started_at,
       coalesce(c.minute_used, w.minute_used) as minute_used,
       coalesce(c.day, w.day) as day,
       coalesce(c.day_used, w.day_used) as day_used,
       r.starts as rows_period_starts, r.taken as rows_taken`

const admittedFrom = `presented p
left join counted c on true
left join request_windows w on c.day_used is null and w.account_id = p.account_id and w.mode = p.mode
left join lateral (
  select array_agg(u.period_start) as starts, array_agg(u.used + u.reserved) as taken
  from usage_counters u
  where $6::boolean and u.account_id = p.account_id and u.mode = p.mode and u.meter = 'search_rows'
    and u.period_start > $2::timestamptz - interval '32 days'
) r on true`

const requestLimits = { minute_limit: 'requests_per_minute', day_limit: 'requests_per_day' } as const

/**
 * Lets this transaction's commit, and no other's, return before it is on disk. A crash of PostgreSQL can then forget the last
 * moments of counted requests. What is paid afterwards waits for its own commit, which brings all earlier ones to disk.
 */
const withoutWaiting = "set_config('synchronous_commit', 'off', true)"

const admitRequestSql = `
with ${presentedKeySql({ needsAccess: true, limits: requestLimits })},
${countedSql('')}
select ${admittedColumns}, ${withoutWaiting}
from ${admittedFrom}`

const roomForLinkSql = `and hour_limit > 0
    and not exists (
      select from billing_windows h
      where h.account_id = p.account_id and h.mode = p.mode and h.kind = 'billing_links'
        and ${isWindowOpenSql('h.started_at', '$2::timestamptz', '1 hour')} and h.used >= p.hour_limit)`

const admitLinkRequestSql = `
with ${presentedKeySql({ needsAccess: false, limits: { ...requestLimits, hour_limit: 'billing_links_per_hour' } })},
${countedSql(roomForLinkSql)}
select ${admittedColumns}, h.started_at as hour_started_at, h.used as hour_used
from ${admittedFrom}
left join billing_windows h on h.account_id = p.account_id and h.mode = p.mode and h.kind = 'billing_links'`

/**
 * Takes a counted request back out of its windows: a request that a quota refuses does not count. A window that has
 * been replaced since then is left alone.
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
