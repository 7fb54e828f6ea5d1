import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { TermsRow } from '../accounts/queries.ts'
import type { BudgetColumns } from '../auth/budgets.ts'
import type { BillingLimit } from '../auth/rate-limits.ts'

/** A key with its account, and the windows of its requests; a window is null before its first request. */
export interface PresentedKeyRow extends TermsRow, BudgetColumns {
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
  minute_started_at: Date | null
  minute_used: number | null
  day: string | null
  day_used: number | null
  hour_started_at: Date | null
  hour_used: number | null
}

/** Reads the key of a request; `hour` names the billing calls whose hour is read too. Undefined for an unknown key. */
export async function readKey(
  db: Queryable,
  { secretHash, accountId, hour }: { secretHash: Buffer; accountId: number; hour: BillingLimit | null },
): Promise<PresentedKeyRow | undefined> {
  const { rows } = await db.query<PresentedKeyRow>({
    name: 'read_key',
    text: `
with presented as materialized (
  select k.id as key_id, k.name as key_name, k.mode, k.scopes, k.expires_at, k.revoked_at,
         k.suspended_at as key_suspended_at, coalesce(k.counter_key_id, k.id) as counter_key_id,
         k.budget_contact_credits, k.budget_store_exports, k.budget_search_rows,
         a.id as account_id, a.plan, a.status, a.trial_started_at, a.trial_ends_at, a.period_anchor, a.limits,
         a.created_at, a.subscription_id, a.has_payment_method, a.plan_in_force, a.trialing, a.access_open,
         a.suspended_at, a.closed_at,
         hash_record_extended(k, 0)::text as key_version, hash_record_extended(a, 0)::text as account_version
  from api_keys k
  join accounts a on a.id = k.account_id
  where k.secret_hash = $1::bytea
), windows as materialized (
  -- Windows are found by the account, before the key is read.
  select minute_started_at, minute_used, day, day_used
  from request_windows
  where account_id = $2::bigint and mode = (select mode from presented)
), hour as materialized (
  select started_at, used
  from billing_windows
  where account_id = $2::bigint and mode = (select mode from presented) and kind = $3::text
)
select p.*, w.minute_started_at, w.minute_used, w.day, w.day_used, h.started_at as hour_started_at, h.used as hour_used
from presented p
left join windows w on true
left join hour h on true`,
    values: [secretHash, accountId, hour],
  })
  return rows[0]
}
