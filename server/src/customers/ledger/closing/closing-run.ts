import { setTimeout as delay } from 'node:timers/promises'
import { type Pool, transact } from '../../../foundation/db/pool.ts'
import type { PackableRange } from './packing-queries.ts'
import * as queries from './run-queries.ts'
import type { ExportRange } from './store-export-queries.ts'

export interface ClosingContext {
  /** A pool of the owner role. */
  db: Pool
  now: Date
  /** For how many months entries stay rows. */
  detailMonths: number
}

export interface ClosingOptions {
  stop?: AbortSignal
  /** Pause after a batch, in multiples of its duration, which leaves the database to others. */
  rest?: number
  onProgress?(progress: ClosingProgress): void
}

export interface ClosingProgress {
  /** Packed entries, and the archives that hold them. */
  entries: number
  archives: number
  /** Dropped exports. */
  exports: number
}

export interface ClosingResult extends ClosingProgress {
  /** Periods over at this time were closed; null if the clock was not yet read on another day. */
  until: Date | null
  /** Periods whose exports were kept, because their number differs from the counter. */
  unbalanced: number
}

/** Rows of one transaction. */
export const batchSize = 2_000
export const accountsPerPage = 100

/** What can be closed. */
export interface ClosableRanges {
  entries: PackableRange
  exports: ExportRange
}

/** A run and its progress. */
export interface ClosingRun {
  ctx: ClosingContext
  options: ClosingOptions
  ranges: ClosableRanges
  closing: ClosingResult
}

export const isStopped = ({ options }: ClosingRun) => options.stop?.aborted ?? false

/** Runs one batch, then pauses. */
export async function runBatch<T>({ closing, options }: ClosingRun, work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now()
  const result = await work()
  options.onProgress?.({ ...closing })
  const pauseMs = (options.rest ?? 0) * (performance.now() - startedAtMs)
  if (pauseMs > 0) await delay(pauseMs, undefined, options.stop && { signal: options.stop }).catch(() => {})
  return result
}

const hourMs = 3_600_000
/** Less than a day, as daily runs are not exactly a day apart. */
const anotherDayMs = 20 * hourMs
/** More than the clocks of several servers differ. */
const toleranceMs = hourMs

/**
 * A time that has certainly passed: the newest clock reading of an earlier day, or null if there is none. A reading is the
 * earlier of the clocks of the process and the database, so one clock that is ahead has no effect. If both are ahead, as on
 * one machine, nothing changes until they have been ahead for most of a day.
 */
export async function readTrustedTime(db: Pool, processClock: Date): Promise<Date | null> {
  const now = await readEarlierClock(db, processClock)
  return queries.readClockReading(db, new Date(now.getTime() - anotherDayMs))
}

/** Returns the same, stores today's reading for later runs, and deletes readings in the future, of a wrong clock. */
export function updateTrustedTime(db: Pool, processClock: Date): Promise<Date | null> {
  return transact(db, async (client) => {
    const now = await readEarlierClock(client, processClock)
    const trusted = await queries.readClockReading(client, new Date(now.getTime() - anotherDayMs))
    const to = new Date(now.getTime() + toleranceMs)
    await queries.writeClockReading(client, now, { from: trusted, to })
    return trusted
  })
}

async function readEarlierClock(
  db: Parameters<typeof queries.readDatabaseClock>[0],
  processClock: Date,
): Promise<Date> {
  const databaseClock = await queries.readDatabaseClock(db)
  return databaseClock < processClock ? databaseClock : processClock
}
