import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { serveOnLoopback } from '../../../support/listen.ts'
import { type Delivery, deliverEvent } from './standin-app.ts'

/** Forwards a request with its body to the server at `target`. */
export function forwardRequest(
  target: string,
  { method, url, headers: { host: _, connection: __, ...headers } }: IncomingMessage,
  body: Buffer,
): Promise<Response> {
  return fetch(target + url, {
    method: method!,
    headers: headers as Record<string, string>,
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  })
}

/** How requests are answered: forwarded, connection refused, never answered, or cut off halfway. */
export type ProxyMode = 'forwards' | 'refuses' | 'hangs' | 'breaks off'

export interface OutageProxy {
  mode: ProxyMode
  /** The largest number of requests that waited at the same time while the proxy hung. */
  mostWaiting(): number
  start(target: string): Promise<string>
}

/** Creates a proxy between a server and its payment provider that can fail. */
export function createOutageProxy(): OutageProxy {
  let waiting = 0
  let mostWaiting = 0
  const proxy: OutageProxy = {
    mode: 'forwards',
    mostWaiting: () => mostWaiting,
    async start(target) {
      return serveOnLoopback(async (request, response) => {
        const body = await buffer(request)
        if (proxy.mode === 'refuses') return void request.socket.destroy()
        if (proxy.mode === 'hangs') {
          waiting += 1
          mostWaiting = Math.max(mostWaiting, waiting)
          return void response.once('close', () => {
            waiting -= 1
          })
        }
        const reply = await forwardRequest(target, request, body)
        const text = await reply.text()
        response.writeHead(reply.status, { 'content-type': 'application/json' })
        if (proxy.mode === 'forwards') return void response.end(text)
        response.write(text.slice(0, text.length / 2), () => request.socket.destroy())
      })
    },
  }
  return proxy
}

/** A random number from 0 to 1. */
export type Random = () => number

/** A seeded generator (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Probabilities of faults. */
export interface Faults {
  random: Random
  /** Of an event that is lost, or delivered twice. */
  lost: number
  twice: number
  /** Of a request that the provider refuses. */
  refused: number
}

export const noFaults: Faults = { random: () => 0.5, lost: 0, twice: 0, refused: 0 }

/**
 * Starts a proxy to the provider that delays requests and replies at random, so that replies may be outdated and overtake
 * each other. Returns its URL.
 */
export async function startFaultyProxy(target: string, faults: () => Faults): Promise<string> {
  return serveOnLoopback(async (request, response) => {
    const { random, refused } = faults()
    const body = await buffer(request)
    await delay(random() * 10)
    if (random() < refused) {
      response.writeHead(429, { 'content-type': 'application/json' })
      return response.end('{"error":{"type":"invalid_request_error","message":"Too many requests"}}')
    }
    const reply = await forwardRequest(target, request, body)
    const text = await reply.text()
    // Sometimes long enough for several changes, and for later replies to arrive first.
    await delay(random() < 0.7 ? random() * 10 : random() * 150)
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(text)
  })
}

/** Delivers events to one of several servers: late, out of order, twice or not at all; retries on a 5xx. */
export class UnreliableDelivery {
  readonly #servers: string[]
  readonly #faults: () => Faults
  readonly #pending = new Set<Promise<void>>()
  lost = 0
  delivered = 0

  constructor(servers: string[], faults: () => Faults) {
    this.#servers = servers
    this.#faults = faults
  }

  readonly take = async (delivery: Delivery): Promise<number> => {
    const { random, lost, twice } = this.#faults()
    if (random() < lost) {
      this.lost += 1
      return 200
    }
    this.#send(delivery)
    if (random() < twice) this.#send(delivery)
    return 200
  }

  /** Resolves when no delivery is pending. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  #send(delivery: Delivery): void {
    const sending = this.#carry(delivery).finally(() => this.#pending.delete(sending))
    this.#pending.add(sending)
  }

  async #carry(delivery: Delivery): Promise<void> {
    const { random } = this.#faults()
    // Most are fast; some arrive after many that were sent later.
    await delay(random() < 0.8 ? random() * 30 : random() * 400)
    for (;;) {
      const server = this.#servers[Math.floor(random() * this.#servers.length)]!
      const status = await deliverEvent(server, delivery)
      if (status === 200) break
      if (status < 500) throw new Error(`an event was refused with ${status}`)
      await delay(20)
    }
    this.delivered += 1
  }
}
