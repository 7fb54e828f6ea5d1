import type { Logger } from 'pino'
import { databaseFailureOf } from '../db/failures.ts'
import { describeCause } from '../http/cause.ts'

// Of streams and threads whose other side has gone; the system's own errors name the call that failed.
const environmentCodes = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
])

/** Whether an error tells of the process's surroundings (disk, descriptors, network, database), not of a fault in the code. */
export function isEnvironmentFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return databaseFailureOf(error) !== undefined
  return typeof syscall === 'string' || environmentCodes.has(code) || databaseFailureOf(error) !== undefined
}

/**
 * The last net. An error of the surroundings that nobody caught is logged, and the service goes on: whatever it cut off
 * has its own timeout, and ending would cut off everything else as well. An error of the code leaves the process in an
 * unknown state; `onFault` then ends it in order.
 */
export function catchUncaught(log: Logger, onFault: (error: unknown) => void): void {
  process.on('uncaughtException', (error) => {
    if (!isEnvironmentFault(error)) return onFault(error)
    log.error({ cause: describeCause(error) }, 'an error of the surroundings was caught nowhere; the service goes on')
  })
}
