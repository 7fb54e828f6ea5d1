import { setTimeout as delay } from 'node:timers/promises'
import { type Pool, transact } from '../../db/pool.ts'
import type { ExportRange, PackableRange } from './packing-queries.ts'
import * as queries from './packing-queries.ts'

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

export interface Closing extends ClosingProgress {
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
  closing: Closing
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
/** Daily runs are hardly ever exactly a day apart. */
const anotherDayMs = 20 * hourMs
/** Clocks of several servers differ by less. */
const toleranceMs = hourMs

/**
 * A moment that has surely passed: the time of a reading of another day, or null when there is none yet. Today's reading is
 * the earlier of the process's and the database's clock. So one clock that is ahead moves nothing, and where both are
 * wrong because they are one machine's, nothing is taken for passed before the clock has been wrong for most of a day.
 */
export async function readTrustedTime(db: Pool, processClock: Date): Promise<Date | null> {
  const now = await readEarlierClock(db, processClock)
  return queries.readClockReading(db, new Date(now.getTime() - anotherDayMs))
}

/** The same, and keeps today's reading for the runs to come. Readings that lie ahead are of a clock that was wrong. */
export function updateTrustedTime(db: Pool, processClock: Date): Promise<Date | null> {
  return transact(db, async (client) => {
    const now = await readEarlierClock(client, processClock)
    const passed = await queries.readClockReading(client, new Date(now.getTime() - anotherDayMs))
    const to = new Date(now.getTime() + toleranceMs)
    await queries.writeClockReading(client, now, { from: passed, to })
    return passed
  })
}

async function readEarlierClock(
  db: Parameters<typeof queries.readDatabaseClock>[0],
  processClock: Date,
): Promise<Date> {
  const databaseClock = await queries.readDatabaseClock(db)
  return databaseClock < processClock ? databaseClock : processClock
}
