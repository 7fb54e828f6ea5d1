import { FairQueue, type PermitHolder } from '@storedex/work'
import pg from 'pg'
import { isMisplaced, poolHosts } from './host-client.ts'

/** Anything that runs statements: a pool (each statement its own transaction) or a client inside a transaction. */
export interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: rows without a type have the driver's
  query<Row extends pg.QueryResultRow = any>(
    text: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>
}

export type Client = pg.PoolClient

/** A pool, or one holder's share of it. */
export interface Pool extends Queryable {
  /** Checks out a connection until it is released; pass `release` the error that broke it. */
  connect(): Promise<Client>
  /** Identifies the underlying connections: the same object for all lanes of a pool. */
  readonly connections: object
}

export interface PoolStats {
  total: number
  idle: number
  waiting: number
}

/** The driver's own message, which classifies the failure as temporary. */
const connectTimeoutMessage = 'timeout exceeded when trying to connect'

interface PoolSettings extends pg.PoolConfig {
  /** May name several hosts. */
  connectionString: string
  max: number
  /** Maximum number of connections of one holder; default: all of them. */
  maxPerHolder?: number
  /** How long a statement waits for a connection. */
  connectionTimeoutMillis: number
}

interface Shared {
  open: () => Promise<Client>
  queue: FairQueue
  waitMs: number
}

/**
 * A connection pool that is shared fairly: each statement belongs to a holder, named by the caller, and a
 * released connection goes to the holder with the fewest.
 */
export class ConnectionPool implements Pool {
  readonly connections = {}
  readonly #pool: pg.Pool
  readonly #open: () => Promise<Client>
  readonly #queue: FairQueue
  readonly #waitMs: number
  readonly #maxPerHolder: number
  readonly #background: Lane
  readonly #lossListeners: (() => void)[] = []

