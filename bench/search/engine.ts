import type { ContactSortKey, StoreSortKey } from '@storedex/search-index'
import type { ContactSearch, StoreSearch } from '../../server/src/search/engines/engine.ts'
import type { BenchCatalogue } from './catalogue/result-order.ts'

export const questionClasses = ['broad', 'typical', 'narrow', 'empty', 'adversarial', 'contact'] as const
export type QuestionClass = (typeof questionClasses)[number]

/** A search of the set, in the normal form that all engines get. */
export interface Question {
  name: string
  /** Description in the report. */
  about: string
  class: QuestionClass
  search: Search
}

/** A search for one page. */
export type Search = ({ kind: 'stores' } & StoreSearch) | ({ kind: 'contacts' } & ContactSearch)

/** A page of 25 rows, and one that shows whether there is a next page. */
export const pageLimit = 26
/** Page 200 begins after this number of rows. */
export const deepRow = 199 * 25

/**
 * The rows that an engine found, as numbers that can be compared between engines: the store's id, or the store's id and the
 * contact's sort key combined.
 */
export type Answer = readonly number[]

/** Above all sort keys of contacts within a store. */
const rowKeysPerStore = 2 ** 15

export function storeRowKey({ storeId }: StoreSortKey): number {
  return storeId
}

export function contactRowKey({ storeId, contact }: ContactSortKey): number {
  return storeId * rowKeysPerStore + contact
}

/** A search engine to compare. */
export interface Engine {
  name: string
  /** Its configuration, for the report. */
  settings: readonly string[]
  load(catalogue: BenchCatalogue): Promise<void>
  /** Prepares a search that is then run repeatedly. */
  prepare(search: Search): Promise<PreparedSearch> | PreparedSearch
  /** Size of the loaded catalogue, in memory or on disk. */
  countBytes(): Promise<number> | number
  close(): Promise<void> | void
}

export type PreparedSearch = () => Answer | Promise<Answer>

/** A search was stopped after `searchTimeoutMs`. */
export class SearchTimeout extends Error {}

/** Peers are stopped after this time, which then counts as their result. */
export const searchTimeoutMs = 20_000
