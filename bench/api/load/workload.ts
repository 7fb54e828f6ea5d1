import type { Random } from '../../../catalogue/build/random.ts'
import type { StoreRecord } from '../../../catalogue/build/records.ts'
import type { BenchContact } from '../../support/contact-records.ts'
import { type RevealableContact, revealOperations } from '../reveals.ts'
import { drawStoreFilters, type StoreFilters } from '../store-filters.ts'
import { type ContactSearchFilters, drawContactFilters } from './filters.ts'

export const operations = ['lookup', 'search', 'enrich', 'contact_search', ...revealOperations] as const
export type Operation = (typeof operations)[number]
export type SearchOperation = 'search' | 'contact_search'

/** A search for one page: the first, or the one after that many pages. */
export interface SearchItem<Filters> {
  filters: Filters
  pagesBefore: number
}

/** What callers ask for, the same for the service and for the bare loop. */
export interface Workload {
  lookup: string[]
  search: SearchItem<StoreFilters>[]
  enrich: string[][]
  contact_search: SearchItem<ContactSearchFilters>[]
  /** Whom the reveals ask for, one after the other. */
  contacts: RevealableContact[]
}

const counts = { lookup: 8_192, search: 768, enrich: 2_048 }
const domainsPerEnrichment = 25
export const searchLimit = 25
const filterKinds = 12

export interface Catalogue {
  stores: readonly StoreRecord[]
  /** Some of the people there. */
  contacts: readonly BenchContact[]
}

/** Draws a workload from the catalogue: filters ask for values that stores and their people have together. */
export function drawWorkload(catalogue: Catalogue, revealable: RevealableContact[], random: Random): Workload {
  const { stores } = catalogue
  const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, i) => make(i))
  const domain = () => random.pick(stores).domain
  const searches = <T>(drawFilters: (kind: number) => T) =>
    times(counts.search, (index) => ({
      filters: drawFilters(index % filterKinds),
      // Two first pages to one later page, in each stretch of the list and of each kind of filter.
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

/** The beginning of a workload, with every kind of search in it and everybody who can be revealed. */
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

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
  }
  return shuffled
}
