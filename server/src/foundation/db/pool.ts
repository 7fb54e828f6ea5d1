import { type Client, ConnectionPool, connectClient, type Pool, type Queryable } from '@storedex/pg-lanes'
import pg from 'pg'
import { withRetries } from '../runtime/timing.ts'

export { type Client, type ConnectionPool, Lane, type Pool, type Queryable } from '@storedex/pg-lanes'

// bigint keys and sums stay below 2^53; `date` stays text, so that no time zone can shift it.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number
    if (oid === pg.types.builtins.DATE) return String
    return pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser,
}

export interface PoolOptions {
  url: string
  /** Shown in pg_stat_activity. */
  applicationName: string
  maxConnections?: number
  /** Statements are cancelled after this; imports need more. */
  statementTimeoutMs?: number
  /** How long to wait for a connection. */
  connectionTimeoutMs?: number
  /** An unanswered statement fails after this and its connection is closed, in case the server hangs. */
  answerTimeoutMs?: number
  /** Maximum number of connections of one account; default: all of them. */
  maxConnectionsPerAccount?: number
}

/**
 * Settings of every connection. Everything has a timeout, and times are UTC. A commit is on disk before it is
 * acknowledged, whatever the server's default; only admission turns that off, for itself.
 */
function connectionSettings(options: PoolOptions): pg.ClientConfig & {
  connectionString: string
  connectionTimeoutMillis: number
} {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    types,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5_000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 30_000,
    options: '-c TimeZone=UTC -c jit=off -c synchronous_commit=on',
    keepAlive: true,
    ...(options.answerTimeoutMs !== undefined && { query_timeout: options.answerTimeoutMs }),
  }
}

const defaultConnections = 16

export function createPool(options: PoolOptions): ConnectionPool {
  const { maxConnections: max = defaultConnections, maxConnectionsPerAccount: maxPerHolder } = options
  return new ConnectionPool({
    ...connectionSettings(options),
    max,
    ...(maxPerHolder !== undefined && { maxPerHolder }),
  })
}

const retriedStates = new Set(['40001', '40P01'])
const maxAttempts = 5

/** Whether a transaction failed only because of concurrent ones, so that it may run again. */
function isSerializationConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && retriedStates.has(error.code ?? '')
}

/** Runs `work`, and again after a deadlock or serialization failure, a bounded number of times. */
export function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  return withRetries(work, (error, attempt) =>
    attempt < maxAttempts && isSerializationConflict(error) ? attempt * 5 + Math.random() * 10 : null,
  )
}

/** Runs `work` in a transaction: committed when it resolves, rolled back when it throws, retried on conflicts. */
export function transact<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return runTransaction(pool, async (client) => {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  })
}

/** The same for `work` that begins and commits with its own statements. */
export function runTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return retryConflicts(async () => {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      // This fails at once when the connection was closed.
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
    }
  })
}

/**
 * The number of rows that an insert with `on conflict do nothing` adds. They are counted by `returning`, because Citus reports
 * the rows that the insert was given, also those that were there.
 */
export async function countAdded(db: Queryable, insert: pg.QueryConfig & { text: string }): Promise<number> {
  const text = `with added as (${insert.text} returning 1) select count(*)::integer as added from added`
  const { rows } = await db.query<{ added: number }>({ ...insert, text })
  return rows[0]!.added
}

// An arbitrary fixed number, different from the migrations'.
const firstStartLock = 7_305_111_202

/** Runs `work` while no other process does so on the same database; waits for the other one without a timeout. */
export async function runExclusively<T>(url: string, work: () => Promise<T>): Promise<T> {
  // A broken connection has released the lock.
  const client = await connectClient({ connectionString: url, application_name: 'storedex first start' })
  try {
    await client.query('select pg_advisory_lock($1::bigint)', [firstStartLock])
    return await work()
  } finally {
    // Ending the session releases the lock.
    await client.end().catch(() => {})
  }
}

/** One connection, for work that may take hours. */
export interface DedicatedConnection {
  client: Client
  /** Closes the connection: its transaction is rolled back and its locks are released when this resolves. */
  end(): Promise<void>
}

/** Waiting longer for a lock would hold up everybody who waits behind it. */
const sessionLockTimeoutMs = 10_000

/**
 * Opens a connection for work that reads or writes whole tables: without a time limit for statements, and with text forms
 * of values that do not depend on the server's settings.
 */
export async function openSession(url: string, applicationName: string): Promise<DedicatedConnection> {
  const connection = await connectClient({
    ...connectionSettings({ url, applicationName, statementTimeoutMs: 0 }),
    lock_timeout: sessionLockTimeoutMs,
    idle_in_transaction_session_timeout: 0,
    options:
      '-c TimeZone=UTC -c DateStyle=ISO -c extra_float_digits=1 -c bytea_output=hex -c jit=off -c synchronous_commit=on',
  })
  const client: Client = Object.assign(connection, { release: () => {} })
  return { client, end: () => connection.end().catch(() => {}) }
}
