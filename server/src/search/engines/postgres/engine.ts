import type { ContactSortKey, StoreSortKey } from '@storedex/search-index'
import pg from 'pg'
import { type ConnectionPool, createPool, type Queryable } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { ContactSearch, SearchEngine } from '../engine.ts'
import { type CountRow, countedStores, countStatement, nothingCounted } from './count-statement.ts'
import { planLookup, planSearch, type SearchPlan } from './plan.ts'
import {
  contactPortionStatement,
  contactSearchStatement,
  matchesNothing,
  type Portion,
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
  /** Stores whose contacts are all left out fill no page, so the stores are read in growing portions until it is full. */
  async function findByPortions(
    search: ContactSearch,
    planOf: (stores: number) => Promise<SearchPlan>,
  ): Promise<ContactSortKey[]> {
    const { after, limit } = search
    const found: ContactSortKey[] = []
    let from: Portion['from'] = after && { key: after, inclusive: true }
    for (let stores = limit + 1; ; stores = Math.min(stores * 4, largestPortion)) {
      const statement = contactPortionStatement(search, await planOf(stores), { from, stores })
      const rows = await run<StoreSortKey & { contact: number | null } & pg.QueryResultRow>(statement)
      for (const row of rows) if (isContact(row) && isAfter(row, after)) found.push(row)
      const last = rows.at(-1)
      const isLast = new Set(rows.map(({ storeId }) => storeId)).size < stores
      if (found.length >= limit || isLast || !last) return found.slice(0, limit)
      from = { key: last, inclusive: false }
    }
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
      const planOf = async (limit: number) =>
        search.storeIds ? planLookup(stores) : planSearch(await statistics.current(), stores, limit)
      if (search.exclude?.contactKeys.some(({ count }) => count > 0)) return findByPortions(search, planOf)
      return run<ContactSortKey & pg.QueryResultRow>(contactSearchStatement(search, await planOf(search.limit)))
    },
    async count(search) {
      const [part] = search.parts
      if (!part || matchesNothing(countedStores(part)) || part.storeIds?.length === 0) return nothingCounted(search)
      const [row] = await run<CountRow & pg.QueryResultRow>(countStatement(search, part))
      const { stores, people, exported, unrevealed } = row!
      return { parts: [{ stores, people, facets: [], peopleBy: [] }], exported, unrevealed }
    },
  }
}

const largestPortion = 4_096

function isContact(row: StoreSortKey & { contact: number | null }): row is ContactSortKey {
  return row.contact !== null
}

/** Whether a contact comes after the cursor, given that its store does not come before the cursor's. */
function isAfter({ storeId, contact }: ContactSortKey, after: ContactSortKey | null): boolean {
  return !after || storeId !== after.storeId || contact > after.contact
}

/** Limits on the use of the database by searches. */
export interface SearchBudget {
  /** How long a search may run, even if the caller has disconnected. */
  statementMs: number
  /** How long a search waits for a connection. */
  waitMs: number
  connections: number
}

export const postgresBudget: SearchBudget = { statementMs: 2_000, waitMs: 1_000, connections: 8 }

export interface SearchPoolOptions {
  url: string
  /** Shown in pg_stat_activity. */
  applicationName: string
  budget?: SearchBudget
}

/** A pool for searches only, so that slow searches do not take the connections of other requests. */
export function createSearchPool({ url, applicationName, budget = postgresBudget }: SearchPoolOptions): ConnectionPool {
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
  throw new Refusal('service_unavailable', 'This search took too long and was cancelled; narrow it or try again.', {
    cause: error,
  })
}
