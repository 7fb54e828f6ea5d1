import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from '../support/cleanup.ts'

/** A payment provider that takes requests and says nothing: what keeps a service busy the longest. */
export interface SilentProvider {
  url: string
  /** Requests that wait for its reply now. */
  waiting(): number
  /** Lets go of all of them. */
  hangUp(): void
}

export async function startSilentProvider(cleanup: Cleanup): Promise<SilentProvider> {
  const held = new Set<ServerResponse>()
  const server = createServer((_request, response) => {
    held.add(response)
    response.once('close', () => held.delete(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.add(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => held.size,
    hangUp: () => server.closeAllConnections(),
  }
}
