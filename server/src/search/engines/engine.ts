import type {
  ContactQuery,
  ContactSortKey,
  CountPart,
  CountResult,
  IdSet,
  StoreQuery,
  StoreSortKey,
} from '@storedex/search-index'
import type { Mode } from '../../foundation/kernel/ids.ts'

/** Stores and contacts that a search omits. */
export interface Exclusion {
  /** Ids of stores. */
  storeIds: readonly IdSet[]
  /** Keys of contacts that contact searches leave out. */
  contactKeys: readonly IdSet[]
  /** The stores of these contacts, which store searches leave out. */
  storesOfContacts: readonly IdSet[]
}

/** The sets of stores that a store search leaves out. */
export function excludedStores(exclude: Exclusion | null | undefined): readonly IdSet[] {
  return exclude ? [...exclude.storeIds, ...exclude.storesOfContacts] : []
}

export interface StoreSearch {
  mode: Mode
  query: StoreQuery
  exclude?: Exclusion | null
  /** The page starts after this key, whether or not a store still has it. */
  after: StoreSortKey | null
  limit: number
}

export interface ContactSearch extends Omit<ContactQuery, 'without'> {
  mode: Mode
  exclude?: Exclusion | null
}

export interface CountSearch {
  mode: Mode
  /** All of stores, or all of people. */
  parts: readonly CountPart[]
  exclude?: Exclusion | null
  /** The stores that the account has exported this period; those in the first part are counted. */
  exported: IdSet | null
  /** The contacts that the account has revealed. */
  revealed: IdSet | null
  /** Whether only verified emails are delivered, so that fewer contacts can be revealed. */
  verifiedOnly: boolean
  /** The account, between which counts are fair. */
  holder: string
  /** Aborts when no request waits for the counts any more. */
  signal: AbortSignal | null
}

/**
 * Finds matches in result order. There are two engines, PostgreSQL and the index in memory. Over the same catalogue they
 * return the same pages, so a cursor of one continues in the other.
 */
export interface SearchEngine {
  findStores(search: StoreSearch): Promise<StoreSortKey[]>
  findContacts(search: ContactSearch): Promise<ContactSortKey[]>
  /** PostgreSQL counts the first part alone, without facets. */
  count(search: CountSearch): Promise<CountResult>
}
