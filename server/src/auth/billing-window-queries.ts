import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { clockToleranceMs } from '../kernel/time.ts'
import { type AdmissionInput, type AdmissionRow, isWindowOpenSql, presentedKeySql } from './queries.ts'
import type { BillingLimit } from './rate-limits.ts'

export interface BillingWindowRow {
  started_at: Date
  used: number
}

/** Whether the stored hour is still open; otherwise a new one starts. */
const isOpen = isWindowOpenSql('w.started_at', 'excluded.started_at', '1 hour')

/**
 * Admits a billing status check in one statement: reads the key with its account and counts the check in its hour.
 * Changes nothing when the key is unusable, the hour is full or the scope is missing.
 */
export async function admitStatusCheck(
  db: Queryable,
  { secretHash, now, scope, planLimitsJson }: AdmissionInput,
): Promise<AdmissionRow | undefined> {
  const { rows } = await db.query<AdmissionRow>({
    name: 'admit_status_check',
    text: admitStatusCheckSql,
    values: [secretHash, now, scope, planLimitsJson],
  })
  return rows[0]
}

const admitStatusCheckSql = `
with ${presentedKeySql({ needsAccess: false, limits: { hour_limit: 'billing_status_per_hour' } })},
counted as (
  insert into billing_windows as w (account_id, mode, kind, started_at, used)
  select account_id, mode, 'billing_status', $2::timestamptz, 1
  from presented p
  where usable and hour_limit > 0
    -- A full hour is rejected without a write; the update below decides between concurrent checks.
    and not exists (
      select from billing_windows w
      where w.account_id = p.account_id and w.mode = p.mode and w.kind = 'billing_status'
        and ${isWindowOpenSql('w.started_at', '$2::timestamptz', '1 hour')} and w.used >= p.hour_limit)
  on conflict (account_id, mode, kind) do update set
    started_at = case when ${isOpen} then w.started_at else excluded.started_at end,
    used       = case when ${isOpen} then w.used + 1 else 1 end
  where not ${isOpen} or w.used < (select hour_limit from presented)
  returning started_at, used
)
select p.*, c.used is not null as counted,
       coalesce(c.started_at, w.started_at) as hour_started_at,
       coalesce(c.used, w.used) as hour_used
from presented p
left join counted c on true
left join billing_windows w
  on c.used is null and w.account_id = p.account_id and w.mode = p.mode and w.kind = 'billing_status'`

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
  const { rowCount } = await db.query({
    name: 'claim_in_hour',
    text: `
insert into billing_windows as w (account_id, mode, kind, started_at, used, claimed_until)
select $1::bigint, $2::text, $3::text, $4::timestamptz, 0, array[$5::timestamptz]
where $7::integer > 0
on conflict (account_id, mode, kind) do update set
  started_at    = case when ${isOpen} then w.started_at else excluded.started_at end,
  used          = case when ${isOpen} then w.used else 0 end,
  claimed_until = ${heldClaims} || $5::timestamptz
where case when ${isOpen} then w.used else 0 end + cardinality(${heldClaims}) < $7::integer`,
    values: [accountId, mode, kind, now, until, claimedAt, limit],
  })
  return rowCount === 1
}

// All claims have the same duration: one that expires much later than the new one was made by a wrong clock.
const heldClaims = `array(
    select held
    from unnest(w.claimed_until) as held
    where held > $6::timestamptz and held <= $5::timestamptz + interval '${clockToleranceMs} milliseconds')`

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
