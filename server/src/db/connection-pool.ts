import pg from 'pg'
import { FairQueue, type PermitHolder } from '../runtime/fairness.ts'

/** Anything a statement can run on: a pool (its own transaction) or one client inside a transaction. */
export interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: rows without a type are what the driver says they are
  query<Row extends pg.QueryResultRow = any>(
    text: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>
}

export type Client = pg.PoolClient

/** A pool, or one holder's share of it. */
export interface Pool extends Queryable {
  /** A connection of one's own until it is released; give `release` the error that broke it. */
  connect(): Promise<Client>
  /** Names the connections behind it: equal for all lanes of a pool. */
  readonly connections: object
}

export interface PoolStats {
  total: number
  idle: number
  waiting: number
}

/** The same text as the driver's own, by which such a failure is recognised as passing. */
const waitedTooLong = 'timeout exceeded when trying to connect'

interface PoolSettings extends pg.PoolConfig {
  max: number
  /** How many connections one account may use at once; all of them when left out. */
  maxPerAccount?: number
  /** How long a statement waits for a connection, a new one or one that comes free. */
  connectionTimeoutMillis: number
}

interface Shared {
  pool: pg.Pool
  queue: FairQueue
  waitMs: number
}

/**
 * Connections to one database, shared fairly: each statement belongs to a holder (an account, or the service's own
 * background work), and a connection that comes free goes to the holder who has the fewest.
 */
export class ConnectionPool implements Pool {
  readonly connections = {}
  readonly #pool: pg.Pool
  readonly #queue: FairQueue
  readonly #waitMs: number
  readonly #maxPerAccount: number
  readonly #background: Lane

  constructor(settings: PoolSettings) {
    const { maxPerAccount = settings.max, ...poolSettings } = settings
    this.#pool = new pg.Pool(poolSettings)
    // The pool listens to a connection while it is idle, a query while it runs. An error between the two (the server was
    // stopped in the moment it answered) would have no listener and end the process. The next use finds it broken.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#pool.on('error', () => {})
    this.#queue = new FairQueue(settings.max)
    this.#maxPerAccount = maxPerAccount
    this.#waitMs = settings.connectionTimeoutMillis
    this.#background = this.lane('background')
  }

  /** The pool for work of the service's own. Where accounts share it, that holds at most half of the connections. */
  lane(name: string): Lane {
    const isShared = this.#maxPerAccount < this.max
    return this.#laneOf({ name, maxPermits: isShared ? Math.ceil(this.max / 2) : this.max })
  }

  /** The pool as an account sees it. */
  accountLane(name: string): Lane {
    return this.#laneOf({ name, maxPermits: this.#maxPerAccount })
  }

  #laneOf(holder: PermitHolder): Lane {
    return new Lane(this, { pool: this.#pool, queue: this.#queue, waitMs: this.#waitMs }, holder)
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

  /** Resolves when all connections are closed; those in use are waited for. */
  end(): Promise<void> {
    return this.#pool.end()
  }
}

/**
 * The statements of one request. `abort` ends whatever they wait for: a place in the queue, a connection being made, an
 * answer; a connection with an unanswered statement is closed, since nobody can say when the answer would come.
 */
export class Lane implements Pool {
  readonly connections: object
  readonly #pool: pg.Pool
  readonly #queue: FairQueue
  readonly #waitMs: number
  readonly #holder: PermitHolder
  readonly #pending = new Set<(error: Error) => void>()
  #aborted: Error | null = null
  #hasBegun = false

  constructor({ connections }: Pick<Pool, 'connections'>, { pool, queue, waitMs }: Shared, holder: PermitHolder) {
    this.connections = connections
    this.#waitMs = waitMs
    this.#pool = pool
    this.#queue = queue
    this.#holder = holder
  }

  /** From here on every statement of this lane fails with `error`, the running ones included. */
  abort(error: Error): void {
    if (this.#aborted) return
    this.#aborted = error
    for (const end of [...this.#pending]) end(error)
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
    if (!this.#queue.tryAcquire(this.#holder)) await this.#waitForTurn()
    let client: Client
    try {
      client = await this.#orAbort(this.#pool.connect(), (late) => late.release())
    } catch (error) {
      this.#queue.release(this.#holder)
      throw error
    }
    this.#hasBegun = true
    return this.#lend(client)
  }

  #waitForTurn(): Promise<void> {
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
      const timer = setTimeout(() => giveUp(new Error(waitedTooLong)), this.#waitMs)
      this.#pending.add(giveUp)
      this.#queue.enqueue(this.#holder, waiter, this.#hasBegun)
    })
  }

  /** The work's result, unless the lane is aborted first; a result that comes after that is disposed of. */
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

  /** Makes releasing also give the permit back, whoever releases it first: its user, or the abort. */
  #lend(client: Client): Client {
    const giveBack = client.release.bind(client)
    let isLent = true
    const release = (error?: Error | boolean) => {
      if (!isLent) return
      isLent = false
      this.#pending.delete(release)
      giveBack(error)
      this.#queue.release(this.#holder)
    }
    client.release = release
    this.#pending.add(release)
    return client
  }
}

/** Whether a failed statement leaves a connection that cannot be used again. An error of the statement alone does not. */
function isConnectionBroken(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || error.severity === 'FATAL' || error.severity === 'PANIC'
}
