/** Why a database cannot be worked with just now, as far as its error tells. */
export type DatabaseFailure = 'away' | 'overloaded' | 'disk_full' | 'files_unusable' | 'not_permitted'

const byState: readonly [RegExp, DatabaseFailure][] = [
  [/^53100$/, 'disk_full'],
  // Memory, connections, a statement or a lock that took too long, transactions that kept losing to their neighbours.
  [/^(53...|57014|55P03|25P03|40001|40P01)$/, 'overloaded'],
  // Connection lost or refused, shutdown and start of the server, a standby that became nobody's primary.
  [/^(08...|57P0\d|25006)$/, 'away'],
  // Missing or unreadable files, input/output errors, corruption, and what PostgreSQL did not foresee.
  [/^(58...|XX...)$/, 'files_unusable'],
  // Files that the server may not open, or rights that were taken from the role.
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

/** Of a connection: no server behind the socket, one too busy to listen, no descriptors left, or no right to enter. */
const connectErrors = new Set(['ENOENT', 'EAGAIN', 'EMFILE', 'ENFILE', 'EACCES', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])

// The driver tells these by their text alone.
const driverMessages =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed)/

/** What an error says about the database; undefined when it says nothing, and the fault is the request's or ours. */
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

/** Whether an error says that the database cannot answer now, rather than that something is wrong with the request. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return classifyDatabaseError(error) !== undefined
}
