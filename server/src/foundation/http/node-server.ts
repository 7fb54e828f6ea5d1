import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../kernel/errors.ts'
import { HttpRefusal, statusOf } from './errors.ts'
import type { ConnectionTimeouts } from './limits/connection-limits.ts'
import type { ConnectionManager } from './limits/connections.ts'
import { newRequestId, type RequestObserver, unmatchedRoute } from './observe.ts'
import { sendRawError } from './replies.ts'

export const maxHeaderBytes = 16_384

export interface NodeServerOptions {
  timeouts: ConnectionTimeouts
  /** Shared by all servers of the port. */
  connections: ConnectionManager
  observe: RequestObserver
}

/**
 * Creates Node's HTTP server with bounds on everything a client sends, and with the error envelope for requests that
 * Node would answer without a body or not at all: invalid or slow requests, CONNECT, unknown expectations, a missing
 * Host.
 */
export function createNodeServer(
  handle: RequestListener,
  { timeouts, connections, observe }: NodeServerOptions,
): Server {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: Math.ceil(timeouts.headersMs / 5),
    // Checked by `rejectMalformedRequests`, which answers with the envelope.
    requireHostHeader: false,
  })
  server.setTimeout(timeouts.stalledMs)
  // Node would drop what is beyond 2,000 without a word; `rejectMalformedRequests` counts.
  server.maxHeadersCount = 0

  // The newest reply of each connection: a parser error must not be written into it.
  const newestReply = new WeakMap<Socket, ServerResponse>()
  const answered = new WeakSet<Socket>()
  const reject = (socket: Socket, error: Refusal): void => {
    if (!socket.writable) return void socket.destroy()
    const requestId = newRequestId()
    sendRawError(socket, error, requestId)
    connections.closeAfterReply(socket)
    const unread = { method: '(unread)', route: unmatchedRoute, durationMs: 0, aborted: false, caller: null }
    observe({ ...unread, requestId, status: statusOf(error), failure: error })
  }

  connections.attach(server, handle, (socket) => reject(socket, tooManyConnectionsError()))
  server.on('request', (request, response) => {
    newestReply.set(request.socket, response)
    connections.enqueue(request, response)
  })
  // An unknown expectation may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    reject(socket, new HttpRefusal('method_not_allowed', 'This is not a proxy.', { headers: { allow: 'GET, POST' } }))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Further bytes on a connection that was already given up also end here.
    if (answered.has(socket) || connections.isClosing(socket)) return
    answered.add(socket)
    const answer = () => reject(socket, toClientError(error, timeouts))
    const reply = newestReply.get(socket)
    if (error.code === 'ECONNRESET' || (!reply && isUnused(socket))) socket.destroy()
    // The request was answered already; the rest of its body needs no second reply.
    else if (reply && !reply.req.complete && reply.headersSent) socket.destroy()
    // The reply closes the connection; what follows its request is not read.
    else if (reply?.req.complete && reply.writableEnded && !reply.shouldKeepAlive) return
    // The fault is in a later request: the earlier one, complete and running, is answered first.
    else if (reply?.req.complete && !reply.writableFinished) reply.once('close', answer)
    else answer()
  })
  return server
}

function tooManyConnectionsError(): Refusal {
  return new Refusal('service_unavailable', 'The service has too many connections; try again in a moment.')
}

/** A connection that was never used, such as a browser's preconnect, expects no reply. */
function isUnused(socket: Socket): boolean {
  return socket.bytesRead === 0
}

function tooSlowMessage({ headersMs, requestMs }: ConnectionTimeouts): string {
  return `Headers must arrive within ${headersMs / 1000} seconds, a whole request within ${requestMs / 1000}.`
}

function toClientError(error: NodeJS.ErrnoException, timeouts: ConnectionTimeouts): Refusal {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('header_too_large', `URL and headers together exceed ${maxHeaderBytes / 1024} KB.`)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('invalid_request', tooSlowMessage(timeouts))
    default:
      return new Refusal('invalid_request', 'This is not valid HTTP.')
  }
}
