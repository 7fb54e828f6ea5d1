import { connect, type Socket } from 'node:net'

export interface CrowdOptions {
  origin: string
  count: number
  /** What each connection sends at once. */
  greeting: (index: number) => string
  /** What each sends again and again; null: nothing. */
  drip: string | null
  dripEveryMs: number
  /** Whether it takes what the server sends. */
  reads: boolean
}

/** Connections that behave badly, held open until told otherwise. */
export class Crowd {
  readonly #sockets: Socket[]
  readonly #dripping: NodeJS.Timeout | undefined
  /** Connections that the server closed. */
  closed = 0
  /** What it said before closing. */
  readonly statuses = new Map<string, number>()

  constructor({ origin, count, greeting, drip, dripEveryMs, reads }: CrowdOptions) {
    const { hostname, port } = new URL(origin)
    this.#sockets = Array.from({ length: count }, (_, index) => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => {})
      socket.once('connect', () => {
        if (!reads) socket.pause()
        socket.write(greeting(index))
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
    if (drip !== null)
      this.#dripping = setInterval(() => {
        for (const socket of this.#sockets) if (socket.writable) socket.write(drip)
      }, dripEveryMs)
  }

  leave(): void {
    clearInterval(this.#dripping)
    for (const socket of this.#sockets) socket.destroy()
  }
}
