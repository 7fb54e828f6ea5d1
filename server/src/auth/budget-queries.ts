/** Statements on the budgets of keys and on what keys have spent. */
import type { Meter } from '../accounts/plans.ts'
import type { Queryable } from '../db/pool.ts'
import type { Budgets } from './budgets.ts'
import type { KeyRow } from './key-queries.ts'

/** SQL of the key under which the spending of a key is counted; null for a null key. */
export const counterKeySql = (keyId: string) =>
  `(select coalesce(k.counter_key_id, k.id) from api_keys k where k.id = ${keyId})`

/** Sets the budgets of a key, and of those it shares its counters with. The caller has locked the key. */
export async function updateBudgets(db: Queryable, key: KeyRow, budgets: Budgets): Promise<void> {
  await db.query(
    `
update api_keys
set budget_contact_credits = $3::integer, budget_store_exports = $4::integer, budget_search_rows = $5::integer
where account_id = $1::bigint and $2::bigint in (id, counter_key_id)`,
    [key.account_id, key.counter_key_id, budgets.contact_credits, budgets.store_exports, budgets.search_rows],
  )
}

export interface KeyCounterRow {
  key_id: number
  meter: Meter
  used: number
  reserved: number
}

/** What keys have used and reserved in the current periods of their account; nothing where nothing was counted. */
export async function selectKeyCounters(
  db: Queryable,
  query: { accountId: number; keyIds: number[]; periodStart: Date; creditsPeriodStart: Date },
): Promise<KeyCounterRow[]> {
  const { rows } = await db.query<KeyCounterRow>({
    name: 'select_key_counters',
    text: `
select key_id, meter, used, reserved
from key_counters
where account_id = $1::bigint and key_id = any ($2::bigint[])
  and (meter, period_start) in (('search_rows', $3::timestamptz), ('store_exports', $3::timestamptz),
                                ('contact_credits', $4::timestamptz))`,
    values: [query.accountId, query.keyIds, query.periodStart, query.creditsPeriodStart],
  })
  return rows
}
