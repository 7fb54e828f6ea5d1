import { type Client, type Pool, transact } from '../../foundation/db/pool.ts'
import type { IdSealer, Mode } from '../../foundation/kernel/ids.ts'
import type { AccountsContext } from '../accounts/account.ts'
import type { Meter } from '../accounts/plans.ts'
import * as queries from './check-queries.ts'
import {
  beginSnapshotRead,
  type EntriesAfter,
  type LedgerRange,
  type LedgerRow,
  selectEntriesAfter,
} from './check-queries.ts'
import { readArchiveDifferences, readArchivedRows } from './closing/archives.ts'

/** A ledger entry, as the command line prints it. */
export interface LedgerEntry {
  spent_at: string
  mode: Mode
  meter: Meter
  amount: number
  period_start: string
  request_id: string
  /** Public ids of the key or the person that spent; both are null when that is unknown. */
  key: string | null
  person: string | null
}

export interface LedgerEntriesQuery extends LedgerRange {
  accountId: number
}

/** The most entries that are in memory, give or take a page. */
const pieceSize = 10_000

/**
 * The pages of an account's entries, oldest first, packed ones included. They are read in pieces, each in a snapshot of its own, so
 * that a slow reader holds no connection. At any moment an entry is either a row or in an archive, and pieces follow the numbers of
 * entries, so those packed meanwhile are neither missed nor read twice.
 */
export async function* readLedgerEntries(
  { db, ids }: { db: Pool; ids: IdSealer },
  { accountId, ...range }: LedgerEntriesQuery,
): AsyncGenerator<LedgerEntry[], void, void> {
  for (let after = 0; ; ) {
    const pages = await transact(db, async (client) => {
      await beginSnapshotRead(client)
      return readPiece(client, { accountId, after, range })
    })
    if (pages.length === 0) return
    for (const rows of pages) yield entriesOf(ids, rows)
    after = pages.at(-1)!.at(-1)!.entry
  }
}

async function readPiece(client: Client, query: EntriesAfter): Promise<LedgerRow[][]> {
  const pages: LedgerRow[][] = []
  let size = 0
  for await (const rows of mergePages(readArchivedRows(client, query), readRows(client, query))) {
    pages.push(rows)
    size += rows.length
    if (size >= pieceSize) break
  }
  return pages
}

const pageSize = 2_000

async function* readRows(client: Client, { accountId, after, range }: EntriesAfter): AsyncGenerator<LedgerRow[]> {
  for (let entry = after; ; ) {
    const rows = await selectEntriesAfter(client, { accountId, entry, range, limit: pageSize })
    if (rows.length === 0) return
    yield rows
    entry = rows.at(-1)!.entry
  }
}

/** Merges sequences of pages, each ordered by entry. Pages are not empty. */
async function* mergePages(...runs: AsyncGenerator<LedgerRow[]>[]): AsyncGenerator<LedgerRow[]> {
  const heads = new Map<AsyncGenerator<LedgerRow[]>, LedgerRow[]>()
  const refill = async (run: AsyncGenerator<LedgerRow[]>) => {
    const { value, done } = await run.next()
    if (done) heads.delete(run)
    else heads.set(run, value)
  }
  for (const run of runs) await refill(run)
  while (heads.size > 0) {
    // Every run has delivered its entries up to this one.
    const upTo = Math.min(...[...heads.values()].map((rows) => rows.at(-1)!.entry))
    const page: LedgerRow[] = []
    for (const [run, rows] of [...heads]) {
      const after = rows.findIndex((row) => row.entry > upTo)
      page.push(...(after < 0 ? rows : rows.slice(0, after)))
      if (after < 0) await refill(run)
      else heads.set(run, rows.slice(after))
    }
    yield page.sort((a, b) => a.entry - b.entry)
  }
}

function entriesOf(ids: IdSealer, rows: readonly LedgerRow[]): LedgerEntry[] {
  const keys = sealDistinct(ids, 'key', rows, (row) => row.key_id)
  const users = sealDistinct(ids, 'person', rows, (row) => row.person_id)
  return rows.map((row) => ({
    spent_at: row.spent_at.toISOString(),
    mode: row.mode,
    meter: row.meter,
    amount: row.amount,
    period_start: row.period_start.toISOString(),
    request_id: row.request_id,
    key: keys.get(row.key_id) ?? null,
    person: users.get(row.person_id) ?? null,
  }))
}

/** The public id of each different value; few spend, many times. */
function sealDistinct(
  ids: IdSealer,
  kind: 'key' | 'person',
  rows: readonly LedgerRow[],
  readId: (row: LedgerRow) => number | null,
): Map<number | null, string> {
  const values = [...new Set(rows.map(readId))].filter((value) => value !== null)
  const sealed = ids.sealMany(kind, values)
  return new Map(values.map((value, index) => [value, sealed[index]!]))
}

export type { LedgerTotals } from './check-queries.ts'

/**
 * A sum of the ledger, and the one of `counter`, `reveals`, `exports` and `archive` that should equal it; or what a counter has
 * reserved, and what running exports say they have. `key` is the key whose counter differs; without it, it is the account's.
 */
export interface LedgerDifference {
  account: string
  mode: Mode
  meter: Meter
  /** Null for a sum over all periods. */
  period_start: string | null
  ledger?: number
  counter?: number
  reveals?: number
  exports?: number
  reserved?: number
  exports_reserved?: number
  /** The key under which spending is counted: the first of a chain of rotations. */
  key?: string
  /** The sum of an archive's entries; null if it is missing, was changed or cannot be read. */
  archive?: number | null
  /** Identifies the account's archive. */
  first_entry?: number
}

/**
 * Checks the ledger in one snapshot of the database. Per account, mode, meter and period, the entries add up to the counter;
 * credits spent equal the contacts revealed, exports of a period the stores exported, and what is reserved is what running
 * exports have reserved; entries and reservations of a key add up to the key's counter. Roll-ups count as entries, and each
 * archive that was not dropped must add up to its roll-ups. Calls `report` with the pages of differences.
 */
export function checkLedger<T>(
  { db, ids }: Pick<AccountsContext, 'db' | 'ids'>,
  report: (totals: queries.LedgerTotals, differences: AsyncIterable<LedgerDifference[]>) => Promise<T>,
): Promise<T> {
  return transact(db, async (client) => {
    await queries.beginSnapshotRead(client)
    const totals = await queries.readLedgerTotals(client)
    await queries.openDifferencesCursor(client)
    return report(totals, readDifferences(client, ids))
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
    ...(row.key_id !== null && { key: ids.seal('key', row.key_id) }),
    ...figuresOf(row),
  }
}

function figuresOf({ against, ledger, recorded }: queries.LedgerDifferenceRow) {
  switch (against) {
    case 'reserved':
    case 'key_reserved':
      return { exports_reserved: ledger, reserved: recorded }
    case 'key_counter':
      return { ledger, counter: recorded }
    default:
      return { ledger, [against]: recorded }
  }
}
