import { connectClient } from '@storedex/pg-lanes'
import { classifyDatabaseError, type DatabaseFailure } from '@storedex/pg-lanes/failures'
import type pg from 'pg'

export interface DatabaseHealth {
  /** Null when the database can be read and written, otherwise a sentence that describes the problem. */
  problem: string | null
  /** The error behind the problem, for the log. */
  cause?: unknown
}

export interface DatabaseHealthCheckOptions {
  url: string
  /** Shown in pg_stat_activity. */
  applicationName: string
}

/** A slower database counts as not answering. */
const answerMs = 2_000
/** A write costs more than a read and gives no new information within seconds. */
const writeIntervalMs = 5_000

const lockNotAvailable = '55P03'

/**
 * Checks the database on a separate connection, so that a busy pool does not affect the result. It also tries to write:
 * a server with a full disk or missing files still answers reads from memory.
 */
export class DatabaseHealthCheck {
  readonly #options: DatabaseHealthCheckOptions
  #client: pg.Client | null = null
  #wroteAt = Number.NEGATIVE_INFINITY

  constructor(options: DatabaseHealthCheckOptions) {
    this.#options = options
  }

  /**
   * A check that timed out is made once more: where this process got no turn for as long, its timers end before it reads an answer
   * that has long been there.
   */
  async run(): Promise<DatabaseHealth> {
    const health = await this.#runOnce()
    return health.problem !== null && hasTimedOut(health.cause) ? this.#runOnce() : health
  }

  async #runOnce(): Promise<DatabaseHealth> {
    try {
      const client = await this.#connect()
      await client.query('select 1')
      if (performance.now() - this.#wroteAt >= writeIntervalMs) {
        await tryToWrite(client)
        // The smallest of the tables that Citus spreads over all machines: it is read on each of them.
        await client.query('select 1 from removed_stores limit 1')
        this.#wroteAt = performance.now()
      }
      return { problem: null }
    } catch (cause) {
      this.close()
      return { problem: sentences[classifyDatabaseError(cause) ?? 'away'], cause }
    }
  }

  close(): void {
    const client = this.#client
    this.#client = null
    this.#wroteAt = Number.NEGATIVE_INFINITY
    // An unresponsive server would not answer the termination message either.
    client?.end().catch(() => {})
  }

  async #connect(): Promise<pg.Client> {
    if (this.#client) return this.#client
    const client = await connectClient({
      connectionString: this.#options.url,
      application_name: this.#options.applicationName,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      statement_timeout: answerMs,
      lock_timeout: answerMs / 2,
      keepAlive: true,
    })
    client.on('error', () => {
      if (this.#client === client) this.#client = null
    })
    this.#client = client
    return client
  }
}

const sentences: Record<DatabaseFailure, string> = {
  away: 'The database does not answer.',
  overloaded: 'The database is overloaded.',
  disk_full: 'The database cannot write: its disk is full.',
  files_unusable: 'The database cannot use its files.',
  not_permitted: 'The database cannot be written: a permission is missing.',
}

/** Whether the driver gave up; a refused connection and an answer of the server have a code. */
function hasTimedOut(cause: unknown): boolean {
  return cause instanceof Error && !('code' in cause) && /time-?out/i.test(cause.message)
}

/** Creates a file with one block and rolls it back. Another server's concurrent attempt is no error. */
async function tryToWrite(client: pg.Client): Promise<void> {
  try {
    await client.query('begin; truncate readiness_probe')
    await client.query("insert into readiness_probe (filler) values (repeat('x', 7000))")
  } catch (error) {
    if ((error as { code?: string }).code !== lockNotAvailable) throw error
  }
  await client.query('rollback')
}
