import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { atEnd } from './cleanup.ts'

export interface Relay {
  /** The URL of the database through the relay. */
  url: string
  /** Stops traffic in both directions; connections stay open and new ones are accepted, as with a frozen server. */
  freeze(): void
  /** Resumes traffic, including the held bytes. */
  thaw(): void
}

/**
 * Starts a relay between the service and a database, so that a test can freeze a server that others also use. `rewriteReply` may
 * change what the database sends.
 */
export async function startRelay(databaseUrl: string, rewriteReply = (bytes: Buffer) => bytes): Promise<Relay> {
  const target = new URL(databaseUrl)
  const host = target.searchParams.get('host')
  const open = () =>
    host?.startsWith('/') ? connect(`${host}/.s.PGSQL.${target.port}`) : connect(Number(target.port), target.hostname)
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = open()
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => to.write(from === far ? rewriteReply(bytes) : bytes))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isFrozen) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    freeze: () => {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw: () => {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
  }
}
