import { classifyDatabaseError } from '@storedex/pg-lanes/failures'
import type { Logger } from 'pino'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { formatNumber } from '../../foundation/kernel/time.ts'
import { describeCause } from '../../foundation/runtime/logger.ts'
import { minimumMemory } from '../../foundation/runtime/memory.ts'
import type { Config } from '../../operations/config.ts'

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
export function requireMemory({ databaseUrl }: Pick<Config, 'databaseUrl'>, available: number, processes = 1): void {
  const embedsPostgres = databaseUrl === null
  const needed = minimumMemory({ embedsPostgres, processes })
  if (available >= needed) return
  const advice = embedsPostgres
    ? ` with its own PostgreSQL: give it more, or set DATABASE_URL to a PostgreSQL elsewhere, then ${inMb(minimumMemory({ embedsPostgres: false, processes }))} are enough`
    : ': give it more'
  const forWorkers = processes === 1 ? '' : ` for ${processes} processes`
  throw new OperatorError(
    `There are ${inMb(available)} of memory, and Storedex needs ${inMb(needed)}${forWorkers}${advice}.`,
  )
}

function inMb(bytes: number): string {
  return `${formatNumber(Math.floor(bytes / 2 ** 20))} MB`
}
