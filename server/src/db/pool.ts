import pg from 'pg'

/** Anything a statement can run on: the pool (its own transaction) or one client inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>
export type Pool = pg.Pool
export type Client = pg.PoolClient

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
}

/** Connection settings of every connection: nothing hangs, and moments are UTC. */
function connectionSettings(options: PoolOptions): pg.ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    types,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5_000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 30_000,
    options: '-c TimeZone=UTC -c jit=off',
    keepAlive: true,
  }
}

export function createPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({ ...connectionSettings(options), max: options.maxConnections ?? 16 })
  // An idle connection that breaks (the server restarted) is replaced at its next use.
  pool.on('error', () => {})
  return pool
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
    // A connection can break while nothing is asked of it; unheard, that would end the process.
    let broken: Error | undefined
    const onBreak = (error: Error) => {
      broken ??= error
    }
    client.on('error', onBreak)
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch(onBreak)
      throw error
    } finally {
      client.off('error', onBreak)
      client.release(broken)
    }
  })
}
