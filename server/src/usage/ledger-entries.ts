import type { Meter } from '../accounts/plans.ts'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { type LedgerRange, type LedgerRow, selectEntriesAfter } from './ledger-queries.ts'

/** One spend, as the operator's command line tells it. */
export interface LedgerEntry {
  spent_at: string
  mode: Mode
  meter: Meter
  amount: number
  period_start: string
  request_id: string
}

const pageSize = 2_000

/** All that an account spent, oldest first, a page at a time: nobody has to hold a million entries. */
export async function* readEntries(
  db: Queryable,
  accountId: number,
  range: LedgerRange,
): AsyncGenerator<LedgerEntry[], void, void> {
  for (let entry = 0; ; ) {
    const rows = await selectEntriesAfter(db, { accountId, entry, range, limit: pageSize })
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(entryOf)
    entry = last.entry
  }
}

function entryOf(row: LedgerRow): LedgerEntry {
  return {
    spent_at: row.spent_at.toISOString(),
    mode: row.mode,
    meter: row.meter,
    amount: row.amount,
    period_start: row.period_start.toISOString(),
    request_id: row.request_id,
  }
}
