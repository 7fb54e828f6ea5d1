import { readFileSync } from 'node:fs'

/** Used when the limit cannot be read: the common soft limit. */
const defaultOpenFileLimit = 1_024

/** The soft limit on open files of this process. */
export function readOpenFileLimit(): number {
  try {
    return parseOpenFileLimit(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return defaultOpenFileLimit
  }
}

export function parseOpenFileLimit(limits: string): number {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  if (soft === 'unlimited') return Number.POSITIVE_INFINITY
  return soft === undefined ? defaultOpenFileLimit : Number(soft)
}

export interface ConnectionTimeouts {
  /** From the first byte of a request to the end of its headers. */
  headersMs: number
  /** From the first byte of a request to the end of its body. */
  requestMs: number
  /** Idle connections are closed after this. Longer than the 60 s of common load balancers. */
  keepAliveMs: number
  /** A connection without traffic in either direction is destroyed after this. */
  stalledMs: number
  /** The same while the client does not read a finished reply. */
  unreadMs: number
  /** From a finished reply to its last byte, however steadily the client reads. */
  replyMs: number
}
