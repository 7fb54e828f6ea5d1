import type { ContactQuery, ContactSortKey, StoreQuery, StoreSortKey } from '@storedex/search-index'
import type { Mode } from '../kernel/ids.ts'

export interface StoreSearch {
  mode: Mode
  query: StoreQuery
  /** The page starts after this key, whether or not a store still has it. */
  after: StoreSortKey | null
  limit: number
}

export interface ContactSearch extends ContactQuery {
  mode: Mode
}

/**
 * Finds matches in result order. There are two engines, PostgreSQL and the index in memory. Over the same catalogue they
 * return the same pages, so a cursor of one continues in the other.
 */
export interface SearchEngine {
  findStores(search: StoreSearch): Promise<StoreSortKey[]>
  findContacts(search: ContactSearch): Promise<ContactSortKey[]>
}
