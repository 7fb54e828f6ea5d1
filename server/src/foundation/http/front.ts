import type { Socket } from 'node:net'
import type { BodyErrors, ConnectionFault, ConnectionTimeouts } from '@storedex/http-front'
import { Refusal } from '../kernel/errors.ts'
import { formatNumber } from '../kernel/time.ts'
import { HttpRefusal, statusOf } from './errors.ts'
import { newRequestId, type RequestObserver, unmatchedRoute } from './observe.ts'
import { sendRawError } from './replies.ts'

/** The limits of the HTTP port, and how it refuses what exceeds them. `@storedex/http-front` enforces them. */

const maxConnections = 2_048
const minConnections = 16

/**
 * File descriptors kept free for the rest of the process: database pools (27), files, pipes and workers (about 40), an
 * import or a backup, and the last replies of rejected connections.
 */
const reservedDescriptors = 160

/** The number of connections to accept with this limit on open files. */
export function maxConnectionsFor(openFiles: number): number {
  return Math.max(minConnections, Math.min(maxConnections, openFiles - reservedDescriptors))
}

export const defaultConnectionTimeouts: ConnectionTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  stalledMs: 60_000,
  unreadMs: 10_000,
  replyMs: 120_000,
}

export const maxHeaderBytes = 16_384

/** Memory limit for all bodies in flight, over all connections. */
export const defaultBodyBytesInFlight = 33_554_432

export const bodyErrors: BodyErrors = {
  tooLarge: (maxBytes) => new Refusal('payload_too_large', `The body is larger than ${formatNumber(maxBytes)} bytes.`),
  tooMany: () => new Refusal('service_unavailable', 'Too many bodies are arriving at once; try again in a moment.'),
  incomplete: (cause) => new Refusal('invalid_request', 'The request could not be read to its end.', { cause }),
}

/** The error of a request rejected for overload. */
export class OverloadError extends Refusal {
  constructor() {
    super('service_unavailable', 'The service is handling too many requests; try again in a moment.')
    this.name = 'OverloadError'
  }
}

export function shuttingDownError(): Refusal {
  return new Refusal('service_unavailable', 'The server is shutting down; try again in a moment.')
}

/** Answers connections that have no request to reply to with the error envelope, and observes them as requests. */
export function answerFaults(
  { headersMs, requestMs }: ConnectionTimeouts,
  observe: RequestObserver,
): (socket: Socket, fault: ConnectionFault) => void {
  const createError: Record<ConnectionFault, () => Refusal> = {
    too_many_connections: () =>
      new Refusal('service_unavailable', 'The service has too many connections; try again in a moment.'),
    proxy_request: () =>
      new HttpRefusal('method_not_allowed', 'This is not a proxy.', { headers: { allow: 'GET, POST' } }),
    headers_too_large: () =>
      new Refusal('header_too_large', `URL and headers together exceed ${maxHeaderBytes / 1024} KB.`),
    too_slow: () =>
      new Refusal(
        'invalid_request',
        `Headers must arrive within ${headersMs / 1000} seconds, a whole request within ${requestMs / 1000}.`,
      ),
    not_http: () => new Refusal('invalid_request', 'This is not valid HTTP.'),
  }
  return (socket, fault) => {
    const error = createError[fault]()
    const requestId = newRequestId()
    sendRawError(socket, error, requestId)
    const unread = { method: '(unread)', route: unmatchedRoute, durationMs: 0, aborted: false, caller: null }
    observe({ ...unread, requestId, status: statusOf(error), failure: error })
  }
}
