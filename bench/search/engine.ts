import type { ContactPosition, ContactSearch, StorePosition, StoreSearch } from '../../server/src/search/engine.ts'
import type { BenchCatalogue } from './catalogue/result-order.ts'

export const questionClasses = ['broad', 'typical', 'narrow', 'empty', 'adversarial', 'contact'] as const
export type QuestionClass = (typeof questionClasses)[number]

/** A search of the set, in the normal form that every engine is asked in. */
export interface Question {
  name: string
  /** What is asked, for a reader of the report. */
  about: string
  class: QuestionClass
  search: Search
}

/** A search for one page. */
export type Search = ({ kind: 'stores' } & StoreSearch) | ({ kind: 'contacts' } & ContactSearch)

/** A page of 25 and the one more that says whether there is another. */
export const pageLimit = 26
/** Page 200 begins after so many rows. */
export const deepRow = 199 * 25

/**
 * What an engine found, a number for each row: the store's id, or the id and the place of a person, so that the answers of
 * engines can be compared.
 */
export type Answer = readonly number[]

/** Above all places of a person within a store. */
const rowKeysPerStore = 2 ** 15

export function storeRowKey({ storeId }: StorePosition): number {
  return storeId
}

export function contactRowKey({ storeId, contact }: ContactPosition): number {
  return storeId * rowKeysPerStore + contact
}

/** Something that answers searches over a catalogue that it was loaded with. */
export interface Engine {
  name: string
  /** How it was set up, for whoever would do it another way. */
  settings: readonly string[]
  load(catalogue: BenchCatalogue): Promise<void>
  /** What answers the search, as often as it is called: all that need not be done anew each time has been done. */
  prepare(search: Search): Promise<PreparedSearch> | PreparedSearch
  /** What the loaded catalogue takes, in memory or on disk. */
  countBytes(): Promise<number> | number
  close(): Promise<void> | void
}

export type PreparedSearch = () => Answer | Promise<Answer>

/** One that was stopped after the longest time that anything may take. */
export class SearchTimeout extends Error {}

/** What a peer is stopped after, and what then counts. */
export const searchTimeoutMs = 20_000
