import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../catalogue/build/random.ts'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import { type Answer, HttpConnection, jsonOf, labelOf, type Reply, requestText } from './http-connection.ts'

/** An account that spends, and what its clients were told. */
export interface Spender {
  /** Its name, which no other account has. */
  name: string
  key: string
  /** Search rows of acknowledged replies, by request id. */
  rows: Map<string, number>
  /** Credits of acknowledged reveals without an Idempotency-Key, by request id. */
  credits: Map<string, number>
  /** Domains of stores in acknowledged replies. */
  domains: Set<string>
  /** How often a contact was reported as charged. */
  charged: Map<string, number>
  /** Answered reveals with an Idempotency-Key. */
  answered: KeyedReveal[]
}

interface KeyedReveal {
  text: string
  /** Hash of the first reply's body. */
  digest: string
}

export interface SpendersOptions {
  /** Services of one installation; each client uses one of them at a time. */
  origins: readonly string[]
  contactIds: readonly string[]
  domains: readonly string[]
  clients: number
  random: Random
}

interface RevealReply {
  credits: { spent: number }
  data: { id: string; charged: boolean }[]
}

interface SearchReply {
  data: { domain?: string; store?: { domain: string } }[]
  next_cursor: string | null
}

const maxKept = 500
const maxPages = 40
const keyedTimeoutMs = 90_000

/** Clients that search, look up, enrich and reveal without a pause, by few keys, and account for what they were told. */
export class Spenders {
  readonly answers = new Counts()
  /** Replies that were neither successes nor retryable. */
  readonly faults: string[] = []
  readonly #options: SpendersOptions
  #spenders: Spender[] = []
  #running: Promise<unknown> = Promise.resolve()
  #isStopping = false
  /** Clients with a lower number send requests, the others wait for `#moreActive`. */
  #active: number
  #moreActive = newGate()
  #keys = 0
  acknowledged = 0
  replays = 0
  differing = 0
  unanswered = 0

  constructor(options: SpendersOptions) {
    this.#options = options
    this.#active = options.clients
  }

  start(spenders: Spender[]): void {
    this.#spenders = spenders
    this.#isStopping = false
    this.#running = Promise.all(Array.from({ length: this.#options.clients }, (_, number) => this.#runClient(number)))
  }

  /** From now on only the first `active` clients begin requests; all others end those that they have begun. */
  setActive(active: number): void {
    this.#active = active
    this.#moreActive.open()
    this.#moreActive = newGate()
  }

  /** Stops after each client's current request; keyed reveals are repeated until they are answered. */
  async finish(): Promise<void> {
    this.#isStopping = true
    this.setActive(this.#options.clients)
    await this.#running
  }

  async #runClient(number: number): Promise<void> {
    const { random, origins } = this.#options
    const connections = origins.map((origin) => new HttpConnection(origin))
    const spender = this.#spenders[number % this.#spenders.length]!
    const isContactSearch = random.chance(0.5)
    let cursor: string | null = null
    let pages = 0
    while (!this.#isStopping) {
      if (number >= this.#active) {
        await this.#moreActive.opened
        continue
      }
      const connection = random.pick(connections)
      const kind = random.below(10)
      if (kind < 3) {
        cursor = await this.#search(connection, spender, isContactSearch, pages++ % maxPages === 0 ? null : cursor)
      } else if (kind < 4) await this.#lookUp(connection, spender)
      else if (kind < 6) await this.#enrich(connection, spender)
      else if (kind < 8) await this.#reveal(connection, spender)
      else await this.#revealWithKey(connections, spender)
    }
    for (const connection of connections) connection.close()
  }

