export interface Timeouts {
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

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  stalledMs: 60_000,
  unreadMs: 10_000,
  replyMs: 120_000,
}
