import { connect, type Socket } from 'node:net'

/** What came of one request: a reply, or how its connection was lost. */
export type Answer = Reply | Loss

export interface Reply {
  status: number
  head: string
  body: Buffer
  ms: number
}

interface Loss {
  status: null
  /** `refused`: never connected. `reset`: connected, and closed without a reply. `timeout`: nothing came in time. */
  loss: 'refused' | 'reset' | 'timeout'
  ms: number
}

export interface RequestParts {
  key?: string
  body?: object
  headers?: Record<string, string>
}

/** One request as it goes over the wire. */
export function requestText(method: string, path: string, { key, body, headers = {} }: RequestParts = {}): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all: Record<string, string> = {
    host: '127.0.0.1',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}

const endOfHead = Buffer.from('\r\n\r\n')

/**
 * One keep-alive connection with one request at a time on it, connected anew when it was closed. It parses no more than it
 * has to, so that a load costs the machine little, and tells a refused connection from one that was reset.
 */
export class HttpConnection {
  readonly #port: number
  readonly #host: string
  #socket: Socket | undefined

  constructor(origin: string) {
    const { hostname, port } = new URL(origin)
    this.#host = hostname
    this.#port = Number(port)
  }

  /** Sends the text, and after it bytes that no text can hold. */
  request(text: string, timeoutMs = 30_000, bytes?: Buffer): Promise<Answer> {
    const startedAt = performance.now()
    const socket = this.#socket ?? connect({ host: this.#host, port: this.#port, noDelay: true })
    this.#socket = socket
    return new Promise((resolve) => {
      let received: Buffer = Buffer.alloc(0)
      let isConnected = !socket.connecting
      const settle = (answer: Answer, isOver: boolean) => {
        clearTimeout(timer)
        socket.removeAllListeners()
        socket.on('error', () => {})
        // An idle connection that the server closes must not be used again.
        if (isOver) this.close()
        else socket.once('close', () => this.#forget(socket))
        resolve(answer)
      }
      const lose = (loss: Loss['loss']) => settle({ status: null, loss, ms: performance.now() - startedAt }, true)
      const timer = setTimeout(lose, timeoutMs, 'timeout')
      socket.removeAllListeners()
      socket.once('connect', () => {
        isConnected = true
      })
      // What went wrong comes first and is followed by `close`.
      socket.on('error', () => {})
      socket.once('close', () => lose(isConnected ? 'reset' : 'refused'))
      socket.on('data', (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const reply = parseReply(received)
        if (reply) settle({ ...reply, ms: performance.now() - startedAt }, /\r\nconnection: close/i.test(reply.head))
      })
      socket.write(text)
      if (bytes) socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #forget(socket: Socket): void {
    if (this.#socket === socket) this.#socket = undefined
  }
}

/** Every reply of the service has a length. */
function parseReply(received: Buffer): Omit<Reply, 'ms'> | undefined {
  const headEnd = received.indexOf(endOfHead)
  if (headEnd < 0) return undefined
  const head = received.toString('latin1', 0, headEnd)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  const bodyStart = headEnd + endOfHead.length
  if (received.length < bodyStart + length) return undefined
  return { status: Number(head.slice(9, 12)), head, body: received.subarray(bodyStart, bodyStart + length) }
}

/** One request on a connection of its own. */
export async function requestOnce(origin: string, text: string, timeoutMs?: number): Promise<Answer> {
  const connection = new HttpConnection(origin)
  try {
    return await connection.request(text, timeoutMs)
  } finally {
    connection.close()
  }
}

export const jsonOf = <T>({ body }: Reply) => JSON.parse(body.toString('utf8')) as T

/** Names an answer in a count: its status, or how it was lost. */
export const labelOf = (answer: Answer) => (answer.status === null ? answer.loss : String(answer.status))
