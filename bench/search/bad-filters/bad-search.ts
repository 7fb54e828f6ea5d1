import type { IdList, LiveSegment } from '@storedex/search-index'
import type { Exclusion } from '../../../server/src/search/engines/engine.ts'
import type { ContactPersonFilters, StoreSearchFilters } from '../../../server/src/search/query/filters.ts'
import { normalizeStoreFilters } from '../../../server/src/search/query/store-query.ts'
import type { BenchTaxonomy } from '../catalogue/taxonomy.ts'
import type { Search } from '../engine.ts'
import { contactSearch } from '../questions/questions.ts'

/** A search as a caller could send it, as plain data. */
export interface BadSearch {
  filters: StoreSearchFilters
  /** Filters for people; null for a search of stores. */
  person: ContactPersonFilters | null
  maxPerStore: number
  /** The page begins after this share of the catalogue's order; null for the first page. */
  after: number | null
  excluded: ExcludedKind
}

/** Which stores and people the account has already: none, drawn at random, or the first of the order. */
export const excludedKinds = ['none', 'random', 'first'] as const
type ExcludedKind = (typeof excludedKinds)[number]

const pageLimit = 101
const mostExcluded = 100_000

/** Turns searches into those that the engine gets. */
export class SearchOpener {
  readonly #taxonomy: BenchTaxonomy
  readonly #live: LiveSegment
  readonly #exclusions: Record<ExcludedKind, Exclusion | null>

  constructor(taxonomy: BenchTaxonomy, live: LiveSegment, Ids: new (ids: number[]) => IdList) {
    this.#taxonomy = taxonomy
    this.#live = live
    const { ids, size } = live.segment
    const count = Math.min(mostExcluded, Math.floor(size / 10))
    const excluding = (documentAt: (index: number) => number): Exclusion => {
      const storeIds = Array.from({ length: count }, (_, index) => ids[documentAt(index)]!)
      // The first contact of each has the number 0.
      const contactKeys = storeIds.map((id) => id * 4_096)
      const whole = (list: IdList) => [{ ids: list, count: list.length }]
      return { storeIds: whole(new Ids(storeIds)), contactKeys: whole(new Ids(contactKeys)), storesOfContacts: [] }
    }
    const step = Math.floor(size / count)
    this.#exclusions = {
      none: null,
      random: excluding((index) => index * step + (index % step)),
      first: excluding((index) => index),
    }
  }

  /** Null if a caller could not send it. */
  open({ filters, person, maxPerStore, after, excluded }: BadSearch): Search | null {
    const exclude = this.#exclusions[excluded]
    const { contacts, ...store } = filters
    try {
      if (!person) {
        const query = normalizeStoreFilters(this.#taxonomy.vocabulary, filters, 'all')
        return { kind: 'stores', mode: 'live', query, exclude, after: this.#keyAt(after), limit: pageLimit }
      }
      const search = contactSearch(this.#taxonomy, { person, store, maxPerStore }, this.#live.segment.size)
      const key = this.#keyAt(after)
      return { ...search, exclude, after: key && { ...key, contact: 0 }, limit: pageLimit } as Search
    } catch {
      return null
    }
  }

  #keyAt(share: number | null) {
    if (share === null) return null
    const { ids, scores, scoreStarts, size } = this.#live.segment
    const document = Math.floor(share * (size - 1))
    const run = scoreStarts.findLastIndex((start) => start <= document)
    return { negatedScore: scores[run]!, storeId: ids[document]! }
  }
}
