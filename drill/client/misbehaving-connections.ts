import { connect, type Socket } from 'node:net'

export interface MisbehavingConnectionsOptions {
  origin: string
  count: number
  /** Sent by each connection when it opens. */
  firstBytes: (index: number) => string
  /** Sent repeatedly by each connection; null for nothing. */
  repeatedBytes: string | null
  repeatEveryMs: number
  /** Whether it reads replies. */
  reads: boolean
}

/** Connections that misbehave and stay open until `close`. */
export class MisbehavingConnections {
  readonly #sockets: Socket[]
  readonly #timer: NodeJS.Timeout | undefined
  /** Connections that the server closed. */
  closed = 0
  /** Counts of the replies' statuses. */
  readonly statuses = new Map<string, number>()

  constructor({ origin, count, firstBytes, repeatedBytes, repeatEveryMs, reads }: MisbehavingConnectionsOptions) {
    const { hostname, port } = new URL(origin)
    this.#sockets = Array.from({ length: count }, (_, index) => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => {})
      socket.once('connect', () => {
        if (!reads) socket.pause()
        socket.write(firstBytes(index))
      })
      if (reads)
        socket.on('data', (chunk: Buffer) => {
          const status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1]
          if (status) this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
        })
      socket.once('close', () => {
        this.closed++
      })
      return socket
    })
    if (repeatedBytes !== null)
      this.#timer = setInterval(() => {
        for (const socket of this.#sockets) if (socket.writable) socket.write(repeatedBytes)
      }, repeatEveryMs)
  }

  close(): void {
    clearInterval(this.#timer)
    for (const socket of this.#sockets) socket.destroy()
  }
}
