import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionTimeouts } from './connection-limits.ts'
import type { ConnectionManager } from './connections.ts'

/** The reason for refusing a connection that has no request to reply to. */
export type ConnectionFault = 'too_many_connections' | 'proxy_request' | 'headers_too_large' | 'too_slow' | 'not_http'

export interface NodeServerOptions {
  timeouts: ConnectionTimeouts
  /** Shared by all servers of the port. */
  connections: ConnectionManager
  maxHeaderBytes: number
  /** Writes the reply to a refused connection, and ends it. */
  answer(socket: Socket, fault: ConnectionFault): void
}

/**
 * Creates Node's HTTP server with bounds on everything a client sends, and with a reply of the service for requests that
 * Node would answer without a body or not at all: invalid or slow requests, CONNECT, unknown expectations, a missing
 * Host.
 */
export function createNodeServer(
  handle: RequestListener,
  { timeouts, connections, maxHeaderBytes, answer }: NodeServerOptions,
): Server {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: Math.ceil(timeouts.headersMs / 5),
    // The service checks it, and answers with its own reply.
    requireHostHeader: false,
  })
  server.setTimeout(timeouts.stalledMs)
  // Node would drop headers beyond 2,000 silently; the service counts them.
  server.maxHeadersCount = 0

  // The newest reply of each connection: a parser error must not be written into it.
  const newestReply = new WeakMap<Socket, ServerResponse>()
  const answered = new WeakSet<Socket>()
  const reject = (socket: Socket, fault: ConnectionFault): void => {
    if (!socket.writable) return void socket.destroy()
    answer(socket, fault)
    connections.closeAfterReply(socket)
  }

  connections.attach(server, handle, (socket) => reject(socket, 'too_many_connections'))
  server.on('request', (request, response) => {
    newestReply.set(request.socket, response)
    connections.enqueue(request, response)
  })
  // An unknown expectation may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    reject(socket, 'proxy_request')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Further bytes of a connection that was refused cause this event again.
    if (answered.has(socket) || connections.isClosing(socket)) return
    answered.add(socket)
    const refuse = () => reject(socket, faultOf(error))
    const reply = newestReply.get(socket)
    if (error.code === 'ECONNRESET' || (!reply && isUnused(socket))) socket.destroy()
    // The request was answered already; the rest of its body needs no second reply.
    else if (reply && !reply.req.complete && reply.headersSent) socket.destroy()
    // The reply closes the connection; what follows its request is not read.
    else if (reply?.req.complete && reply.writableEnded && !reply.shouldKeepAlive) return
    // The fault is in a later request: the earlier one, complete and running, is answered first.
    else if (reply?.req.complete && !reply.writableFinished) reply.once('close', refuse)
    else refuse()
  })
  return server
}

/** A connection that was never used, such as a browser's preconnect, expects no reply. */
function isUnused(socket: Socket): boolean {
  return socket.bytesRead === 0
}

function faultOf({ code }: NodeJS.ErrnoException): ConnectionFault {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'too_slow'
    default:
      return 'not_http'
  }
}
