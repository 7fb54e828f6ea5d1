import { shuffle } from '@storedex/testkit'
import type { Random } from '../../../catalogue/build/random.ts'
import {
  type Catalogue,
  type ContactSearchFilters,
  drawContactFilters,
  drawStoreFilters,
  type StoreFilters,
} from './filters.ts'

/** Reveal operations by contacts in a request and whether it has an Idempotency-Key. */
export const revealShapes = {
  reveal_1: { contacts: 1, isKeyed: false },
  reveal_10: { contacts: 10, isKeyed: false },
  reveal_1_keyed: { contacts: 1, isKeyed: true },
  reveal_10_keyed: { contacts: 10, isKeyed: true },
} as const

export type RevealOperation = keyof typeof revealShapes
export const revealOperations = Object.keys(revealShapes) as RevealOperation[]

export function isReveal(operation: string): operation is RevealOperation {
  return operation in revealShapes
}

/** The operation of a request with this number of contacts. */
export function revealOperationOf(contacts: number, isKeyed: boolean): RevealOperation {
  const operation = revealOperations.find((name) => {
    const shape = revealShapes[name]
    return shape.contacts === contacts && shape.isKeyed === isKeyed
  })
  if (!operation) throw new Error(`no operation reveals ${contacts} contacts`)
  return operation
}

/** A contact with its database key and its public id. */
export interface RevealableContact {
  key: number
  id: string
}

/**
 * Returns the contacts of the next reveal. Each contact is used once, so that every reveal is charged; then it throws,
 * or starts again with `allowRepeats` for a target that charges nothing.
 */
export function contactBatches<T>(contacts: readonly T[], operation: RevealOperation, allowRepeats = false): () => T[] {
  const { contacts: count } = revealShapes[operation]
  let used = 0
  return () => {
    if (used + count > contacts.length) {
      // A repeated reveal is free, so results with repeated contacts are meaningless.
      if (!allowRepeats) throw new Error('all contacts were revealed before the end of the run; use more --stores')
      used = 0
    }
    used += count
    return contacts.slice(used - count, used)
  }
}

export const operations = ['lookup', 'search', 'enrich', 'contact_search', ...revealOperations] as const
export type Operation = (typeof operations)[number]
export type SearchOperation = 'search' | 'contact_search'

/** A search for the page after `pagesBefore` pages. */
export interface SearchItem<Filters> {
  filters: Filters
  pagesBefore: number
}

/** The requests, the same for the service and for the bare loop. */
export interface Workload {
  lookup: string[]
  search: SearchItem<StoreFilters>[]
  enrich: string[][]
  contact_search: SearchItem<ContactSearchFilters>[]
  /** Contacts of the reveals, in order. */
  contacts: RevealableContact[]
}

const counts = { lookup: 8_192, search: 768, enrich: 2_048 }
const domainsPerEnrichment = 25
export const searchLimit = 25
const filterKinds = 12

/** Draws a workload from the catalogue. Filters combine values that occur together. */
export function drawWorkload(catalogue: Catalogue, revealable: RevealableContact[], random: Random): Workload {
  const { stores } = catalogue
  const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, i) => make(i))
  const domain = () => random.pick(stores).domain
  const searches = <T>(drawFilters: (kind: number) => T) =>
    times(counts.search, (index) => ({
      filters: drawFilters(index % filterKinds),
      // Two first pages to one later page, in each part of the list and for each kind of filter.
      pagesBefore: (index + Math.floor(index / filterKinds)) % 3 === 2 ? 1 + random.below(3) : 0,
    }))
  return {
    lookup: times(counts.lookup, domain),
    search: searches(drawStoreFilters(stores, random)),
    enrich: times(counts.enrich, () => times(domainsPerEnrichment, domain)),
    contact_search: searches(drawContactFilters(catalogue, random)),
    contacts: shuffle(revealable, random),
  }
}

/** The beginning of a workload, with every kind of search and all contacts. */
export function sampleOf({ lookup, search, enrich, contact_search, contacts }: Workload): Workload {
  const most = 3 * filterKinds
  return {
    lookup: lookup.slice(0, most),
    search: search.slice(0, most),
    enrich: enrich.slice(0, most),
    contact_search: contact_search.slice(0, most),
    contacts,
  }
}
