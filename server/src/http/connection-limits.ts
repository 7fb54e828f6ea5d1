import { readFileSync } from 'node:fs'

const mostConnections = 2_048
const fewestConnections = 16

/**
 * Descriptors that connections of callers leave to the rest of the process: pools of database connections (27), files, pipes
 * and workers (about 40), an import or a backup beside them, and the last replies of connections that were turned away.
 */
const reservedDescriptors = 160

/** Where the system does not tell: the common soft limit. */
const assumedOpenFiles = 1_024

/** How many connections a process that may open so many files can take. */
export function maxConnectionsFor(openFiles: number): number {
  return Math.max(fewestConnections, Math.min(mostConnections, openFiles - reservedDescriptors))
}

/** The soft limit of this process on open files. */
export function readOpenFileLimit(): number {
  try {
    return parseOpenFileLimit(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return assumedOpenFiles
  }
}

export function parseOpenFileLimit(limits: string): number {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  if (soft === 'unlimited') return Number.POSITIVE_INFINITY
  return soft === undefined ? assumedOpenFiles : Number(soft)
}

export interface ConnectionTimeouts {
  /** From the first byte of a request to the end of its headers. */
  headersMs: number
  /** From the first byte of a request to the end of its body. */
  requestMs: number
  /** An idle connection is closed after this; longer than the minute that common load balancers keep theirs. */
  keepAliveMs: number
  /** A connection on which nothing moves, in either direction, is cut after this. */
  stalledMs: number
  /** The same while a reply is ready: the caller does not read it. */
  unreadMs: number
  /** From a reply that is ready to its end, however steadily the caller reads. */
  replyMs: number
}

export const defaultConnectionTimeouts: ConnectionTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  stalledMs: 60_000,
  unreadMs: 10_000,
  replyMs: 120_000,
}