  async #search(connection: HttpConnection, spender: Spender, isContactSearch: boolean, cursor: string | null) {
    const limit = 1 + this.#options.random.below(25)
    const path = `/api/v1/${isContactSearch ? 'contacts' : 'stores'}/search`
    const body = { ...(isContactSearch ? { person: {} } : { filters: {} }), limit, ...(cursor !== null && { cursor }) }
    const reply = await this.#send(connection, requestText('POST', path, { key: spender.key, body }))
    if (!reply) return cursor
    const { data, next_cursor } = jsonOf<SearchReply>(reply)
    if (data.length > 0) spender.rows.set(requestIdOf(reply), data.length)
    for (const { domain } of data) if (domain !== undefined) spender.domains.add(domain)
    return next_cursor
  }

  async #lookUp(connection: HttpConnection, spender: Spender): Promise<void> {
    const domain = this.#options.random.pick(this.#options.domains)
    const reply = await this.#send(connection, requestText('GET', `/api/v1/stores/${domain}`, { key: spender.key }))
    if (reply) spender.domains.add(domain)
  }

  async #enrich(connection: HttpConnection, spender: Spender): Promise<void> {
    const { random, domains } = this.#options
    const wanted = [...new Set(Array.from({ length: 1 + random.below(10) }, () => random.pick(domains)))]
    const text = requestText('POST', '/api/v1/stores/enrich', { key: spender.key, body: { domains: wanted } })
    if (await this.#send(connection, text)) for (const domain of wanted) spender.domains.add(domain)
  }

  async #reveal(connection: HttpConnection, spender: Spender): Promise<void> {
    const body = { contact_ids: this.#drawContacts() }
    const reply = await this.#send(
      connection,
      requestText('POST', '/api/v1/contacts/reveal', { key: spender.key, body }),
    )
    if (!reply) return
    const { credits } = this.#takeCharged(spender, reply)
    if (credits.spent > 0) spender.credits.set(requestIdOf(reply), credits.spent)
  }

  /** Repeats a reveal under its key, at either service, until it is answered; replays some that were answered. */
  async #revealWithKey(connections: readonly HttpConnection[], spender: Spender): Promise<void> {
    const { random } = this.#options
    const isReplay = spender.answered.length > 0 && random.chance(0.3)
    const known = isReplay ? random.pick(spender.answered) : null
    const headers = { 'idempotency-key': `spender ${++this.#keys} ${random.below(2 ** 30)}` }
    const body = { contact_ids: this.#drawContacts() }
    const text = known?.text ?? requestText('POST', '/api/v1/contacts/reveal', { key: spender.key, body, headers })
    for (const deadline = performance.now() + keyedTimeoutMs; performance.now() < deadline; ) {
      const reply = await this.#send(random.pick(connections), text)
      if (!reply) continue
      const digest = createHash('sha256').update(reply.body).digest('base64')
      if (known) {
        this.replays++
        if (digest !== known.digest) this.differing++
        return
      }
      this.#takeCharged(spender, reply)
      if (spender.answered.length < maxKept) spender.answered.push({ text, digest })
      else spender.answered[random.below(maxKept)] = { text, digest }
      return
    }
    this.unanswered++
  }

  #takeCharged(spender: Spender, reply: Reply): RevealReply {
    const told = jsonOf<RevealReply>(reply)
    for (const { id, charged } of told.data) if (charged) spender.charged.set(id, (spender.charged.get(id) ?? 0) + 1)
    return told
  }

  #drawContacts(): string[] {
    const { random, contactIds } = this.#options
    return [...new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(contactIds)))]
  }

  /** The success, or undefined after a short pause. */
  async #send(connection: HttpConnection, text: string): Promise<Reply | undefined> {
    const answer = await connection.request(text)
    this.answers.add(labelOf(answer))
    if (answer.status === 200) {
      this.acknowledged++
      return answer
    }
    if (answer.status !== null && !isRetryable(answer) && this.faults.length < 5)
      this.faults.push(`${answer.status} ${answer.body}`)
    // Nothing listens while a service starts: asking more often takes the processors that it needs.
    const shortestMs = answer.status === null ? 150 : 20
    await delay(shortestMs + this.#options.random.below(60))
    return undefined
  }
}

function newGate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

export function newSpender(name: string, key: string): Spender {
  return {
    name,
    key,
    rows: new Map(),
    credits: new Map(),
    domains: new Set(),
    charged: new Map(),
    answered: [],
  }
}

function requestIdOf({ head }: Reply): string {
  const [, id] = /\r\nx-request-id: (\S+)/i.exec(head) ?? []
  if (!id) throw new Error('a reply has no request id')
  return id
}

function isRetryable({ status }: Answer): boolean {
  return status === null || status === 503 || status === 409
}
