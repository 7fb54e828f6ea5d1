import type { Mode } from '../kernel/ids.ts'
import type { PersonQuery } from './query/person-query.ts'
import type { StoreQuery } from './query/store-query.ts'

/** A store's place in the result order: score from high to low, none last, then id. */
export interface StorePosition {
  /** Infinity for a store without a score. */
  negatedScore: number
  storeId: number
}

/** A person's: the store's, then seniority, verified email first, number. */
export interface ContactPosition extends StorePosition {
  /** Place within the store, as in `contacts.place`: its last twelve bits are the contact's number. */
  contact: number
}

export interface StoreSearch {
  mode: Mode
  query: StoreQuery
  /** A page starts right after this place, whether or not somebody still stands there. */
  after: StorePosition | null
  limit: number
}

export interface ContactSearch {
  mode: Mode
  store: StoreQuery
  /** The only stores to look at; null for all. */
  storeIds: number[] | null
  person: PersonQuery
  /** The first so many of each store, whatever page they fall on. */
  maxPerStore: number
  after: ContactPosition | null
  limit: number
}

/**
 * Says who matches, in result order. There are two engines, one over PostgreSQL and one in memory; over the same catalogue
 * they answer alike, so that a cursor of one goes on in the other.
 */
export interface SearchEngine {
  findStores(search: StoreSearch): Promise<StorePosition[]>
  findContacts(search: ContactSearch): Promise<ContactPosition[]>
}
