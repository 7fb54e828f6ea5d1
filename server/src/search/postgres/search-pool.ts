import pg from 'pg'
import { type ConnectionPool, createPool } from '../../db/pool.ts'
import { ApiError } from '../../kernel/errors.ts'

/** What searches may take of the database. */
export interface SearchBudget {
  /** How long one may run, whether or not its caller is still there. */
  statementMs: number
  /** How long one waits for a connection while others run. */
  waitMs: number
  connections: number
}

const defaultBudget: SearchBudget = { statementMs: 2_000, waitMs: 1_000, connections: 8 }

export interface SearchPoolOptions {
  url: string
  /** Shown in pg_stat_activity. */
  applicationName: string
  budget?: SearchBudget
}

/** Connections for searches alone: those that take long leave the connections of everything else free. */
export function createSearchPool({ url, applicationName, budget = defaultBudget }: SearchPoolOptions): ConnectionPool {
  return createPool({
    url,
    applicationName,
    maxConnections: budget.connections,
    statementTimeoutMs: budget.statementMs,
    connectionTimeoutMs: budget.waitMs,
    answerTimeoutMs: budget.statementMs + answerMarginMs,
  })
}

/** PostgreSQL ends a statement that takes too long; one that does not even do that has stopped answering. */
const answerMarginMs = 1_000

const queryCanceled = '57014'

/** Of what went wrong with a search, what its caller is told: one that was given up is no fault of the service as a whole. */
export function refuseOverBudget(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== queryCanceled) throw error
  throw new ApiError('service_unavailable', 'This search took too long and was given up; narrow it, or try again.', {
    cause: error,
  })
}
