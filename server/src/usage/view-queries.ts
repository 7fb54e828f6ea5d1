/** Rows that the console shows to a person: charged as search rows, and bounded by the hour of the person. */

import { isWindowOpenSql } from '../auth/queries.ts'
import { violatesConstraint } from '../db/failures.ts'
import type { Queryable } from '../db/pool.ts'
import { type DeliveryParts, metersCte, settlementCtes } from './charge-queries.ts'

/** The rows that a person may look at in a fixed hour, over all accounts. */
export const viewedRowsAllowance = 3_000

const isOpen = isWindowOpenSql('w.started_at', '$3::timestamptz', '1 hour')

/**
 * A view in one statement: it fetches the rows of a page, counts exactly those as search rows and in the person's hour,
 * and writes the ledger; it exports nothing. If the account or the person would exceed an allowance, a check constraint
 * fails the whole statement (`isAllowanceExceeded`, `isViewingExceeded`). Its parameters are those of `deliverySql`.
 */
export function viewSql({ delivered, answer }: Pick<DeliveryParts, 'delivered' | 'answer'>): string {
  return `
with delivered as materialized (${delivered}
),
spends (meter, period_start, amount, allowance, budget) as (
  values ('search_rows', $5::timestamptz, (select count(*)::integer from delivered), $11::integer, $12::integer),
         ('store_exports', $5::timestamptz, 0, $6::integer, $10::integer)
),
${settlementCtes},
-- The join makes the counters come first. Every view locks in this order, so that views cannot deadlock.
viewed as (
  insert into person_windows as w (person_id, started_at, rows_viewed, allowance)
  select $8::bigint, $3::timestamptz, s.amount, ${viewedRowsAllowance}
  from spends s
  join counted c on c.meter = s.meter
  on conflict (person_id) do update set
    started_at  = case when ${isOpen} then w.started_at else excluded.started_at end,
    rows_viewed = case when ${isOpen} then w.rows_viewed + excluded.rows_viewed else excluded.rows_viewed end,
    allowance   = excluded.allowance
),
${metersCte}
${answer}`
}

/** Whether a view failed because the person would have looked at too many rows this hour. */
export function isViewingExceeded(error: unknown): boolean {
  return violatesConstraint(error, ['person_windows_within_allowance'])
}

export interface PersonWindowRow {
  started_at: Date
  rows_viewed: number
}

/** Reads the hour of a person that is open at a time; undefined for none. */
export async function readPersonWindow(
  db: Queryable,
  personId: number,
  now: Date,
): Promise<PersonWindowRow | undefined> {
  const { rows } = await db.query<PersonWindowRow>({
    name: 'read_person_window',
    text: `
select started_at, rows_viewed
from person_windows
where person_id = $1::bigint and ${isWindowOpenSql('started_at', '$2::timestamptz', '1 hour')}`,
    values: [personId, now],
  })
  return rows[0]
}
