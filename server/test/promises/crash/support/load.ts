import { expect } from 'vitest'
import { type ApiReply, sendRequest } from './requests.ts'

/** The replies to one key, and the charges that may exist without a reply. */
export interface Tally {
  key: string
  requests: number
  rows: number
  /** Rows of searches interrupted by a crash, which may or may not have been charged. */
  openRows: number
  /** Domains of the delivered stores. */
  stores: Set<string>
}

/** Pseudo-random numbers with a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Request {
  path: string
  body?: object
  limit: number
}

/** Several clients, each sending one request after another until stopped. */
export class Load {
  /** Replies that must never occur. */
  readonly faults: string[] = []
  readonly #running: Promise<unknown>
  #stopping = false
  #answers = 0
  #refusals = 0
  #crashedAt = Number.POSITIVE_INFINITY

  constructor(api: string, tallies: Tally[], domains: string[], random: () => number) {
    const clients = Array.from({ length: 6 }, async (_, i) => {
      while (!this.#stopping) await this.#askOnce(api, tallies[i % tallies.length]!, chooseRequest(domains, random))
    })
    this.#running = Promise.all(clients)
  }

  /** From now on, rejected requests are known not to have been charged. */
  noteCrash(): void {
    this.#crashedAt = performance.now()
  }

  /** Resolves once so many requests were answered. */
  async answered(count: number): Promise<void> {
    await expect.poll(() => this.#answers, { timeout: 60_000, interval: 10 }).toBeGreaterThanOrEqual(count)
  }

  /** Resolves once a request was lost or refused. */
  async refused(): Promise<void> {
    await expect.poll(() => this.#refusals, { interval: 10 }).toBeGreaterThan(0)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  async #askOnce(api: string, tally: Tally, { path, body, limit }: Request): Promise<void> {
    tally.requests++
    const startedAt = performance.now()
    const answer = await sendRequest(api, tally.key, path, body)
    if (answer === null || isComeBackLater(answer)) {
      this.#refusals++
      if (startedAt < this.#crashedAt) tally.openRows += limit
      // Wait before retrying a refused connection.
      await new Promise((resolve) => setTimeout(resolve, 20))
      return
    }
    this.#answers++
    if (answer.status === 200) count(tally, answer)
    else if (answer.status !== 404) this.faults.push(`${path} ${answer.status} ${JSON.stringify(answer.body)}`)
  }
}

function isComeBackLater({ status, headers, body }: ApiReply): boolean {
  return status === 503 && body.error?.code === 'service_unavailable' && headers.has('retry-after')
}

function chooseRequest(domains: string[], random: () => number): Request {
  const oneOf = <T>(items: T[]) => items[Math.floor(random() * items.length)]!
  const choice = random()
  if (choice < 0.35) return { path: `/stores/${oneOf(domains)}`, limit: 0 }
  if (choice < 0.65) {
    const some = Array.from({ length: 1 + Math.floor(random() * 25) }, () => oneOf(domains))
    return { path: '/stores/enrich', body: { domains: some, include: ['store'] }, limit: 0 }
  }
  const limit = 1 + Math.floor(random() * 50)
  const filters = { countries: oneOf([['US'], ['DE', 'FR'], ['GB'], []]), platform_plus: random() < 0.1 }
  return { path: '/stores/search', body: { filters, limit }, limit }
}

function count(tally: Tally, { body }: ApiReply): void {
  if (body.object === 'store') tally.stores.add(body.domain as string)
  else if (body.object === 'list') {
    const stores = body.data as { domain: string }[]
    tally.rows += stores.length
    for (const { domain } of stores) tally.stores.add(domain)
  } else {
    const rows = body.data as { store: { domain: string } | null }[]
    for (const { store } of rows) if (store) tally.stores.add(store.domain)
  }
}
