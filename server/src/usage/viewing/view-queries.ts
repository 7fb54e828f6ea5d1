/** Rows that the console shows to a person: charged as search rows, and bounded by the hour of the person. */

import { isWindowOpenSql } from '../../auth/queries.ts'
import { violatesConstraint } from '../../db/failures.ts'
import type { Queryable } from '../../db/pool.ts'
import type { Mode } from '../../kernel/ids.ts'
import { type DeliveryParts, metersCte, settlementCtes } from '../charge-queries.ts'

/** The rows that a person may look at in a fixed hour, over all accounts. */
export const viewedRowsAllowance = 3_000

const isOpen = isWindowOpenSql('w.started_at', '$3::timestamptz', '1 hour')
/** For so long after it was paid, the same page shows the same rows for nothing. */
const pageOpenFor = '10 minutes'
const isPageOpenSql = isWindowOpenSql('p.opened_at', '$3::timestamptz', pageOpenFor)

/**
 * A view in one statement: it fetches the rows of a page, counts them as search rows and in the person's hour, and writes the
 * ledger; it exports nothing. Rows that the same page has shown to the person within ten minutes are free. If the account or the
 * person would exceed an allowance, a check constraint fails the whole statement (`isAllowanceExceeded`, `isViewingExceeded`).
 * Its parameters are those of `deliverySql`, then the hash of the page.
 */
export function viewSql({ delivered, ownParameters, rowId, answer }: Omit<DeliveryParts, 'countsRows'>): string {
  return `
with delivered as materialized (${delivered}
),
-- The conflict locks the page, so that of two views at once the second one sees what the first one paid.
page as (
  insert into viewed_pages as p (account_id, mode, person_id, page_hash, opened_at, row_ids, paid_ids)
  select $1::bigint, $2::text, $8::bigint, $${13 + ownParameters}::bytea, $3::timestamptz, array_agg(${rowId}), '{}'::bigint[]
  from delivered
  having count(*) > 0
  on conflict (account_id, mode, person_id, page_hash) do update set
    opened_at = case when ${isPageOpenSql} then p.opened_at else excluded.opened_at end,
    row_ids   = excluded.row_ids,
    paid_ids  = case when ${isPageOpenSql} then p.row_ids else excluded.paid_ids end
  returning paid_ids
),
spends (meter, period_start, amount, allowance, budget) as (
  values ('search_rows', $5::timestamptz,
          (select count(*)::integer from delivered cross join page where ${rowId} <> all (paid_ids)), $11::integer, $12::integer),
         ('store_exports', $5::timestamptz, 0, $6::integer, $10::integer)
),
${settlementCtes},
-- The join makes the counters come first. Every view locks in this order, after its page, so that views cannot deadlock.
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
${metersCte("(select amount from spends where meter = 'search_rows') as rows_charged, ")}
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

interface ViewedPage {
  accountId: number
  mode: Mode
  personId: number | null
  page: Buffer
  now: Date
}

/** Whether the person has paid for this page within ten minutes. */
export async function isPageOpen(
  db: Queryable,
  { accountId, mode, now, personId, page }: ViewedPage,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'is_page_open',
    text: `
select from viewed_pages p
where p.account_id = $1::bigint and p.mode = $2::text and ${isPageOpenSql}
  and p.person_id = $4::bigint and p.page_hash = $5::bytea`,
    values: [accountId, mode, now, personId, page],
  })
  return rowCount === 1
}

/** Deletes the oldest pages that were opened before a time, about `batchSize` of them, and all after another; returns how many. */
export async function deletePagesBefore(
  db: Queryable,
  { before, after }: { before: Date; after: Date },
  batchSize: number,
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delete_viewed_pages',
    text: `
delete from viewed_pages
where opened_at <= least($1::timestamptz,
                         (select opened_at from viewed_pages order by opened_at offset $3::integer limit 1))
   or opened_at > $2::timestamptz`,
    values: [before, after, batchSize],
  })
  return rowCount ?? 0
}
