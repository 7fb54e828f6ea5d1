import { runDueTasks } from './billing/due-tasks.ts'
import { FaultInjector } from './control/faults.ts'
import { WebhookDispatcher } from './events/delivery.ts'
import { keepsChanges } from './http/errors.ts'
import { Database, type DatabaseSnapshot, type RequestContext } from './state/database.ts'
import { lockState } from './state/lock.ts'
import { defaultSeedPlans, getSettings, type SeedPlan, seedDatabase, seedWebhookEndpoint } from './state/seed.ts'
import { loadOrCreateSecretKey, readStateFile, StateFile } from './state/state-directory.ts'

/** How a stand-in is opened. */
export interface StandinOptions {
  /** Where its state is kept; without one it lives in memory only. */
  readonly stateDir?: string | undefined
  /** The key that requests have to carry; without one the stand-in makes its own, and keeps it where its state is kept. */
  readonly secretKey?: string | undefined
  /** An endpoint that exists from the start. */
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined
  /** What is for sale from the start. */
  readonly plans?: readonly SeedPlan[] | undefined
  /** The clock on the wall, to which the stand-in's own adds what it was advanced by. */
  readonly clock?: (() => Date) | undefined
}

type Request = RequestContext['request']
const noRequest: Request = { id: null, idempotencyKey: null }

/** Runs verbs on the records: one after another, all or nothing, and on disk before anybody hears of them. */
export class Standin {
  readonly secretKey: string
  readonly faults = new FaultInjector()
  /** Where the stand-in can be reached; known once it listens. */
  url = 'http://127.0.0.1'
  /** Signs the events for the endpoint of the options. */
  readonly webhookSecret: string | null
  private readonly db: Database
  private readonly stateFile: StateFile | undefined
  private readonly clock: () => Date
  private readonly unlock: () => void
  private readonly dispatcher: WebhookDispatcher
  private deliveriesPaused = false

  constructor(options: StandinOptions = {}) {
    const { stateDir } = options
    this.clock = options.clock ?? (() => new Date())
    this.unlock = stateDir ? lockState(stateDir) : () => {}
    this.secretKey = options.secretKey ?? this.loadKey(stateDir)
    this.db = new Database(stateDir ? this.load(stateDir) : undefined)
    const wallSeconds = Math.floor(this.clock().getTime() / 1000)
    seedDatabase(this.db, options.plans ?? defaultSeedPlans, wallSeconds)
    this.webhookSecret = options.webhook ? seedWebhookEndpoint(this.db, options.webhook, wallSeconds).secret : null
    this.stateFile = stateDir ? new StateFile(stateDir, this.db) : undefined
    this.dispatcher = new WebhookDispatcher({
      faults: this.faults,
      nowMs: () => this.nowMs(),
      wallMs: () => this.clock().getTime(),
      read: (operation) => operation(this.context(noRequest)),
      whenSaved: async () => this.stateFile?.settled(),
      recordOutcome: (operation) => {
        this.attempt(operation, noRequest)
        // Lost in a crash, this only means that an event is sent once more.
        void this.stateFile?.save().catch(() => {})
      },
    })
  }

  private loadKey(stateDir: string | undefined): string {
    try {
      return loadOrCreateSecretKey(stateDir)
    } catch (error) {
      this.unlock()
      throw error
    }
  }

  private load(stateDir: string): DatabaseSnapshot | undefined {
    try {
      return readStateFile(stateDir)
    } catch (error) {
      this.unlock()
      throw error
    }
  }

  /** The stand-in's own clock. */
  nowMs(): number {
    return this.clock().getTime() + getSettings(this.db).clock_offset_seconds * 1000
  }

  /** Looks at the records. What falls due by now is done first, and is on disk before the answer. */
  async read<T>(operation: (ctx: RequestContext) => T): Promise<T> {
    return this.change(operation)
  }

  /** Runs a verb that may change records. When it throws, nothing has changed, except by a declined card. */
  async change<T>(operation: (ctx: RequestContext) => T, request: Request = noRequest): Promise<T> {
    let changed = this.attempt(runDueTasks, noRequest).changed
    try {
      const done = this.attempt(operation, request)
      changed ||= done.changed
      return done.result
    } catch (error) {
      changed ||= keepsChanges(error)
      throw error
    } finally {
      if (changed) await this.stateFile?.save()
      else await this.stateFile?.settled() // what this answer tells may be another request's change
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
    if (!this.deliveriesPaused) await this.dispatcher.dispatch(everything)
  }

  /** Stops sending, keeps what was not sent for the next start, and gives the state free. */
  async close(): Promise<void> {
    this.deliveriesPaused = true
    await this.dispatcher.stop()
    await this.stateFile?.save()
    this.unlock()
  }

  private startDeliveries(): void {
    // What keeps events from being sent, a full disk, is told to whoever changes something next.
    void this.settle().catch(() => {})
  }

  private attempt<T>(operation: (ctx: RequestContext) => T, request: Request): { result: T; changed: boolean } {
    this.db.begin()
    try {
      const result = operation(this.context(request))
      return { result, changed: this.db.hasChanges }
    } catch (error) {
      if (!keepsChanges(error)) this.db.rollback()
      throw error
    }
  }

  private context(request: Request): RequestContext {
    return { db: this.db, now: Math.floor(this.nowMs() / 1000), url: this.url, request }
  }
}
