import { runDue } from './billing/due-tasks.ts'
import { FaultBox } from './control/faults.ts'
import { Deliverer } from './events/delivery.ts'
import { keepsChanges } from './http/errors.ts'
import { Book, type Desk, type SavedBook } from './state/database.ts'
import { lockState } from './state/lock.ts'
import { currentSettings, defaultPlans, type PlanForSale, seedBook, seedWebhookEndpoint } from './state/seed.ts'
import { Disk, loadBook, provideSecretKey } from './state/state-directory.ts'

/** How a stand-in is opened. */
export interface StandinOptions {
  /** Where its state is kept; without one it lives in memory only. */
  readonly stateDir?: string | undefined
  /** The key that requests have to carry; without one the stand-in makes its own, and keeps it where its state is kept. */
  readonly secretKey?: string | undefined
  /** An endpoint that exists from the start. */
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined
  /** What is for sale from the start. */
  readonly plans?: readonly PlanForSale[] | undefined
  /** The clock on the wall, to which the stand-in's own adds what it was advanced by. */
  readonly clock?: (() => Date) | undefined
}

type Request = Desk['request']
const noRequest: Request = { id: null, idempotencyKey: null }

/** Runs verbs on the records: one after another, all or nothing, and on disk before anybody hears of them. */
export class Standin {
  readonly secretKey: string
  readonly faults = new FaultBox()
  /** Where the stand-in can be reached; known once it listens. */
  url = 'http://127.0.0.1'
  /** Signs the events for the endpoint of the options. */
  readonly webhookSecret: string | null
  private readonly book: Book
  private readonly disk: Disk | undefined
  private readonly clock: () => Date
  private readonly unlock: () => void
  private readonly deliverer: Deliverer
  private deliveriesPaused = false

  constructor(options: StandinOptions = {}) {
    const { stateDir } = options
    this.clock = options.clock ?? (() => new Date())
    this.unlock = stateDir ? lockState(stateDir) : () => {}
    this.secretKey = options.secretKey ?? this.provideKey(stateDir)
    this.book = new Book(stateDir ? this.load(stateDir) : undefined)
    const wallSeconds = Math.floor(this.clock().getTime() / 1000)
    seedBook(this.book, options.plans ?? defaultPlans, wallSeconds)
    this.webhookSecret = options.webhook ? seedWebhookEndpoint(this.book, options.webhook, wallSeconds).secret : null
    this.disk = stateDir ? new Disk(stateDir, this.book) : undefined
    this.deliverer = new Deliverer({
      faults: this.faults,
      nowMs: () => this.nowMs(),
      wallMs: () => this.clock().getTime(),
      look: (verb) => verb(this.desk(noRequest)),
      onDisk: async () => this.disk?.idle(),
      note: (verb) => {
        this.attempt(verb, noRequest)
        // Lost in a crash, this only means that an event is sent once more.
        void this.disk?.save().catch(() => {})
      },
    })
  }

  private provideKey(stateDir: string | undefined): string {
    try {
      return provideSecretKey(stateDir)
    } catch (error) {
      this.unlock()
      throw error
    }
  }

  private load(stateDir: string): SavedBook | undefined {
    try {
      return loadBook(stateDir)
    } catch (error) {
      this.unlock()
      throw error
    }
  }

  /** The stand-in's own clock. */
  nowMs(): number {
    return this.clock().getTime() + currentSettings(this.book).clock_offset_seconds * 1000
  }

  /** Looks at the records. What falls due by now is done first, and is on disk before the answer. */
  async read<T>(verb: (desk: Desk) => T): Promise<T> {
    return this.change(verb)
  }

  /** Runs a verb that may change records. When it throws, nothing has changed, except by a declined card. */
  async change<T>(verb: (desk: Desk) => T, request: Request = noRequest): Promise<T> {
    let changed = this.attempt(runDue, noRequest).changed
    try {
      const done = this.attempt(verb, request)
      changed ||= done.changed
      return done.result
    } catch (error) {
      changed ||= keepsChanges(error)
      throw error
    } finally {
      if (changed) await this.disk?.save()
      else await this.disk?.idle() // what this answer tells may be another request's change
      if (changed) this.startDeliveries()
    }
  }

  /** Does what has fallen due and sends what is to be sent; called at every tick of a running stand-in. */
  async tick(): Promise<void> {
    await this.change(() => {})
    this.startDeliveries()
  }

  /** Resolves when every event that is due has been sent, or tried once; `everything` includes those that wait. */
  async settle(everything = false): Promise<void> {
    if (!this.deliveriesPaused) await this.deliverer.run(everything)
  }

  /** Stops sending, keeps what was not sent for the next start, and gives the state free. */
  async close(): Promise<void> {
    this.deliveriesPaused = true
    await this.deliverer.stop()
    await this.disk?.save()
    this.unlock()
  }

  private startDeliveries(): void {
    // What keeps events from being sent, a full disk, is told to whoever changes something next.
    void this.settle().catch(() => {})
  }

  private attempt<T>(verb: (desk: Desk) => T, request: Request): { result: T; changed: boolean } {
    this.book.begin()
    try {
      const result = verb(this.desk(request))
      return { result, changed: this.book.changed }
    } catch (error) {
      if (!keepsChanges(error)) this.book.rollBack()
      throw error
    }
  }

  private desk(request: Request): Desk {
    return { book: this.book, now: Math.floor(this.nowMs() / 1000), url: this.url, request }
  }
}
