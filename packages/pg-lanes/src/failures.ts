/** The reason why a database is unavailable, by its error. */
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

/** System errors while connecting: no server behind the socket, a full accept queue, no file descriptors, no permission. */
const connectErrors = new Set(['ENOENT', 'EAGAIN', 'EMFILE', 'ENFILE', 'EACCES', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])

// The driver identifies these only by their message.
const driverMessages =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed)/

// The coordinator of Citus reports a lost worker as an internal error (XX000).
const lostWorker = /failure on connection marked as essential|connection to the remote node|connections? to the node /

/** Classifies an error of the database; undefined for other errors, which are the request's fault or a defect. */
export function classifyDatabaseError(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string') {
    if (/^(XX|08)/.test(code) && lostWorker.test(error.message)) return 'away'
    const found = byState.find(([states]) => states.test(code))
    if (found) return found[1]
    if (connectionErrors.has(code) || (isOfConnection(syscall) && connectErrors.has(code))) return 'away'
  }
  return driverMessages.test(error.message) ? 'away' : undefined
}

function isOfConnection(syscall: unknown): boolean {
  return syscall === 'connect' || syscall === 'socket' || syscall === 'getaddrinfo'
}

/** Returns true if the database is unavailable; false if the request or the code is at fault. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return classifyDatabaseError(error) !== undefined
}

const checkViolation = '23514'
const uniqueViolation = '23505'

/**
 * Returns true if a statement violated one of these check constraints or unique indexes. A Citus worker names it only in
 * the message, and appends the shard's number to the name of an index.
 */
export function violatesConstraint(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof Error)) return false
  const { code, constraint } = error as { code?: unknown; constraint?: string }
  if (code !== checkViolation && code !== uniqueViolation) return false
  const mentioned = constraint ? [constraint] : [...error.message.matchAll(/"([^"]+)"/g)].map(([, name]) => name!)
  return mentioned.some((name) => names.includes(name) || names.includes(name.replace(/_\d+$/, '')))
}
