import { transact } from '../../../foundation/db/pool.ts'
import { startOfMonthBefore } from '../../../foundation/kernel/time.ts'
import { beginSnapshotRead, type LedgerRow, selectEntriesAfter } from '../check-queries.ts'
import {
  accountsPerPage,
  batchSize,
  type ClosableRanges,
  type ClosingContext,
  type ClosingOptions,
  type ClosingResult,
  type ClosingRun,
  isStopped,
  readTrustedTime,
  runBatch,
  updateTrustedTime,
} from './closing-run.ts'
import { formatPeriodKey, packEntries, sumByPeriod } from './packed-entries.ts'
import * as packing from './packing-queries.ts'
import * as runQueries from './run-queries.ts'
import * as storeExports from './store-export-queries.ts'

/** Closes periods unless another process is doing so; null in that case. */
export async function closePeriodsExclusively(
  ctx: ClosingContext,
  options: ClosingOptions = {},
): Promise<ClosingResult | null> {
  const lockClient = await ctx.db.connect()
  try {
    if (!(await runQueries.tryLockClosing(lockClient))) return null
    return await closePeriods(ctx, options).finally(() => runQueries.unlockClosing(lockClient).catch(() => {}))
  } finally {
    // Closing the connection releases the lock in any case.
    lockClient.release(true)
  }
}

const dayMs = 86_400_000
/** The longest period plus two days, for clocks that differ and statements that commit late. */
const overAfterMs = 33 * dayMs

/**
 * Closes past periods: counts and drops their exports, and packs ledger entries older than `detailMonths`. Each batch is one
 * transaction that keeps all sums, so a run can be stopped at any time and works while requests are charged. A late charge
 * into a closed period is one more row, which the next run closes.
 */
async function closePeriods(ctx: ClosingContext, options: ClosingOptions = {}): Promise<ClosingResult> {
  const until = await updateTrustedTime(ctx.db, ctx.now)
  const closing: ClosingResult = { until, entries: 0, archives: 0, exports: 0, unbalanced: 0 }
  if (!until) return closing
  const run: ClosingRun = { ctx, closing, ranges: rangesOf(until, ctx.detailMonths), options }
  await closeExports(run)
  await packAccounts(run)
  return closing
}

/** What `closePeriods` would do now; changes nothing. */
export async function previewClosing({ db, now, detailMonths }: ClosingContext): Promise<ClosingResult> {
  const until = await readTrustedTime(db, now)
  const none: ClosingResult = { until, entries: 0, archives: 0, exports: 0, unbalanced: 0 }
  if (!until) return none
  return transact(db, async (client) => {
    await beginSnapshotRead(client)
    return { ...none, ...(await runQueries.countClosable(client, rangesOf(until, detailMonths))) }
  })
}

function rangesOf(until: Date, detailMonths: number): ClosableRanges {
  const startedUntil = (time: Date) => new Date(time.getTime() - overAfterMs)
  // Whole months, so that an account's entries are packed once a month instead of a few every day.
  const spentBefore = startOfMonthBefore(until, detailMonths)
  return {
    entries: { startedUntil: startedUntil(spentBefore), spentBefore },
    exports: { startedUntil: startedUntil(until), newestStartedUntil: startedUntil(spentBefore) },
  }
}

async function closeExports(run: ClosingRun): Promise<void> {
  const { ctx, closing, ranges } = run
  for (let afterAccount = 0; ; ) {
    const wanted = { afterAccount, range: ranges.exports, limit: accountsPerPage }
    const periods = await storeExports.selectClosableExports(ctx.db, wanted)
    for (const period of periods) {
      if (isStopped(run)) return
      if (await storeExports.exportsMatchCounter(ctx.db, period)) await dropExports(run, period)
      else closing.unbalanced++
      afterAccount = period.account_id
    }
    if (periods.length === 0) return
  }
}

async function dropExports(run: ClosingRun, period: storeExports.ExportPeriod): Promise<void> {
  for (let dropped = batchSize; dropped === batchSize && !isStopped(run); ) {
    dropped = await runBatch(run, async () => {
      const batch = { closedAt: run.ctx.now, limit: batchSize }
      const count = await transact(run.ctx.db, (client) => storeExports.dropExports(client, period, batch))
      run.closing.exports += count
      return count
    })
  }
}

/** Packs the old entries of all accounts. */
async function packAccounts(run: ClosingRun): Promise<void> {
  const { startedUntil } = run.ranges.entries
  for (let afterAccount = 0; ; ) {
    const wanted = { afterAccount, startedUntil, limit: accountsPerPage }
    const accounts = await packing.selectUnpackedAccounts(run.ctx.db, wanted)
    for (const accountId of accounts) {
      await packAccount(run, accountId)
      if (isStopped(run)) return
    }
    if (accounts.length === 0) return
    afterAccount = accounts.at(-1)!
  }
}

/** Packs an account's entries, oldest first, until the packable periods have none left. */
async function packAccount(run: ClosingRun, accountId: number): Promise<void> {
  const { db } = run.ctx
  const { startedUntil, spentBefore } = run.ranges.entries
  const unpacked = new Map<string, number>()
  for (const period of await packing.selectUnpackedPeriods(db, accountId, startedUntil))
    unpacked.set(formatPeriodKey(period), period.unpacked)
  for (let entry = 0; unpacked.size > 0 && !isStopped(run); ) {
    const page = await selectEntriesAfter(db, { accountId, entry, range: {}, limit: batchSize })
    if (page.length === 0) return
    entry = page.at(-1)!.entry
    const rows = page.filter((row) => unpacked.has(formatPeriodKey(row)) && row.spent_at < spentBefore)
    if (rows.length === 0) continue
    await runBatch(run, () => packRows(run, accountId, rows))
    for (const [name, { amount }] of sumByPeriod(rows)) {
      const remaining = unpacked.get(name)! - amount
      if (remaining > 0) unpacked.set(name, remaining)
      else unpacked.delete(name)
    }
  }
}

/** Moves entries into an archive, in one transaction. */
async function packRows({ ctx, closing }: ClosingRun, accountId: number, rows: readonly LedgerRow[]): Promise<void> {
  const packed = await packEntries(rows)
  await transact(ctx.db, async (client) => {
    const entries = rows.map((row) => row.entry)
    // Entries never change: if all are still there, they are as they were read.
    if ((await packing.deleteLedgerEntries(client, accountId, entries)) !== rows.length)
      throw new Error('ledger entries disappeared while they were being packed')
    await packing.insertArchive(client, { accountId, rows, packedAt: ctx.now, ...packed })
    await packing.insertRollups(client, accountId, entries[0]!, [...sumByPeriod(rows).values()])
    await packing.addPackedOfKeys(client, accountId, rows)
  })
  closing.entries += rows.length
  closing.archives++
}
