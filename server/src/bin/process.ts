import { constants } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { classifyDatabaseError } from '../db/failures.ts'
import { OperatorError } from '../kernel/errors.ts'
import { formatNumber } from '../kernel/time.ts'
import { describeCause } from '../runtime/logger.ts'
import { minimumMemory } from '../runtime/memory.ts'

// npm passes the terminal's Ctrl-C on to its child, which has had it already: two at once are one.
const repeatAfterMs = 500

/** Aborted by the first SIGINT, SIGTERM or SIGHUP (a closed terminal); a later one ends the process on the spot. */
export function listenForTermination(): AbortSignal {
  const controller = new AbortController()
  let firstAt: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ??= performance.now()
      if (performance.now() - firstAt > repeatAfterMs) process.exit(128 + constants.signals[signal])
      controller.abort()
    })
  }
  return controller.signal
}

/** The result of `work`, or a rejection with the signal's reason as soon as it is aborted. */
export async function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abandon = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abandon = () => reject(signal.reason)
    if (signal.aborted) abandon()
    else signal.addEventListener('abort', abandon, { once: true })
  })
  // What is abandoned may still fail, and nobody waits for it any more.
  work.catch(() => {})
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}

// Of streams and threads whose other side has gone; the system's own errors name the call that failed.
const environmentCodes = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
])

/** Whether an error tells of the process's surroundings (disk, descriptors, network, database), not of a fault in the code. */
export function isEnvironmentError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return classifyDatabaseError(error) !== undefined
  return typeof syscall === 'string' || environmentCodes.has(code) || classifyDatabaseError(error) !== undefined
}

/**
 * The last net. An error of the surroundings that nobody caught is logged, and the service goes on: whatever it cut off
 * has its own timeout, and ending would cut off everything else as well. An error of the code leaves the process in an
 * unknown state; `onFault` then ends it in order.
 */
export function handleUncaughtErrors(log: Logger, onFault: (error: unknown) => void): void {
  process.on('uncaughtException', (error) => {
    if (!isEnvironmentError(error)) return onFault(error)
    log.error({ cause: describeCause(error) }, 'an error of the surroundings was caught nowhere; the service goes on')
  })
}

/**
 * Refuses to start where the system would kill the service soon after, without a word. `available` is in bytes. Throws an
 * `OperatorError` that says what there is and what is needed.
 */
export function requireMemory({ databaseUrl }: Pick<Config, 'databaseUrl'>, available: number): void {
  const embedsPostgres = databaseUrl === null
  const needed = minimumMemory({ embedsPostgres })
  if (available >= needed) return
  const wayOut = embedsPostgres
    ? ` with its own PostgreSQL: give it more, or set DATABASE_URL to a PostgreSQL elsewhere, then ${inMb(minimumMemory({ embedsPostgres: false }))} do`
    : ': give it more'
  throw new OperatorError(`There are ${inMb(available)} of memory, and Storedex needs ${inMb(needed)}${wayOut}.`)
}

function inMb(bytes: number): string {
  return `${formatNumber(Math.floor(bytes / 2 ** 20))} MB`
}
