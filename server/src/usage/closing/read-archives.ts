import type { Client } from '../../db/pool.ts'
import type { LedgerRange, LedgerRow } from '../ledger-queries.ts'
import { selectArchivesAfter } from './archive-queries.ts'
import { unpackEntries } from './packed-entries.ts'

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
