import { transact } from '../../db/pool.ts'
import { type LedgerRow, selectEntriesAfter } from '../ledger-queries.ts'
import { accountsPerPage, batchSize, type ClosingRun, inBatch, isStopped } from './batches.ts'
import { packEntries } from './packed-entries.ts'
import * as queries from './queries.ts'
import { periodName, sumByPeriod } from './sums.ts'

/** Packs the old entries of all accounts. */
export async function packAccounts(run: ClosingRun): Promise<void> {
  const { startedUntil } = run.ranges.entries
  for (let afterAccount = 0; ; ) {
    const wanted = { afterAccount, startedUntil, limit: accountsPerPage }
    const accounts = await queries.selectUnpackedAccounts(run.ctx.db, wanted)
    for (const accountId of accounts) {
      await packAccount(run, accountId)
      if (isStopped(run)) return
    }
    if (accounts.length === 0) return
    afterAccount = accounts.at(-1)!
  }
}

/** Walks an account's entries from the oldest on, until the periods that can be packed have none left. */
async function packAccount(run: ClosingRun, accountId: number): Promise<void> {
  const { db } = run.ctx
  const { startedUntil, spentBefore } = run.ranges.entries
  const unpacked = new Map<string, number>()
  for (const period of await queries.selectUnpackedPeriods(db, accountId, startedUntil))
    unpacked.set(periodName(period), period.unpacked)
  for (let entry = 0; unpacked.size > 0 && !isStopped(run); ) {
    const page = await selectEntriesAfter(db, { accountId, entry, range: {}, limit: batchSize })
    if (page.length === 0) return
    entry = page.at(-1)!.entry
    const rows = page.filter((row) => unpacked.has(periodName(row)) && row.spent_at < spentBefore)
    if (rows.length === 0) continue
    await inBatch(run, () => packRows(run, accountId, rows))
    for (const [name, { amount }] of sumByPeriod(rows)) {
      const left = unpacked.get(name)! - amount
      if (left > 0) unpacked.set(name, left)
      else unpacked.delete(name)
    }
  }
}

/** Moves entries into an archive, in one transaction. */
async function packRows({ ctx, closing }: ClosingRun, accountId: number, rows: readonly LedgerRow[]): Promise<void> {
  const packed = await packEntries(rows)
  await transact(ctx.db, async (client) => {
    const entries = rows.map((row) => row.entry)
    // Entries never change, so those that are still there are those that were read.
    if ((await queries.takeEntries(client, accountId, entries)) !== rows.length)
      throw new Error('entries of the ledger went away while they were packed')
    await queries.insertArchive(client, { accountId, rows, packedAt: ctx.now, ...packed })
    await queries.insertRollups(client, accountId, entries[0]!, [...sumByPeriod(rows).values()])
  })
  closing.entries += rows.length
  closing.archives++
}
