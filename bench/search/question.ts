import type { ContactPosition, StorePosition } from '@storedex/search-index'
import type { ContactSearch, StoreSearch } from '../../server/src/search/engine.ts'

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
const placesPerStore = 2 ** 15

export function storeKey({ storeId }: StorePosition): number {
  return storeId
}

export function personKey({ storeId, contact }: ContactPosition): number {
  return storeId * placesPerStore + contact
}
