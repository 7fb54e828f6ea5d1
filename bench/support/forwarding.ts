import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Cleanup } from '@storedex/testkit'
import pg from 'pg'

/** Sees what passes on one connection, before it is forwarded. */
export interface ConnectionObserver {
  readClient(chunk: Buffer): void
  readServer?(chunk: Buffer): void
  /** The connection has ended, whether or not all of it was answered. */
  close?(): void
}

/** Listens on loopback and forwards both directions to the database. Returns the URL of the same database through it. */
export async function startForwarding(
  databaseUrl: string,
  observe: () => ConnectionObserver,
  cleanup: Cleanup,
): Promise<string> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const observer = observe()
    let hasClosed = false
    const close = () => {
      if (!hasClosed) observer.close?.()
      hasClosed = true
    }
    // The observer learns of the end before the client does.
    server.once('end', close)
    server.once('close', close)
    client.on('data', (chunk: Buffer) => {
      observer.readClient(chunk)
      server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => {
      observer.readServer?.(chunk)
      client.write(chunk)
    })
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      // When one side ends, close the other.
      socket.on('error', () => {})
      socket.on('end', () => other.end())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  cleanup.add(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })

  const url = new URL(databaseUrl)
  // These parameters would override the proxy's address.
  for (const name of ['host', 'port']) url.searchParams.delete(name)
  url.hostname = '127.0.0.1'
  url.port = String((proxy.address() as { port: number }).port)
  return url.href
}
