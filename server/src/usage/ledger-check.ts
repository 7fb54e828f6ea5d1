import type { AccountsContext } from '../accounts/account.ts'
import type { Meter } from '../accounts/plans.ts'
import { type Client, transact } from '../db/pool.ts'
import type { IdSealer, Mode } from '../kernel/ids.ts'
import { readArchiveDifferences } from './closing/archives.ts'
import * as queries from './ledger-queries.ts'

export type { LedgerTotals } from './ledger-queries.ts'

/** A sum of the ledger and the one figure of three that should equal it. */
export interface LedgerDifference {
  account: string
  mode: Mode
  meter: Meter
  /** Null where all periods are added up. */
  period_start: string | null
  ledger: number
  counter?: number
  reveals?: number
  exports?: number
  /** What the entries of an archive add up to; null for one that is missing, was changed or cannot be read. */
  archive?: number | null
  /** Which archive of the account. */
  first_entry?: number
}

/**
 * Proves the ledger in one moment of the database: per account, mode, meter and period its entries add up to the
 * counter that allows and refuses; all credits spent equal the contacts revealed, and the exports of a period the
 * stores exported in it. What archives add up to counts as entries, and each archive that is still there has to hold
 * just that. The database adds up; `tell` is given what differs, a page at a time, within that moment.
 */
export function checkLedger<T>(
  { db, ids }: Pick<AccountsContext, 'db' | 'ids'>,
  tell: (totals: queries.LedgerTotals, differences: AsyncIterable<LedgerDifference[]>) => Promise<T>,
): Promise<T> {
  return transact(db, async (client) => {
    await queries.beginAudit(client)
    const totals = await queries.readLedgerTotals(client)
    await queries.openDifferences(client)
    return tell(totals, readDifferences(client, ids))
  })
}

async function* readDifferences(client: Client, ids: IdSealer): AsyncGenerator<LedgerDifference[], void, void> {
  for (;;) {
    const rows = await queries.fetchDifferences(client)
    if (rows.length === 0) break
    yield rows.map((row) => differenceOf(ids, row))
  }
  for await (const differences of readArchiveDifferences(client)) {
    yield differences.map(({ accountId, ...difference }) => ({
      account: ids.seal('account', accountId),
      ...difference,
    }))
  }
}

function differenceOf(ids: IdSealer, row: queries.LedgerDifferenceRow): LedgerDifference {
  return {
    account: ids.seal('account', row.account_id),
    mode: row.mode,
    meter: row.meter,
    period_start: row.period_start?.toISOString() ?? null,
    ledger: row.ledger,
    [row.against]: row.recorded,
  }
}
