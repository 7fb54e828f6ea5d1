import type { Meter } from '../../accounts/plans.ts'
import type { Client } from '../../db/pool.ts'
import type { Mode } from '../../kernel/ids.ts'
import type { LedgerRange, LedgerRow } from '../ledger-queries.ts'
import * as queries from './archive-queries.ts'
import { selectArchivesAfter } from './archive-queries.ts'
import { formatPeriodKey, type PeriodSum, sumByPeriod, unpackEntries } from './packed-entries.ts'

/** A roll-up that its archive does not bear out. */
export interface ArchiveDifference {
  accountId: number
  mode: Mode
  meter: Meter
  period_start: string
  /** What the roll-up says. */
  ledger: number
  /** What the archive's entries add up to; null when it is missing, was changed or cannot be read. */
  archive: number | null
  first_entry: number
}

/**
 * Compares every archive with its digest and its roll-ups, a page at a time, in the client's transaction. Of one that the
 * operator dropped the number of entries is left to compare.
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
  // An archive without roll-ups is told as what it holds and is not counted.
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

/** What an archive's entries add up to; empty for a dropped one, null for one that is missing or cannot be trusted. */
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

const archivesPerPage = 20

/** The packed entries of an account, in their order, a page at a time. */
export async function* readArchivedRows(
  client: Client,
  accountId: number,
  range: LedgerRange,
): AsyncGenerator<LedgerRow[]> {
  // Archives can overlap where entries of one period lay between those of another: rows wait here for the next archive.
  let waiting: LedgerRow[] = []
  for (let firstEntry = 0; ; ) {
    const archives = await selectArchivesAfter(client, { accountId, firstEntry, range, limit: archivesPerPage })
    if (archives.length === 0) break
    for (const archive of archives) {
      firstEntry = archive.first_entry
      const ready = waiting.filter((row) => row.entry < archive.first_entry)
      const rows = (await unpackEntries(archive)).filter((row) => isWithin(range, row))
      waiting = [...waiting.slice(ready.length), ...rows].sort((a, b) => a.entry - b.entry)
      if (ready.length > 0) yield ready
    }
  }
  if (waiting.length > 0) yield waiting
}

function isWithin({ since, until }: LedgerRange, { spent_at }: LedgerRow): boolean {
  return (!since || spent_at >= since) && (!until || spent_at < until)
}
