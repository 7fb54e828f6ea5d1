import { connect, type Socket } from 'node:net'

/** The result of one request: a reply, or a lost connection. */
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

/** One HTTP request as text. */
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
 * A keep-alive connection with one request at a time, which reconnects when closed. It parses only the necessary parts, so
 * that load costs little processor time, and distinguishes a refused connection from a reset one.
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

  /** Sends the text, then optional binary data. */
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
        // Do not reuse an idle connection that the server closes.
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
      // `close` follows each error.
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

/** Label of an answer in counts: its status, or how the connection was lost. */
export const labelOf = (answer: Answer) => (answer.status === null ? answer.loss : String(answer.status))
