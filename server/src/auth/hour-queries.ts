import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { type AdmissionQuestion, type AdmissionRow, presentedSql } from './queries.ts'
import type { BillingLimit } from './windows.ts'

export interface HourRow {
  started_at: Date
  used: number
}

/** An hour that is still open goes on, another one opens; a full one changes nothing, and nothing is returned. */
const openOrGoOn = (limit: string) => `
on conflict (account_id, mode, kind) do update set
  started_at = case when w.started_at > excluded.started_at - interval '1 hour'
                    then w.started_at else excluded.started_at end,
  used       = case when w.started_at > excluded.started_at - interval '1 hour' then w.used + 1 else 1 end
where w.started_at <= excluded.started_at - interval '1 hour' or w.used < ${limit}
returning started_at, used`

/**
 * Admits a billing status check in one statement: reads the key with its account and counts the check in its hour, unless
 * the key is unusable, the hour is full or the scope is missing; then nothing changes.
 */
export async function admitStatusCheck(
  db: Queryable,
  { secretHash, now, scope, planLimitsJson }: AdmissionQuestion,
): Promise<AdmissionRow | undefined> {
  const { rows } = await db.query<AdmissionRow>({
    name: 'admit_status_check',
    text: admitStatusCheckSql,
    values: [secretHash, now, scope, planLimitsJson],
  })
  return rows[0]
}

const admitStatusCheckSql = `
with ${presentedSql({ needsAccess: false, limits: { hour_limit: 'billing_status_per_hour' } })},
counted as (
  insert into billing_windows as w (account_id, mode, kind, started_at, used)
  select account_id, mode, 'billing_status', $2::timestamptz, 1
  from presented p
  where usable and hour_limit > 0
    -- What is full already is refused without a write; the update below decides between checks at once.
    and not exists (
      select from billing_windows w
      where w.account_id = p.account_id and w.mode = p.mode and w.kind = 'billing_status'
        and w.started_at > $2::timestamptz - interval '1 hour' and w.used >= p.hour_limit)
  ${openOrGoOn('(select hour_limit from presented)')}
)
select p.*, c.used is not null as counted,
       coalesce(c.started_at, w.started_at) as hour_started_at,
       coalesce(c.used, w.used) as hour_used
from presented p
left join counted c on true
left join billing_windows w
  on c.used is null and w.account_id = p.account_id and w.mode = p.mode and w.kind = 'billing_status'`

/** Whose hour of what. */
export interface HourOf {
  accountId: number
  mode: Mode
  kind: BillingLimit
}

/** Takes one of an hour's `limit`; undefined, and nothing taken, when none is left. Calls at once never take more. */
export async function claimInHour(
  db: Queryable,
  { accountId, mode, kind, now, limit }: HourOf & { now: Date; limit: number },
): Promise<HourRow | undefined> {
  const { rows } = await db.query<HourRow>({
    name: 'claim_in_hour',
    text: `
insert into billing_windows as w (account_id, mode, kind, started_at, used)
select $1::bigint, $2::text, $3::text, $4::timestamptz, 1
where $5::integer > 0
${openOrGoOn('$5::integer')}`,
    values: [accountId, mode, kind, now, limit],
  })
  return rows[0]
}

/** Gives back what was claimed for nothing, to the hour that it was claimed in; one that is over is left alone. */
export async function giveBackToHour(
  db: Queryable,
  { accountId, mode, kind, startedAt }: HourOf & { startedAt: Date },
): Promise<void> {
  await db.query({
    name: 'give_back_to_hour',
    text: `
update billing_windows
set used = greatest(used - 1, 0)
where account_id = $1::bigint and mode = $2::text and kind = $3::text and started_at = $4::timestamptz`,
    values: [accountId, mode, kind, startedAt],
  })
}
