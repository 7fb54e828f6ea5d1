import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { serveOnLoopback } from '../../support/listen.ts'
import { type Delivery, deliverTo } from './standin-app.ts'

/** A share from 0 to 1. */
export type Dice = () => number

/** Numbers that follow from a seed (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Chaos {
  dice: Dice
  /** Shares of events that are lost, and that come twice. */
  lost: number
  twice: number
  /** The share of the provider's replies that are refusals. */
  refused: number
}

export const calm: Chaos = { dice: () => 0.5, lost: 0, twice: 0, refused: 0 }

/**
 * A provider's gateway in bad weather: requests wait before they are done, replies after, so that what a server reads may
 * be old when it comes, and overtaken by another reply. Answers with its address.
 */
export async function startGateway(target: string, weather: () => Chaos): Promise<string> {
  return serveOnLoopback(async (request, response) => {
    const { dice, refused } = weather()
    const body = await buffer(request)
    await delay(dice() * 10)
    if (dice() < refused) {
      response.writeHead(429, { 'content-type': 'application/json' })
      return response.end('{"error":{"type":"invalid_request_error","message":"Too many requests"}}')
    }
    const { host: _, connection: __, ...headers } = request.headers
    const reply = await fetch(target + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    const text = await reply.text()
    // Long enough now and then for several changes, and for other replies about them.
    await delay(dice() < 0.7 ? dice() * 10 : dice() * 150)
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(text)
  })
}

/** Carries events to any of several servers: late, out of order, twice or not at all, again and again when refused. */
export class BadPost {
  readonly #servers: string[]
  readonly #weather: () => Chaos
  readonly #underway = new Set<Promise<void>>()
  lost = 0
  carried = 0

  constructor(servers: string[], weather: () => Chaos) {
    this.#servers = servers
    this.#weather = weather
  }

  readonly take = async (delivery: Delivery): Promise<number> => {
    const { dice, lost, twice } = this.#weather()
    if (dice() < lost) {
      this.lost += 1
      return 200
    }
    this.#send(delivery)
    if (dice() < twice) this.#send(delivery)
    return 200
  }

  /** Resolves when nothing is under way any more. */
  async arrived(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway)
  }

  #send(delivery: Delivery): void {
    const journey = this.#carry(delivery).finally(() => this.#underway.delete(journey))
    this.#underway.add(journey)
  }

  async #carry(delivery: Delivery): Promise<void> {
    const { dice } = this.#weather()
    // Most are quick; some come after many that were sent later.
    await delay(dice() < 0.8 ? dice() * 30 : dice() * 400)
    for (;;) {
      const server = this.#servers[Math.floor(dice() * this.#servers.length)]!
      const status = await deliverTo(server, delivery)
      if (status === 200) break
      if (status < 500) throw new Error(`an event was refused with ${status}`)
      await delay(20)
    }
    this.carried += 1
  }
}
