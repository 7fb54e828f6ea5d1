import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import type { Cleanup } from '../support/cleanup.ts'
import { MessageReader, type Traffic, TrafficCounter } from './protocol.ts'

export interface CountingProxy {
  /** The same database, through the proxy. */
  url: string
  readonly traffic: Traffic
}

/** Listens on loopback and passes everything on to the database, both ways, counting what goes by. */
export async function startCountingProxy(databaseUrl: string, cleanup: Cleanup): Promise<CountingProxy> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  const counter = new TrafficCounter()
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const asked = new MessageReader('client')
    const answered = new MessageReader('server')
    client.on('data', (chunk: Buffer) => {
      for (const letter of asked.read(chunk)) counter.asked(letter)
      server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => {
      for (const letter of answered.read(chunk)) counter.answered(letter)
      counter.received(chunk.length)
      client.write(chunk)
    })
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      // However one side ends, the other has nobody left to talk to.
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
  // What these name would win over the proxy's address, as the folder of a Unix socket does.
  for (const name of ['host', 'port']) url.searchParams.delete(name)
  url.hostname = '127.0.0.1'
  url.port = String((proxy.address() as { port: number }).port)
  return {
    url: url.href,
    get traffic() {
      return counter.traffic
    },
  }
}
