import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './cleanup.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Serves HTTP on loopback until the file's tests are over, and returns the URL. A failing handler ends its connection
 * instead of the test run.
 */
export async function serveOnLoopback(handler: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      await handler(request, response)
    } catch {
      request.socket.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
