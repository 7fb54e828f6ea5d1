import type { ContactSortKey, StoreSortKey } from '@storedex/search-index'
import pg from 'pg'
import { type ConnectionPool, createPool, type Queryable } from '../../db/pool.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { SearchEngine } from '../engine.ts'
import { planLookup, planSearch } from './plan.ts'
import {
  contactSearchStatement,
  matchesNothing,
  type Statement,
  storeSearchStatement,
  storesAsked,
} from './statements.ts'
import { StatisticsCache } from './statistics.ts'

export interface PostgresEngineOptions {
  /** With a statement timeout: a search has no bound of its own. */
  db: Queryable
}

/**
 * Search straight over the tables. Statements are deliberately not named ones: PostgreSQL then plans each for the very
 * values asked for, and does not keep a plan that suits others.
 */
export function createPostgresEngine({ db }: PostgresEngineOptions): SearchEngine {
  const statistics = new StatisticsCache(db)
  async function ask<Row extends pg.QueryResultRow>({ text, values }: Statement): Promise<Row[]> {
    const { rows } = await db.query<Row>(text, values).catch(refuseOverBudget)
    return rows
  }
  return {
    async findStores(search) {
      if (matchesNothing(search.query)) return []
      const plan = planSearch(await statistics.current(), search.query, search.limit)
      return ask<StoreSortKey & pg.QueryResultRow>(storeSearchStatement(search, plan))
    },
    async findContacts(search) {
      const stores = storesAsked(search)
      if (matchesNothing(stores) || search.storeIds?.length === 0) return []
      const plan = search.storeIds ? planLookup(stores) : planSearch(await statistics.current(), stores, search.limit)
      return ask<ContactSortKey & pg.QueryResultRow>(contactSearchStatement(search, plan))
    },
  }
}

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
function refuseOverBudget(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== queryCanceled) throw error
  throw new ApiError('service_unavailable', 'This search took too long and was given up; narrow it, or try again.', {
    cause: error,
  })
}
