import type { Queryable } from '../../db/pool.ts'
import type { ContactPosition, SearchEngine, StorePosition } from '../engine.ts'
import { contactSearchStatement, storesAsked } from './contact-search.ts'
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
  return {
    async findStores(search) {
      if (isUnanswerable(search.query)) return []
      const { text, values } = storeSearchStatement(search)
      const { rows } = await db.query<StorePosition>(text, values)
      return rows
    },
    async findContacts(search) {
      if (isUnanswerable(storesAsked(search)) || search.storeIds?.length === 0) return []
      const { text, values } = contactSearchStatement(search)
      const { rows } = await db.query<ContactPosition>(text, values)
      return rows
    },
  }
}
