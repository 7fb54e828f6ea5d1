import pg from 'pg'
import { type Client, ConnectionPool, type Pool } from './connection-pool.ts'

export { type Client, type ConnectionPool, Lane, type Pool, type Queryable } from './connection-pool.ts'

// bigint keys and sums stay below 2^53; `date` stays text, so that no time zone can move it.
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
  /** A statement is cancelled after this; imports ask for more. */
  statementTimeoutMs?: number
  /** How long a connection is waited for, a new one or one that comes free. */
  connectionTimeoutMs?: number
  /** A statement without an answer is given up after this, and its connection closed: for a server that hangs. */
  answerTimeoutMs?: number
  /** How many connections one account may use at once; all of them when left out. */
  maxConnectionsPerAccount?: number
}

/**
 * Settings of every connection. Nothing hangs, and moments are UTC. A commit is on disk before it is answered, whatever
 * the server's default; admission alone turns that off for itself.
 */
function connectionSettings(options: PoolOptions): pg.ClientConfig & { connectionTimeoutMillis: number } {
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
  const { maxConnections: max = defaultConnections, maxConnectionsPerAccount: maxPerAccount } = options
  return new ConnectionPool({
    ...connectionSettings(options),
    max,
    ...(maxPerAccount !== undefined && { maxPerAccount }),
  })
}

const retriedStates = new Set(['40001', '40P01'])
const maxAttempts = 5

/** Whether PostgreSQL gave up on a transaction only because of its neighbours, so that it may be run again. */
function isSerializationConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && retriedStates.has(error.code ?? '')
}

/** Runs `work` again, a bounded number of times, when PostgreSQL ended it for a deadlock or serialization failure. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= maxAttempts || !isSerializationConflict(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, attempt * 5 + Math.random() * 10))
    }
  }
}

/** One transaction on one connection: committed when `work` resolves, rolled back when it throws, retried on conflicts. */
export function transact<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return retryConflicts(async () => {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      // On a connection that was closed meanwhile, this fails at once.
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
    }
  })
}

// Any fixed number, another one than the migrations'.
const firstStartLock = 7_305_111_202

/** Runs `work` while no other process does so on the same database, as long as either may take. */
export async function runExclusively<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'storedex first start' })
  client.on('error', () => {}) // without the connection there is no lock left to give back
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1::bigint)', [firstStartLock])
    return await work()
  } finally {
    // Ending the session gives the lock back.
    await client.end().catch(() => {})
  }
}
