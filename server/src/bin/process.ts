import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { classifyDatabaseError } from '../db/failures.ts'
import { OperatorError } from '../kernel/errors.ts'
import { formatNumber } from '../kernel/time.ts'
import { describeCause } from '../runtime/logger.ts'
import { minimumMemory } from '../runtime/memory.ts'
import type { ThreadProgram } from '../search/replica/thread.ts'

// npm forwards the terminal's Ctrl-C to its child, which has already received it: two signals at once count as one.
const repeatAfterMs = 500

/**
 * Returns a signal that is aborted by the first SIGINT, SIGTERM or SIGHUP (a closed terminal); a later one ends the
 * process at once.
 */
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

/** Resolves to the result of `work`, or rejects with the signal's reason as soon as it is aborted. */
export async function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let rejectAborted = () => {}
  const aborted = new Promise<never>((_, reject) => {
    rejectAborted = () => reject(signal.reason)
    if (signal.aborted) rejectAborted()
    else signal.addEventListener('abort', rejectAborted, { once: true })
  })
  // Abandoned work may still fail, and nothing waits for it.
  work.catch(() => {})
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', rejectAborted)
  }
}

// Codes of streams and threads whose other side is gone; system errors have a syscall.
const environmentCodes = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
])

/**
 * Whether an error comes from the environment (disk, file descriptors, network, database) and not from a defect in the
 * code.
 */
export function isEnvironmentError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return classifyDatabaseError(error) !== undefined
  return typeof syscall === 'string' || environmentCodes.has(code) || classifyDatabaseError(error) !== undefined
}

/**
 * Handles uncaught errors. An environment error is logged and the service continues: the operation it interrupted has
 * its own timeout, and exiting would interrupt all others. After any other error the state is unknown, so `onFault`
 * shuts the service down.
 */
export function handleUncaughtErrors(log: Logger, onFault: (error: unknown) => void): void {
  process.on('uncaughtException', (error) => {
    if (!isEnvironmentError(error)) return onFault(error)
    log.error({ cause: describeCause(error) }, 'an uncaught error of the environment; the service continues')
  })
}

/**
 * Throws an `OperatorError` when memory is so low that the system would soon kill the service. `available` is in bytes.
 */
export function requireMemory({ databaseUrl }: Pick<Config, 'databaseUrl'>, available: number): void {
  const embedsPostgres = databaseUrl === null
  const needed = minimumMemory({ embedsPostgres })
  if (available >= needed) return
  const advice = embedsPostgres
    ? ` with its own PostgreSQL: give it more, or set DATABASE_URL to a PostgreSQL elsewhere, then ${inMb(minimumMemory({ embedsPostgres: false }))} are enough`
    : ': give it more'
  throw new OperatorError(`There are ${inMb(available)} of memory, and Storedex needs ${inMb(needed)}${advice}.`)
}

function inMb(bytes: number): string {
  return `${formatNumber(Math.floor(bytes / 2 ** 20))} MB`
}

/** How to run the search thread: its bundle next to ours, otherwise its source. */
export function searchThreadProgram(): ThreadProgram {
  const siblingPath = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const bundle = siblingPath('./search-thread.js')
  if (existsSync(bundle)) return { file: bundle, execArgv: [] }
  // tsx does not register itself in threads.
  const registration = `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register()`
  const preload = `data:text/javascript,${encodeURIComponent(registration)}`
  return { file: siblingPath('./search-thread.ts'), execArgv: ['--import', preload] }
}

/** Node arguments that run the stand-in for Stripe: its bundle next to ours, otherwise its source. */
export function standinProgram(projectDir: string): string[] {
  const bundle = fileURLToPath(new URL('./standin.js', import.meta.url))
  if (existsSync(bundle)) return [bundle]
  return ['--import', import.meta.resolve('tsx'), join(projectDir, 'stripe-standin/src/bin/standin.ts')]
}
