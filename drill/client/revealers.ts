import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../catalogue/build/random.ts'
import type { World } from '../installation/installation.ts'
import { askJson } from '../installation/seed.ts'
import type { Drill } from '../scenario.ts'
import { Counts } from './counts.ts'
import { type Answer, jsonOf, nameOf, type Reply, requestText, Wire } from './http-connection.ts'

/** One reveal that a client wants, under one Idempotency-Key, for as long as it takes. */
interface Wish {
  text: string
  ids: string[]
  /** Hash of the first reply's body; null before there is one. */
  digest: string | null
}

interface RevealReply {
  credits: { spent: number }
  data: { id: string; charged: boolean }[]
}

export interface RevealersOptions {
  clients: number
  random: Random
  /** Between two requests of a client. */
  pauseMs: number
}

const mostKept = 2_000
const patienceMs = 90_000

/** Clients that reveal people with an Idempotency-Key, repeat what got no reply, and replay what did. */
export class Revealers {
  readonly answers = new Counts()
  /** Durations of all requests that were answered. */
  readonly durationsMs: number[] = []
  readonly faults: string[] = []
  readonly #world: Pick<World, 'contactIds' | 'accounts' | 'service'>
  readonly #options: RevealersOptions
  readonly #kept: Wish[] = []
  readonly #chargedAt = new Map<string, number>()
  #running: Promise<unknown> = Promise.resolve()
  #isStopping = false
  #wishes = 0
  #replays = 0
  #differing = 0
  #spent = 0
  #unfulfilled = 0

  constructor(world: Pick<World, 'contactIds' | 'accounts' | 'service'>, options: RevealersOptions) {
    this.#world = world
    this.#options = options
  }

  start(): void {
    this.#isStopping = false
    this.#running = Promise.all(Array.from({ length: this.#options.clients }, () => this.#runClient()))
  }

  /** Lets every client bring its last wish to its end. */
  async finish(): Promise<void> {
    this.#isStopping = true
    await this.#running
  }

  async #runClient(): Promise<void> {
    const { random, pauseMs } = this.#options
    const wire = new Wire(this.#world.service.origin)
    while (!this.#isStopping) {
      const isReplay = this.#kept.length > 0 && random.chance(0.25)
      await this.#fulfil(wire, isReplay ? random.pick(this.#kept) : this.#wish())
      await delay(pauseMs)
    }
    wire.close()
  }

  #wish(): Wish {
    const { contactIds, accounts } = this.#world
    const { random } = this.#options
    const ids = [...new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(contactIds)))]
    const headers = { 'idempotency-key': `drill ${++this.#wishes} ${random.below(2 ** 30)}` }
    const body = { contact_ids: ids }
    const text = requestText('POST', '/api/v1/contacts/reveal', { key: accounts.greedy.key, body, headers })
    return { text, ids, digest: null }
  }

  async #fulfil(wire: Wire, wish: Wish): Promise<void> {
    for (const deadline = performance.now() + patienceMs; performance.now() < deadline; ) {
      const answer = await wire.request(wish.text)
      this.answers.add(nameOf(answer))
      if (answer.status !== null) this.durationsMs.push(answer.ms)
      if (answer.status === 200) return this.#take(wish, answer)
      if (!isComeBackLater(answer)) return this.#refuse(answer)
      await delay(30 + this.#options.random.below(70))
    }
    this.#unfulfilled++
  }

  #take(wish: Wish, reply: Reply): void {
    const digest = createHash('sha256').update(reply.body).digest('base64')
    if (wish.digest !== null) {
      this.#replays++
      if (digest !== wish.digest) this.#differing++
      return
    }
    wish.digest = digest
    const { credits, data } = jsonOf<RevealReply>(reply)
    this.#spent += credits.spent
    for (const { id, charged } of data) {
      if (charged) this.#chargedAt.set(id, (this.#chargedAt.get(id) ?? 0) + 1)
      else if (!this.#chargedAt.has(id)) this.#chargedAt.set(id, 0)
    }
    if (this.#kept.length < mostKept) this.#kept.push(wish)
    else this.#kept[this.#options.random.below(mostKept)] = wish
  }

  #refuse(answer: Answer): void {
    this.#unfulfilled++
    if (this.faults.length < 5 && answer.status !== null) this.faults.push(`${answer.status} ${answer.body}`)
  }

  /** Replays all that was kept, and compares what clients were told with what the account was charged. */
  async check(drill: Drill): Promise<void> {
    if (!(await this.#world.service.isReadyWithin(30_000))) throw new Error('the service does not serve any more')
    const wire = new Wire(this.#world.service.origin)
    for (const wish of this.#kept.slice(0, 300)) await this.#fulfil(wire, wish)
    const { key } = this.#world.accounts.greedy
    const { contact_credits } = await askJson<{ contact_credits: { used: number } }>(wire, 'GET', '/api/v1/usage', {
      key,
    })
    wire.close()
    const revealed = this.#chargedAt.size
    const notOnce = [...this.#chargedAt.values()].filter((times) => times !== 1).length
    const came = `${revealed} people revealed, ${contact_credits.used} credits used, ${this.#spent} told as spent, ${notOnce} not charged exactly once`
    const isExact = contact_credits.used === revealed && this.#spent === revealed && notOnce === 0 && revealed > 0
    drill.check('every reveal is charged exactly once', isExact, came)
    const replays = `${this.#differing} of ${this.#replays} replays differ`
    drill.check('a replay is the first reply, byte for byte', this.#differing === 0 && this.#replays > 0, replays)
    const refusals = `${this.#unfulfilled} wishes without a reply; ${this.faults.join(' ')}`
    drill.check(
      'every wish is fulfilled in the end, and nothing is refused for good',
      this.#unfulfilled === 0,
      refusals,
    )
    drill.figure('answers to reveals', String(this.answers))
  }
}

function isComeBackLater({ status }: Answer): boolean {
  return status === null || status === 503 || status === 409
}
