import { isDatabaseUnavailable } from '@storedex/pg-lanes/failures'
import type pg from 'pg'
import { readInstallationValue } from '../../foundation/db/installation.ts'
import { type ConnectionPool, createPool, type Pool, type Queryable } from '../../foundation/db/pool.ts'
import type { GaugeSource } from '../../foundation/http/metrics.ts'
import { readCatalogueState } from './queries.ts'
import type { ReplicaListener } from './replica.ts'

export interface StandbyOptions {
  url: string
  /** The pool that reads the primary's newest batch. */
  primary: Pool
  applicationName: string
  maxConnections: number
  /** The use of the standby, as a phrase for the log. */
  use: string
  onLog: ReplicaListener['onLog']
}

export type StandbyState = 'in_step' | 'behind' | 'away' | 'other_database'

/** A standby that lags for longer is not used until it has caught up. */
const tolerableLagMs = 1_000
/** Without a check for this long nothing is known. */
const knownForMs = 3_000
/** A slower standby is as good as none. */
const answerTimeoutMs = 12_000
const checkTimeoutMs = 2_000

const queryCanceled = '57014'

/**
 * A standby of the database that answers reads of the catalogue, never of accounts, while it has the primary's batches.
 * In its place the primary answers whenever the standby is behind, away or another database.
 */
export class Standby {
  readonly #options: StandbyOptions
  readonly #pool: ConnectionPool
  readonly #checks: ConnectionPool
  #state: StandbyState | null = null
  #secret: Buffer | null = null
  #behindSince: number | null = null
  #lag = 0
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(options: StandbyOptions) {
    const { url, applicationName, maxConnections } = options
    this.#options = options
    this.#pool = createPool({
      url,
      applicationName,
      maxConnections,
      connectionTimeoutMs: checkTimeoutMs,
      answerTimeoutMs,
    })
    const times = { connectionTimeoutMs: checkTimeoutMs, answerTimeoutMs: checkTimeoutMs }
    this.#checks = createPool({ url, applicationName, maxConnections: 1, ...times })
  }

  /** Null before the first check. */
  get state(): StandbyState | null {
    return this.#state
  }

  /** Batches of the primary that the standby did not have when it was last checked. */
  get lag(): number {
    return this.#lag
  }

  get #isUsable(): boolean {
    return this.#state === 'in_step' && performance.now() - this.#checkedAt < knownForMs
  }

  /** Compares the standby with the primary. To be called about twice a second while `over` is in use. */
  async check(): Promise<void> {
    const { primary } = this.#options
    const point = await readCatalogueState(primary, 0)
    try {
      if (!(await this.#hasSameSecret())) return this.#change('other_database')
      const seen = await readCatalogueState(this.#checks, point.batch)
      this.#checkedAt = performance.now()
      this.#lag = Math.max(0, point.batch - seen.batch)
      if (this.#lag === 0) {
        this.#behindSince = null
        return this.#change(seen.seenHistoryId === point.historyId ? 'in_step' : 'other_database')
      }
      this.#behindSince ??= performance.now()
      if (performance.now() - this.#behindSince >= tolerableLagMs) this.#change('behind')
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Reads that go to the standby while it is in step, and else, or if it fails, to `primary`. */
  over(primary: Queryable): Queryable {
    // biome-ignore lint/suspicious/noExplicitAny: as in Queryable
    const query = async <Row extends pg.QueryResultRow = any>(
      text: string | pg.QueryConfig,
      values?: readonly unknown[],
    ): Promise<pg.QueryResult<Row>> => {
      if (!this.#isUsable) return primary.query<Row>(text, values)
      try {
        return await this.#pool.query<Row>(text, values)
      } catch (error) {
        // A statement that takes too long here would take as long there.
        if (!isDatabaseUnavailable(error) || (error as { code?: string }).code === queryCanceled) throw error
        this.#fail(error)
        return primary.query<Row>(text, values)
      }
    }
    return { query }
  }

  /**
   * Runs a read that needs a batch of the primary: on the standby if that has it, and else, or if it fails there, on
   * `primary`.
   */
  async readAt<T>(
    point: { batch: number; historyId: string | null },
    primary: Pool,
    work: (pool: Pool) => Promise<T>,
  ): Promise<T> {
    try {
      if (!(await this.#has(point))) return await work(primary)
      const result = await work(this.#pool)
      this.#change('in_step')
      return result
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      this.#fail(error)
      return work(primary)
    }
  }

  async #has({ batch, historyId }: { batch: number; historyId: string | null }): Promise<boolean> {
    if (!(await this.#hasSameSecret())) {
      this.#change('other_database')
      return false
    }
    const seen = await readCatalogueState(this.#checks, batch)
    this.#lag = Math.max(0, batch - seen.batch)
    return this.#lag === 0 && seen.seenHistoryId === historyId
  }

  /** Whether it is a copy of this database. Asked each time, since another server may answer by now. */
  async #hasSameSecret(): Promise<boolean> {
    this.#secret ??= await readInstallationValue(this.#options.primary, 'secret')
    const secret = await readInstallationValue(this.#checks, 'secret')
    return secret !== null && this.#secret?.equals(secret) === true
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#checks.end()])
  }

  gauges(): GaugeSource[] {
    return [
      {
        name: 'storedex_standby_used',
        help: '1 while the standby in DATABASE_REPLICA_URL answers reads of the catalogue, else 0.',
        read: () => [{ value: this.#isUsable ? 1 : 0 }],
      },
      {
        name: 'storedex_standby_batch_lag',
        help: 'Catalogue batches that the standby in DATABASE_REPLICA_URL does not have yet.',
        read: () => [{ value: this.#lag }],
      },
    ]
  }

  #fail(error: unknown): void {
    this.#behindSince = null
    this.#change('away', error)
  }

  #change(state: StandbyState, cause?: unknown): void {
    if (state === this.#state) return
    this.#state = state
    const { use, onLog } = this.#options
    if (state === 'in_step') onLog('info', `the standby in DATABASE_REPLICA_URL answers ${use}`)
    else onLog('warn', `the standby in DATABASE_REPLICA_URL ${reasons[state]}; the primary answers ${use}`, cause)
  }
}

const reasons: Record<Exclude<StandbyState, 'in_step'>, string> = {
  behind: 'is behind',
  away: 'does not answer',
  other_database: 'is no copy of this database',
}
