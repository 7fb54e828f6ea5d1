/**
 * Failures that pass by themselves, by SQLSTATE: connection lost or refused, shutdown and start of the server, resources
 * exhausted, a statement or a lock that took too long, and transactions that kept losing against their neighbours.
 */
const passingStates = /^(08...|53...|57P0[1-4]|57014|55P03|25P03|40001|40P01)$/

const connectionErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
])

/** Of a Unix socket: its server is away, or too busy to listen. Of anything but a connection they mean something else. */
const socketErrors = new Set(['ENOENT', 'EAGAIN'])

// The driver tells these by their text alone.
const driverMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed)/

/** Whether an error says that the database cannot answer now, rather than that something is wrong with the request. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string' && (connectionErrors.has(code) || passingStates.test(code))) return true
  if (syscall === 'connect' && socketErrors.has(String(code))) return true
  return driverMessages.test(error.message)
}
