import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../catalogue/build/random.ts'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import type { Installation } from '../installation/installation.ts'
import { requestJson } from '../installation/seed.ts'
import type { Drill } from '../scenario.ts'
import { type Answer, HttpConnection, jsonOf, labelOf, type Reply, requestText } from './http-connection.ts'

/** One reveal with an Idempotency-Key, repeated until it succeeds. */
interface RevealTask {
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

const maxKept = 2_000
const taskTimeoutMs = 90_000

/** Clients that reveal contacts with an Idempotency-Key, repeat requests without a reply, and replay answered ones. */
export class Revealers {
  readonly answers = new Counts()
  /** Durations of all requests that were answered. */
  readonly durationsMs: number[] = []
  readonly faults: string[] = []
  readonly #installation: Pick<Installation, 'contactIds' | 'accounts' | 'service'>
  readonly #options: RevealersOptions
  readonly #answeredTasks: RevealTask[] = []
  readonly #chargedAt = new Map<string, number>()
  #running: Promise<unknown> = Promise.resolve()
  #isStopping = false
  #tasks = 0
  #replays = 0
  #differing = 0
  #spent = 0
  #failed = 0

  constructor(installation: Pick<Installation, 'contactIds' | 'accounts' | 'service'>, options: RevealersOptions) {
    this.#installation = installation
    this.#options = options
  }

  start(): void {
    this.#isStopping = false
    this.#running = Promise.all(Array.from({ length: this.#options.clients }, () => this.#runClient()))
  }

  /** Stops after each client's current reveal. */
  async finish(): Promise<void> {
    this.#isStopping = true
    await this.#running
  }

  /** Contacts whose reveal was answered by now. */
  get answeredContacts(): string[] {
    return [...this.#chargedAt.keys()]
  }

  async #runClient(): Promise<void> {
    const { random, pauseMs } = this.#options
    const connection = new HttpConnection(this.#installation.service.origin)
    while (!this.#isStopping) {
      const isReplay = this.#answeredTasks.length > 0 && random.chance(0.25)
      await this.#complete(connection, isReplay ? random.pick(this.#answeredTasks) : this.#drawTask())
      await delay(pauseMs)
    }
    connection.close()
  }

  #drawTask(): RevealTask {
    const { contactIds, accounts } = this.#installation
    const { random } = this.#options
    const ids = [...new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(contactIds)))]
    const headers = { 'idempotency-key': `drill ${++this.#tasks} ${random.below(2 ** 30)}` }
    const body = { contact_ids: ids }
    const text = requestText('POST', '/api/v1/contacts/reveal', { key: accounts.greedy.key, body, headers })
    return { text, ids, digest: null }
  }

  async #complete(connection: HttpConnection, task: RevealTask): Promise<void> {
    for (const deadline = performance.now() + taskTimeoutMs; performance.now() < deadline; ) {
      const answer = await connection.request(task.text)
      this.answers.add(labelOf(answer))
      if (answer.status !== null) this.durationsMs.push(answer.ms)
      if (answer.status === 200) return this.#take(task, answer)
      if (!isRetryable(answer)) return this.#refuse(answer)
      await delay(30 + this.#options.random.below(70))
    }
    this.#failed++
  }

  #take(task: RevealTask, reply: Reply): void {
    const digest = createHash('sha256').update(reply.body).digest('base64')
    if (task.digest !== null) {
      this.#replays++
      if (digest !== task.digest) this.#differing++
      return
    }
    task.digest = digest
    const { credits, data } = jsonOf<RevealReply>(reply)
    this.#spent += credits.spent
    for (const { id, charged } of data) {
      if (charged) this.#chargedAt.set(id, (this.#chargedAt.get(id) ?? 0) + 1)
      else if (!this.#chargedAt.has(id)) this.#chargedAt.set(id, 0)
    }
    if (this.#answeredTasks.length < maxKept) this.#answeredTasks.push(task)
    else this.#answeredTasks[this.#options.random.below(maxKept)] = task
  }

  #refuse(answer: Answer): void {
    this.#failed++
    if (this.faults.length < 5 && answer.status !== null) this.faults.push(`${answer.status} ${answer.body}`)
  }

  /** Replays answered reveals, and compares the replies with the account's usage. */
  async check(drill: Drill): Promise<void> {
    if (!(await this.#installation.service.isReadyWithin(30_000))) throw new Error('the service stopped serving')
    const connection = new HttpConnection(this.#installation.service.origin)
    for (const task of this.#answeredTasks.slice(0, 300)) await this.#complete(connection, task)
    const { key } = this.#installation.accounts.greedy
    const { contact_credits } = await requestJson<{ contact_credits: { used: number } }>(
      connection,
      'GET',
      '/api/v1/usage',
      {
        key,
      },
    )
    connection.close()
    const revealed = this.#chargedAt.size
    const notOnce = [...this.#chargedAt.values()].filter((times) => times !== 1).length
    const came = `${revealed} people revealed, ${contact_credits.used} credits used, ${this.#spent} reported as spent, ${notOnce} not charged exactly once`
    const isExact = contact_credits.used === revealed && this.#spent === revealed && notOnce === 0 && revealed > 0
    drill.check('every reveal is charged exactly once', isExact, came)
    const replays = `${this.#differing} of ${this.#replays} replays differ`
    drill.check('a replay is the first reply, byte for byte', this.#differing === 0 && this.#replays > 0, replays)
    const refusals = `${this.#failed} reveals without a reply; ${this.faults.join(' ')}`
    drill.check('every reveal succeeds in the end', this.#failed === 0, refusals)
    drill.figure('answers to reveals', String(this.answers))
  }
}

function isRetryable({ status }: Answer): boolean {
  return status === null || status === 503 || status === 409
}
