import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../db/pool.ts'
import type { ExportRange, PackableRange } from './queries.ts'

export interface ClosingContext {
  /** Of the role that owns the tables. */
  db: Pool
  now: Date
  /** Entries stay as rows for so many months. */
  detailMonths: number
}

export interface ClosingOptions {
  stop?: AbortSignal
  /** How long to rest after a batch, in multiples of the time it took: what runs beside it gets that share. */
  rest?: number
  onProgress?(progress: ClosingProgress): void
}

export interface ClosingProgress {
  /** Entries that were packed, into how many archives. */
  entries: number
  archives: number
  /** Exports that were dropped. */
  exports: number
}

export interface Closing extends ClosingProgress {
  /** Periods that were over by then were closed; null when the clock was not read on another day yet. */
  until: Date | null
  /** Periods whose exports stay because they are not as many as the counter says. */
  unbalanced: number
}

/** Rows of one transaction. */
export const batchSize = 2_000
export const accountsPerPage = 100

/** What can be closed at a moment. */
export interface ClosableRanges {
  entries: PackableRange
  exports: ExportRange
}

/** One run and how far it has come. */
export interface ClosingRun {
  ctx: ClosingContext
  options: ClosingOptions
  ranges: ClosableRanges
  closing: Closing
}

export const isStopped = ({ options }: ClosingRun) => options.stop?.aborted ?? false

/** Does one bounded batch, then rests. */
export async function inBatch<T>({ closing, options }: ClosingRun, work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now()
  const result = await work()
  options.onProgress?.({ ...closing })
  const restMs = (options.rest ?? 0) * (performance.now() - startedAtMs)
  if (restMs > 0) await delay(restMs, undefined, options.stop && { signal: options.stop }).catch(() => {})
  return result
}
