/** Why a database is unavailable, as far as its error shows. */
export type DatabaseFailure = 'away' | 'overloaded' | 'disk_full' | 'files_unusable' | 'not_permitted'

const byState: readonly [RegExp, DatabaseFailure][] = [
  [/^53100$/, 'disk_full'],
  // Out of memory or connections, statement or lock timeouts, repeated serialization conflicts.
  [/^(53...|57014|55P03|25P03|40001|40P01)$/, 'overloaded'],
  // Connection lost or refused, server shutdown or start, a standby that was not promoted.
  [/^(08...|57P0\d|25006)$/, 'away'],
  // Missing or unreadable files, I/O errors, corruption, and internal errors of PostgreSQL.
  [/^(58...|XX...)$/, 'files_unusable'],
  // Files that the server may not open, or a missing privilege of the role.
  [/^42501$/, 'not_permitted'],
]

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

/** Errors of connecting: no server behind the socket, a full accept queue, no file descriptors left, no permission. */
const connectErrors = new Set(['ENOENT', 'EAGAIN', 'EMFILE', 'ENFILE', 'EACCES', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])

// The driver identifies these only by their message.
const driverMessages =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed)/

/** Classifies an error of the database; undefined for other errors, which are the request's fault or a defect. */
export function classifyDatabaseError(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string') {
    const found = byState.find(([states]) => states.test(code))
    if (found) return found[1]
    if (connectionErrors.has(code) || (isOfConnection(syscall) && connectErrors.has(code))) return 'away'
  }
  return driverMessages.test(error.message) ? 'away' : undefined
}

function isOfConnection(syscall: unknown): boolean {
  return syscall === 'connect' || syscall === 'socket' || syscall === 'getaddrinfo'
}

/** Whether an error means that the database is unavailable, rather than that the request is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return classifyDatabaseError(error) !== undefined
}
