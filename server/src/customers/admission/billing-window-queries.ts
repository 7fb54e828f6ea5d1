import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'
import type { BillingLimit } from '../auth/rate-limits.ts'
import { isWindowOpenSql } from '../ledger/window-queries.ts'

export interface BillingWindowRow {
  started_at: Date
  used: number
}

/** Whether the stored hour is still open; otherwise a new one starts. */
const isOpen = isWindowOpenSql('w.started_at', 'excluded.started_at', '1 hour')

/** Counts a billing status check in its hour; undefined if the hour is full, and then nothing is changed. */
export async function countStatusCheck(
  db: Queryable,
  { accountId, mode, now, limit }: { accountId: number; mode: Mode; now: Date; limit: number },
): Promise<BillingWindowRow | undefined> {
  if (limit <= 0) return undefined
  const { rows } = await db.query<BillingWindowRow>({
    name: 'count_status_check',
    text: `
insert into billing_windows as w (account_id, mode, kind, started_at, used, hour_limit)
values ($1::bigint, $2::text, 'billing_status', $3::timestamptz, 1, $4::integer)
on conflict (account_id, mode, kind) do update set
  started_at = case when ${isOpen} then w.started_at else excluded.started_at end,
  used       = case when ${isOpen} then w.used + 1 else 1 end,
  hour_limit = excluded.hour_limit
where not ${isOpen} or w.used < excluded.hour_limit
returning started_at, used`,
    values: [accountId, mode, now, limit],
  })
  return rows[0]
}

/** Identifies a billing hour. */
export interface BillingWindowKey {
  accountId: number
  mode: Mode
  kind: BillingLimit
}

/** A claim on a billing hour, which expires at `until`. */
export interface BillingWindowClaim extends BillingWindowKey {
  until: Date
}

/**
 * Claims one of the hour's `limit` until a given time. Returns false, with nothing claimed, when used and claimed ones
 * fill the limit; concurrent calls never exceed it. `now` is the start of the request, `claimedAt` the current time.
 */
export async function claimInBillingWindow(
  db: Queryable,
  { accountId, mode, kind, until }: BillingWindowClaim,
  { now, claimedAt, limit }: { now: Date; claimedAt: Date; limit: number },
): Promise<boolean> {
  if (limit <= 0) return false
  const latest = new Date(until.getTime() + clockToleranceMs)
  const { rowCount } = await db.query({
    name: 'claim_in_hour',
    text: `
insert into billing_windows as w (account_id, mode, kind, started_at, used, claimed_until)
values ($1::bigint, $2::text, $3::text, $4::timestamptz, 0, array[$5::timestamptz])
on conflict (account_id, mode, kind) do update set
  started_at    = case when ${isOpen} then w.started_at else excluded.started_at end,
  used          = case when ${isOpen} then w.used else 0 end,
  claimed_until = ${claimsUpTo('$5')} || $5::timestamptz || w.claimed_until[${countUpTo('$5')} + 1:${countUpTo('$8')}]
where case when ${isOpen} then w.used else 0 end + cardinality(${claimsUpTo('$8')}) < $7::integer`,
    values: [accountId, mode, kind, now, until, claimedAt, limit, latest],
  })
  return rowCount === 1
}

/** SQL for how many of the claims, which are in ascending order, expire at the time of a parameter or before. */
function countUpTo(parameter: string): string {
  return `width_bucket(${parameter}::timestamptz, w.claimed_until)`
}

/**
 * SQL for the claims that still hold at $6 and expire at the time of a parameter or before. All claims have the same
 * duration: one that expires much later than the new one was made by a wrong clock. Only immutable functions, for Citus.
 */
function claimsUpTo(parameter: string): string {
  return `w.claimed_until[${countUpTo('$6')} + 1:${countUpTo(parameter)}]`
}

/**
 * Ends a claim, and counts it when `isUsed`. Undefined when the claim had expired and its slot was taken by another:
 * then it does not count.
 */
export async function settleBillingClaim(
  db: Queryable,
  { accountId, mode, kind, until }: BillingWindowClaim,
  isUsed: boolean,
): Promise<BillingWindowRow | undefined> {
  const { rows } = await db.query<BillingWindowRow>({
    name: 'settle_claim',
    // Claims with the same expiry are interchangeable: remove one of them.
    text: `
update billing_windows
set used = used + $5::integer,
    claimed_until = claimed_until[:array_position(claimed_until, $4::timestamptz) - 1]
                 || claimed_until[array_position(claimed_until, $4::timestamptz) + 1:]
where account_id = $1::bigint and mode = $2::text and kind = $3::text and $4::timestamptz = any (claimed_until)
returning started_at, used`,
    values: [accountId, mode, kind, until, isUsed ? 1 : 0],
  })
  return rows[0]
}

export async function selectBillingWindow(
  db: Queryable,
  { accountId, mode, kind }: BillingWindowKey,
): Promise<BillingWindowRow | undefined> {
  const { rows } = await db.query<BillingWindowRow>(
    'select started_at, used from billing_windows where account_id = $1::bigint and mode = $2::text and kind = $3::text',
    [accountId, mode, kind],
  )
  return rows[0]
}
