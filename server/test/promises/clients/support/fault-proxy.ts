/**
 * An HTTP proxy on loopback, between a client and the service, which disturbs exchanges. Seeded, so that a run can be
 * repeated as far as the order of requests is the same.
 */
import { once } from 'node:events'
import { Agent, type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../../../../catalogue/build/random.ts'
import { Counts } from './counts.ts'
import { drawFault, type Fault, type FaultWeights, isAnswered } from './faults.ts'

export interface ServiceAnswer {
  status: number
  rawHeaders: string[]
  body: Buffer
}

/** One request of the client, and what became of it. */
export interface Exchange {
  method: string
  path: string
  headers: IncomingMessage['headers']
  fault: Fault
  /** What the service answered, delivered or not: none if it was not asked or not heard, two if it was asked twice. */
  answers: ServiceAnswer[]
}

export interface FaultProxyOptions {
  /** The service. */
  origin: string
  random: Random
  weights: FaultWeights
  maxDelayMs?: number
  /** What `Retry-After` of the proxy's own 503 says; null for none. */
  retryAfter?: readonly (string | null)[]
}

/** Faults of a request in a row, before it gets an answer: fewer than its caller has attempts. */
const mostInARow = 8

const html = '<html><head><title>503</title></head><body>No server is available.</body></html>'
const envelope = (message: string) =>
  JSON.stringify({ error: { type: 'server_error', code: 'service_unavailable', message, param: null } })

export class FaultProxy {
  readonly counts = new Counts()
  /** All exchanges that are over, in the order of their ends. */
  readonly exchanges: Exchange[] = []
  weights: FaultWeights
  /** Faults of the next exchanges, before any is drawn. */
  readonly script: Fault[] = []
  readonly #options: Required<FaultProxyOptions>
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })
  readonly #server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => this.#take(incoming, response))
  readonly #running = new Set<Promise<void>>()
  readonly #inARow = new Map<string, number>()

  private constructor(options: FaultProxyOptions) {
    this.#options = { maxDelayMs: 40, retryAfter: [null, '0'], ...options }
    this.weights = options.weights
  }

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Requests that the client or the service still wait for. */
  get inFlight(): number {
    return this.#running.size
  }

  /** Resolves once no exchange is running, those included whose caller was cut. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    this.#agent.destroy()
  }

  #take(incoming: IncomingMessage, response: ServerResponse): void {
    const running = this.#handle(incoming, response).catch(() => void incoming.socket.destroy())
    this.#running.add(running)
    void running.then(() => this.#running.delete(running))
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming
    response.on('error', () => {})
    const body = await buffer(incoming)
    const fault = this.#chooseFault(`${method} ${path} ${body.toString()}`)
    const exchange: Exchange = { method, path, headers, fault, answers: [] }
    try {
      await this.#disturb(exchange, body, response)
    } finally {
      this.counts.add(fault)
      this.exchanges.push(exchange)
    }
  }

  /** By the script, then by chance, which would end in as many faults as there are attempts now and then. */
  #chooseFault(request: string): Fault {
    const before = this.#inARow.get(request) ?? 0
    const isDue = before >= mostInARow && this.weights.pass !== undefined
    const fault = this.script.shift() ?? (isDue ? 'pass' : drawFault(this.#options.random, this.weights))
    if (isAnswered(fault)) this.#inARow.delete(request)
    else this.#inARow.set(request, before + 1)
    return fault
  }

  async #disturb(exchange: Exchange, body: Buffer, response: ServerResponse): Promise<void> {
    const { random, maxDelayMs } = this.#options
    const socket = response.socket!
    switch (exchange.fault) {
      case 'cut_before':
        return this.#cut(socket)
      case 'unavailable':
        return this.#refuse(response)
      case 'cut_during':
      case 'abandon': {
        const { sent, answered } = this.#ask(exchange, body)
        await once(sent, 'finish').catch(() => {})
        await wait(random.below(8))
        this.#cut(socket)
        if (exchange.fault === 'abandon') sent.destroy()
        await answered.catch(() => {})
        return
      }
      case 'cut_after':
        await this.#askFor(exchange, body, response)
        return this.#cut(socket)
      case 'cut_midway':
        await this.#begin(await this.#askFor(exchange, body, response), socket)
        return this.#cut(socket)
      case 'stall': {
        const answer = await this.#askFor(exchange, body, response)
        if (random.chance(0.5)) await this.#begin(answer, socket)
        if (!socket.destroyed) await once(socket, 'close')
        return
      }
      case 'repeat': {
        const both = await Promise.all([1, 2].map(() => this.#askFor(exchange, body, response)))
        return deliver(random.pick(both), response)
      }
      case 'delay': {
        const before = random.below(maxDelayMs + 1)
        await wait(before)
        const answer = await this.#askFor(exchange, body, response)
        await wait(maxDelayMs - before)
        return deliver(answer, response)
      }
      case 'pass':
        return deliver(await this.#askFor(exchange, body, response), response)
    }
  }

  /** In order, or by a reset. */
  #cut(socket: Socket): void {
    if (this.#options.random.chance(0.5)) socket.destroy()
    else socket.resetAndDestroy()
  }

  /** Sends the beginning of an answer. */
  async #begin(answer: ServiceAnswer, socket: Socket): Promise<void> {
    const bytes = serialize(answer)
    const part = bytes.subarray(0, 1 + this.#options.random.below(bytes.length - 1))
    await new Promise<unknown>((resolve) => socket.write(part, resolve))
  }

  #refuse(response: ServerResponse): void {
    const { random, retryAfter } = this.#options
    const after = random.pick(retryAfter)
    const isOurs = random.chance(0.5)
    response.writeHead(503, {
      'content-type': isOurs ? 'application/json' : 'text/html',
      ...(after !== null && { 'retry-after': after }),
    })
    response.end(isOurs ? envelope('The service is restarting.') : html)
  }

  /** The service's answer, for a client that waits: when it hangs up, the service's connection is closed too. */
  async #askFor(exchange: Exchange, body: Buffer, response: ServerResponse): Promise<ServiceAnswer> {
    const { sent, answered } = this.#ask(exchange, body)
    const hangUp = () => void sent.destroy()
    response.once('close', hangUp)
    // The request may be gone before it was forwarded.
    if (response.destroyed) hangUp()
    try {
      return await answered
    } finally {
      response.off('close', hangUp)
    }
  }

  #ask({ method, path, headers, answers }: Exchange, body: Buffer) {
    const { host: _, connection: __, 'transfer-encoding': ___, ...forwarded } = headers
    const sent: ClientRequest = request(this.#options.origin + path, {
      method,
      headers: { ...forwarded, 'content-length': body.length },
      agent: this.#agent,
    })
    sent.on('error', () => {})
    const answered = readAnswer(sent).then((answer) => {
      answers.push(answer)
      return answer
    })
    // Who waits for it hears of its failure; of an abandoned one nobody does.
    answered.catch(() => {})
    sent.end(body)
    return { sent, answered }
  }
}

async function readAnswer(sent: ClientRequest): Promise<ServiceAnswer> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await buffer(answer)
  const rawHeaders = answer.rawHeaders.filter((_, i, all) => !/^(connection|keep-alive)$/i.test(all[i - (i % 2)]!))
  return { status: answer.statusCode!, rawHeaders, body }
}

function deliver({ status, rawHeaders, body }: ServiceAnswer, response: ServerResponse): void {
  response.writeHead(status, rawHeaders)
  response.end(body)
}

/** The bytes of an answer on the connection. */
function serialize({ status, rawHeaders, body }: ServiceAnswer): Buffer {
  const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}\r\n`] : []))
  const isChunked = /\r\ntransfer-encoding: *chunked/i.test(`\r\n${lines.join('')}`)
  const head = Buffer.from(`HTTP/1.1 ${status} Answer\r\n${lines.join('')}\r\n`, 'latin1')
  if (!isChunked) return Buffer.concat([head, body])
  return Buffer.concat([head, Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
}
