import { mkdirSync } from 'node:fs'
import { tryLock } from '@storedex/process-lock'
import { runDueTasks } from './billing/due-tasks.ts'
import { WebhookDispatcher } from './events/delivery.ts'
import { Database, type DatabaseSnapshot, type RequestContext } from './state/database.ts'
import { keepsChanges } from './state/errors.ts'
import { FaultInjector } from './state/faults.ts'
import { defaultSeedPlans, getSettings, type SeedPlan, seedDatabase, seedWebhookEndpoint } from './state/seed.ts'
import { loadOrCreateSecretKey, readStateFile, StateFile } from './state/state-directory.ts'

export interface StandinOptions {
  /** Directory for the state; without one, state is in memory only. */
  readonly stateDir?: string | undefined
  /** The API key; without one, the stand-in generates one and saves it in the state directory. */
  readonly secretKey?: string | undefined
  /** A webhook endpoint that exists from the start. */
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined
  /** Products and prices that exist from the start. */
  readonly plans?: readonly SeedPlan[] | undefined
  /** Wall clock. The stand-in's clock adds the offset by which it was advanced. */
  readonly clock?: (() => Date) | undefined
}

type Request = RequestContext['request']
const noRequest: Request = { id: null, idempotencyKey: null }

/** Runs operations on the database: one at a time, atomically, and saved before the reply. */
export class Standin {
  readonly secretKey: string
  readonly faults = new FaultInjector()
  /** Base URL; known once the server listens. */
  url = 'http://127.0.0.1'
  /** Signing secret of the webhook endpoint in the options. */
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
        // Not awaited: if a crash loses it, the event is sent once more.
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

  /** The stand-in's clock. */
  nowMs(): number {
    return this.clock().getTime() + getSettings(this.db).clock_offset_seconds * 1000
  }

  /** Reads the database. Due tasks run first and are saved before the reply. */
  async read<T>(operation: (ctx: RequestContext) => T): Promise<T> {
    return this.change(operation)
  }

  /** Runs an operation that may change records. If it throws, nothing changes, unless the error keeps its changes. */
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
      else await this.stateFile?.settled() // the reply may contain changes of another request
      if (changed) this.startDeliveries()
    }
  }

  /** Runs due tasks and sends due events; called at intervals. */
  async tick(): Promise<void> {
    await this.change(() => {})
    this.startDeliveries()
  }

  /** Resolves when every due event was attempted; `everything` ignores delays. */
  async settle(everything = false): Promise<void> {
    if (!this.deliveriesPaused) await this.dispatcher.dispatch(everything)
  }

  /** Stops sending, saves undelivered events for the next start and releases the lock. */
  async close(): Promise<void> {
    this.deliveriesPaused = true
    await this.dispatcher.stop()
    await this.stateFile?.save()
    this.unlock()
  }

  private startDeliveries(): void {
    // A failure to save, such as a full disk, is reported to the next request that changes something.
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

/**
 * Makes this process the only one that uses the state in `directory`, until it ends or calls the function returned; throws
 * when another process does.
 */
function lockState(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lock = tryLock(directory)
  if ('release' in lock) return lock.release
  throw new Error(`Process ${lock.holder.pid} is using the stand-in's state in ${directory}.`)
}
