import { OperatorError } from '../../foundation/kernel/errors.ts'

const defaultRequestConnections = 16
const leastRequestConnections = 4
/** Of each worker besides: 8 for searches, 2 for the index, 1 for the readiness check, 1 for hourly work, 3 of the owner. */
const otherConnections = 15
/** For the supervisor, commands, and the import of the console that runs. */
const reservedConnections = 20

/**
 * How many connections each worker has for requests: as many as one process has, unless the database accepts fewer from
 * all of them. Throws an `OperatorError` if it accepts too few.
 */
export function divideConnections(workers: number, limit: number): number {
  const each = Math.floor((limit - reservedConnections) / workers) - otherConnections
  if (each >= leastRequestConnections) return Math.min(defaultRequestConnections, each)
  const needed = workers * (leastRequestConnections + otherConnections) + reservedConnections
  throw new OperatorError(
    `The database accepts ${limit} connections, and ${workers} workers need ${needed}: start fewer, or raise max_connections.`,
  )
}
