import type { ContactPosition, StorePosition } from '@storedex/search-index'
import type pg from 'pg'
import type { Queryable } from '../../db/pool.ts'
import type { SearchEngine } from '../engine.ts'
import { contactSearchStatement, storesAsked } from './contact-search.ts'
import { LiveStatistics } from './live-statistics.ts'
import { planLookup, planSearch } from './plan.ts'
import { refuseOverBudget } from './search-pool.ts'
import { isUnanswerable, type Statement } from './store-conditions.ts'
import { storeSearchStatement } from './store-search.ts'

export interface PostgresEngineOptions {
  /** With a statement timeout: a search has no bound of its own. */
  db: Queryable
}

/**
 * Search straight over the tables. Statements are deliberately not named ones: PostgreSQL then plans each for the very
 * values asked for, and does not keep a plan that suits others.
 */
export function createPostgresEngine({ db }: PostgresEngineOptions): SearchEngine {
  const statistics = new LiveStatistics(db)
  async function ask<Row extends pg.QueryResultRow>({ text, values }: Statement): Promise<Row[]> {
    const { rows } = await db.query<Row>(text, values).catch(refuseOverBudget)
    return rows
  }
  return {
    async findStores(search) {
      if (isUnanswerable(search.query)) return []
      const plan = planSearch(await statistics.current(), search.query, search.limit)
      return ask<StorePosition & pg.QueryResultRow>(storeSearchStatement(search, plan))
    },
    async findContacts(search) {
      const stores = storesAsked(search)
      if (isUnanswerable(stores) || search.storeIds?.length === 0) return []
      const plan = search.storeIds ? planLookup(stores) : planSearch(await statistics.current(), stores, search.limit)
      return ask<ContactPosition & pg.QueryResultRow>(contactSearchStatement(search, plan))
    },
  }
}