  constructor(settings: PoolSettings) {
    const { maxPerHolder = settings.max, ...poolSettings } = settings
    const { Client, open } = poolHosts(settings.connectionString, settings.connectionTimeoutMillis)
    this.#pool = new pg.Pool({ ...poolSettings, Client })
    this.#open = () => open(() => checkOut(this.#pool))
    this.#pool.on('error', () => this.#reportLoss())
    this.#pool.on('release', (error: unknown) => {
      if (error) this.#reportLoss()
    })
    this.#queue = new FairQueue(settings.max)
    this.#maxPerHolder = maxPerHolder
    this.#waitMs = settings.connectionTimeoutMillis
    this.#background = this.lane('background')
  }

  /** Calls `listener` when a connection, idle or in use, was lost: the next one may lead to another server. */
  onConnectionLost(listener: () => void): void {
    this.#lossListeners.push(listener)
  }

  #reportLoss(): void {
    for (const listener of this.#lossListeners) listener()
  }

  /** The pool for the service's own work. When holders share it, such a lane holds at most half of the connections. */
  lane(name: string): Lane {
    const isShared = this.#maxPerHolder < this.max
    return this.#laneOf({ name, maxPermits: isShared ? Math.ceil(this.max / 2) : this.max })
  }

  /** The share of one holder. */
  holderLane(name: string): Lane {
    return this.#laneOf({ name, maxPermits: this.#maxPerHolder })
  }

  #laneOf(holder: PermitHolder): Lane {
    return new Lane(this, { open: this.#open, queue: this.#queue, waitMs: this.#waitMs }, holder)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as in Queryable
  query<Row extends pg.QueryResultRow = any>(
    text: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    return this.#background.query(text, values)
  }

  connect(): Promise<Client> {
    return this.#background.connect()
  }

  get max(): number {
    return this.#pool.options.max
  }

  get stats(): PoolStats {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#queue.waiting }
  }

  /** Closes all connections, and waits for those in use. */
  end(): Promise<void> {
    return this.#pool.end()
  }
}

/**
 * The statements of one request. `abort` ends their waiting: for a permit, for a new connection, or for an answer. A
 * connection with an unanswered statement is closed, because the answer may never come.
 */
export class Lane implements Pool {
  readonly connections: object
  readonly #open: () => Promise<Client>
  readonly #queue: FairQueue
  readonly #waitMs: number
  readonly #holder: PermitHolder
  readonly #pending = new Set<(error: Error) => void>()
  #aborted: Error | null = null
  #hasBegun = false

  constructor({ connections }: Pick<Pool, 'connections'>, { open, queue, waitMs }: Shared, holder: PermitHolder) {
    this.connections = connections
    this.#waitMs = waitMs
    this.#open = open
    this.#queue = queue
    this.#holder = holder
  }

  /** Fails every statement of this lane from now on with `error`, including running ones. */
  abort(error: Error): void {
    if (this.#aborted) return
    this.#aborted = error
    for (const end of [...this.#pending]) end(error)
  }

  /** True after `abort`: every statement of this lane fails. */
  get isAborted(): boolean {
    return this.#aborted !== null
  }

  /** Returns the result of work shared with other lanes. Rejects when this lane is aborted; the work continues. */
  untilAborted<T>(work: Promise<T>): Promise<T> {
    if (this.#aborted) return Promise.reject(this.#aborted)
    return this.#orAbort(work, () => {})
  }

  // biome-ignore lint/suspicious/noExplicitAny: as in Queryable
  async query<Row extends pg.QueryResultRow = any>(
    text: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const client = await this.connect()
    let broken: Error | undefined
    try {
      return await client.query<Row>(text as string, values as unknown[])
    } catch (error) {
      if (isConnectionBroken(error)) broken = error as Error
      throw this.#aborted ?? error
    } finally {
      client.release(broken)
    }
  }

  async connect(): Promise<Client> {
    if (this.#aborted) throw this.#aborted
    if (!this.#queue.tryAcquire(this.#holder)) await this.#waitForPermit()
    let client: Client
    try {
      client = await this.#orAbort(this.#open(), (late) => late.release())
    } catch (error) {
      this.#queue.release(this.#holder)
      throw error
    }
    this.#hasBegun = true
    return this.#wrapRelease(client)
  }

  #waitForPermit(): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        grant: () => {
          clearTimeout(timer)
          this.#pending.delete(giveUp)
          resolve()
        },
      }
      const giveUp = (error: Error) => {
        clearTimeout(timer)
        this.#pending.delete(giveUp)
        if (this.#queue.cancel(this.#holder, waiter)) reject(error)
      }
      const timer = setTimeout(() => giveUp(new Error(connectTimeoutMessage)), this.#waitMs)
      this.#pending.add(giveUp)
      this.#queue.enqueue(this.#holder, waiter, this.#hasBegun)
    })
  }

  /** Returns the result of `work`. Rejects when the lane is aborted, and then passes a late result to `dispose`. */
  #orAbort<T>(work: Promise<T>, dispose: (late: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = (error: Error) => {
        this.#pending.delete(giveUp)
        work.then(dispose, () => {})
        reject(error)
      }
      this.#pending.add(giveUp)
      work.then(
        (result) => {
          if (this.#pending.delete(giveUp)) resolve(result)
        },
        (error) => {
          if (this.#pending.delete(giveUp)) reject(error)
        },
      )
    })
  }

  /** Makes `release` also release the permit. The user or the abort may call it first; only the first call counts. */
  #wrapRelease(client: Client): Client {
    const releaseClient = client.release.bind(client)
    let isReleasable = true
    const release = (error?: Error | boolean) => {
      if (!isReleasable) return
      isReleasable = false
      this.#pending.delete(release)
      releaseClient(error ?? isMisplaced(client))
      this.#queue.release(this.#holder)
    }
    client.release = release
    this.#pending.add(release)
    return client
  }
}

/** Takes a connection from the pool. Closes those to a server that no longer accepts writes. */
async function checkOut(pool: pg.Pool): Promise<Client> {
  for (;;) {
    const client = await pool.connect()
    if (!isMisplaced(client)) return client
    client.release(true)
  }
}

/** Returns true if the connection is unusable after this error. An error of the statement alone leaves it usable. */
function isConnectionBroken(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || error.severity === 'FATAL' || error.severity === 'PANIC'
}
