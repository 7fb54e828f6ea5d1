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
  storeQueryOf,
  storeSearchStatement,
} from './statements.ts'
import { StatisticsCache } from './statistics.ts'

export interface PostgresEngineOptions {
  /** Needs a statement timeout: searches have no limit of their own. */
  db: Queryable
}

/**
 * Searches the tables. Statements are not named, so that PostgreSQL plans each for its values instead of reusing a generic
 * plan (decision 0008).
 */
export function createPostgresEngine({ db }: PostgresEngineOptions): SearchEngine {
  const statistics = new StatisticsCache(db)
  async function run<Row extends pg.QueryResultRow>({ text, values }: Statement): Promise<Row[]> {
    const { rows } = await db.query<Row>(text, values).catch(throwSearchError)
    return rows
  }
  return {
    async findStores(search) {
      if (matchesNothing(search.query)) return []
      const plan = planSearch(await statistics.current(), search.query, search.limit)
      return run<StoreSortKey & pg.QueryResultRow>(storeSearchStatement(search, plan))
    },
    async findContacts(search) {
      const stores = storeQueryOf(search)
      if (matchesNothing(stores) || search.storeIds?.length === 0) return []
      const plan = search.storeIds ? planLookup(stores) : planSearch(await statistics.current(), stores, search.limit)
      return run<ContactSortKey & pg.QueryResultRow>(contactSearchStatement(search, plan))
    },
  }
}

/** Limits on the use of the database by searches. */
export interface SearchBudget {
  /** How long a search may run, even if the caller has disconnected. */
  statementMs: number
  /** How long a search waits for a connection. */
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

/** A pool for searches only, so that slow searches do not take the connections of other requests. */
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

/** PostgreSQL cancels slow statements itself. If it does not within this margin, it has stopped responding. */
const answerMarginMs = 1_000

const queryCanceled = '57014'

/** Rethrows an error; a cancelled search becomes `service_unavailable`. */
function throwSearchError(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== queryCanceled) throw error
  throw new ApiError('service_unavailable', 'This search took too long and was cancelled; narrow it or try again.', {
    cause: error,
  })
}
