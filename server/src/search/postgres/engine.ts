import type { Queryable } from '../../db/pool.ts'
import type { ContactPosition, SearchEngine, StorePosition } from '../engine.ts'
import { contactSearchStatement, storesAsked } from './contact-search.ts'
import { LiveStatistics } from './live-statistics.ts'
import { planLookup, planSearch } from './plan.ts'
import { isUnanswerable } from './store-conditions.ts'
import { storeSearchStatement } from './store-search.ts'

export interface PostgresEngineOptions {
  db: Queryable
}

/**
 * Search straight over the tables. Statements are deliberately not named ones: PostgreSQL then plans each for the very
 * values asked for, and does not keep a plan that suits others.
 */
export function createPostgresEngine({ db }: PostgresEngineOptions): SearchEngine {
  const statistics = new LiveStatistics(db)
  return {
    async findStores(search) {
      if (isUnanswerable(search.query)) return []
      const plan = planSearch(await statistics.current(), search.query, search.limit)
      const { text, values } = storeSearchStatement(search, plan)
      const { rows } = await db.query<StorePosition>(text, values)
      return rows
    },
    async findContacts(search) {
      const stores = storesAsked(search)
      if (isUnanswerable(stores) || search.storeIds?.length === 0) return []
      const plan = search.storeIds ? planLookup(stores) : planSearch(await statistics.current(), stores, search.limit)
      const { text, values } = contactSearchStatement(search, plan)
      const { rows } = await db.query<ContactPosition>(text, values)
      return rows
    },
  }
}
