import type { Client } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import type { Meter } from '../../accounts/plans.ts'
import type { EntriesAfter, LedgerRange, LedgerRow } from '../check-queries.ts'
import * as queries from './archive-queries.ts'
import { selectArchivesAfter } from './archive-queries.ts'
import { formatPeriodKey, type PeriodSum, sumByPeriod, unpackEntries } from './packed-entries.ts'

/** A roll-up that its archive contradicts. */
export interface ArchiveDifference {
  accountId: number
  mode: Mode
  meter: Meter
  period_start: string
  /** The roll-up's amount. */
  ledger: number
  /** The sum of the archive's entries; null if it is missing, was changed or cannot be read. */
  archive: number | null
  first_entry: number
}

/**
 * Compares every archive with its digest and its roll-ups, in the client's transaction. Of a dropped archive only the number
 * of entries can be compared.
 */
export async function* readArchiveDifferences(client: Client): AsyncGenerator<ArchiveDifference[], void, void> {
  await queries.openArchivesCursor(client)
  for (;;) {
    const archives = await queries.fetchArchives(client)
    if (archives.length === 0) return
    for (const archive of archives) {
      const differences = await compareArchive(archive)
      if (differences.length > 0) yield differences
    }
  }
}

async function compareArchive(row: queries.ArchiveWithRollupsRow): Promise<ArchiveDifference[]> {
  const found = await readSums(row)
  const rolledUp = row.rollups.reduce((sum, { entries }) => sum + entries, 0)
  const isWhole = found !== null && row.entries === rolledUp
  const rollups = row.rollups.map((rollup) => ({ ...rollup, period_start: new Date(rollup.period_start) }))
  // Sums of the archive without a roll-up are reported as differing from 0.
  const uncounted = [...(found?.values() ?? [])].filter(
    (sum) => !rollups.some((rollup) => formatPeriodKey(rollup) === formatPeriodKey(sum)),
  )
  return [...rollups, ...uncounted.map((sum) => ({ ...sum, amount: 0 }))].flatMap((rollup) => {
    const sum = found?.get(formatPeriodKey(rollup))
    if (isWhole && (row.packed === null || (sum?.amount === rollup.amount && sum.entries === rollup.entries))) return []
    const { mode, meter, period_start, amount } = rollup
    const archive = isWhole ? (sum?.amount ?? 0) : null
    const { account_id: accountId, first_entry } = row
    return [{ accountId, mode, meter, period_start: period_start.toISOString(), ledger: amount, archive, first_entry }]
  })
}

/** The sums of an archive's entries; empty if it was dropped, null if it is missing or damaged. */
async function readSums({
  entries,
  sha256,
  packed,
}: queries.ArchiveWithRollupsRow): Promise<Map<string, PeriodSum> | null> {
  if (entries === null || sha256 === null) return null
  if (packed === null) return new Map()
  const rows = await unpackEntries({ sha256, packed }).catch(() => null)
  return rows && sumByPeriod(rows)
}

const archivesPerPage = 5

/** Pages of an account's packed entries, in order. */
export async function* readArchivedRows(
  client: Client,
  { accountId, after, range }: EntriesAfter,
): AsyncGenerator<LedgerRow[]> {
  // Archives overlap if their periods did, so rows wait until the next archive is known to start after them.
  let held: LedgerRow[] = []
  for (let firstEntry = 0; ; ) {
    const archives = await selectArchivesAfter(client, {
      accountId,
      firstEntry,
      after,
      range,
      limit: archivesPerPage,
    })
    if (archives.length === 0) break
    for (const archive of archives) {
      firstEntry = archive.first_entry
      const ready = held.filter((row) => row.entry < archive.first_entry)
      const rows = (await unpackEntries(archive)).filter((row) => row.entry > after && isWithin(range, row))
      held = [...held.slice(ready.length), ...rows].sort((a, b) => a.entry - b.entry)
      if (ready.length > 0) yield ready
    }
  }
  if (held.length > 0) yield held
}

function isWithin({ since, until }: LedgerRange, { spent_at }: LedgerRow): boolean {
  return (!since || spent_at >= since) && (!until || spent_at < until)
}
