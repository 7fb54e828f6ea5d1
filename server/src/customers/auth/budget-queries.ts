/** Statements on the budgets of keys and on what keys have spent. */

import type { Queryable } from '../../foundation/db/pool.ts'
import type { Meter } from '../accounts/plans.ts'

/** SQL of the key under which the spending of a key is counted; null for a null key. */
export const counterKeySql = (keyId: string) =>
  `(select coalesce(k.counter_key_id, k.id) from api_keys k where k.id = ${keyId})`

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
