import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../kernel/errors.ts'
import type { ConnectionTimeouts } from './connection-limits.ts'
import type { ConnectionManager } from './connections.ts'
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
 * Node's HTTP server with bounds on everything a caller sends, and with the envelope for what Node would answer barely
 * or not at all: requests that cannot be parsed or take too long, CONNECT, unknown expectations, a missing Host.
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

  // The newest reply of each connection: an error of the parser must not talk into it.
  const newestReply = new WeakMap<Socket, ServerResponse>()
  const answered = new WeakSet<Socket>()
  const refuse = (socket: Socket, error: ApiError): void => {
    if (!socket.writable) return void socket.destroy()
    const requestId = newRequestId()
    sendRawError(socket, error, requestId)
    connections.closeAfterReply(socket)
    const unread = { method: '(unread)', route: unmatchedRoute, durationMs: 0, aborted: false, caller: null }
    observe({ ...unread, requestId, status: error.status, failure: error })
  }

  connections.attach(server, handle, (socket) => refuse(socket, noMoreConnections()))
  server.on('request', (request, response) => {
    newestReply.set(request.socket, response)
    connections.enqueue(request, response)
  })
  // An expectation that is not understood may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    refuse(socket, new ApiError('method_not_allowed', 'This is not a proxy.', { headers: { allow: 'GET, POST' } }))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // What else arrives on a connection that was given up comes here again.
    if (answered.has(socket) || connections.isClosing(socket)) return
    answered.add(socket)
    const answer = () => refuse(socket, refusalOfClientError(error, timeouts))
    const reply = newestReply.get(socket)
    if (error.code === 'ECONNRESET' || (!reply && isSilent(socket))) socket.destroy()
    // The rest of a body whose request is answered already needs no second answer.
    else if (reply && !reply.req.complete && reply.headersSent) socket.destroy()
    // The trouble is in a later request: the earlier one, whole and at work, is answered first.
    else if (reply?.req.complete && !reply.writableFinished) reply.once('close', answer)
    else answer()
  })
  return server
}

function noMoreConnections(): ApiError {
  return new ApiError('service_unavailable', 'The service has too many connections; try again in a moment.')
}

/** A connection that was opened and never used, as browsers do in advance, expects no reply. */
function isSilent(socket: Socket): boolean {
  return socket.bytesRead === 0
}

function tooSlow({ headersMs, requestMs }: ConnectionTimeouts): string {
  return `Headers must arrive within ${headersMs / 1000} seconds, a whole request within ${requestMs / 1000}.`
}

function refusalOfClientError(error: NodeJS.ErrnoException, timeouts: ConnectionTimeouts): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('header_too_large', `URL and headers together exceed ${maxHeaderBytes / 1024} KB.`)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('invalid_request', tooSlow(timeouts))
    default:
      return new ApiError('invalid_request', 'This is not valid HTTP.')
  }
}
