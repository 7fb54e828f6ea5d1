import type { CountPart, CountResult, PartCount } from '@storedex/search-index'
import { hashQuery } from '../../search/query/store-query.ts'

/** A query to count, without what is counted of its results. */
export type CountedQuery = Pick<CountPart, 'store' | 'storeIds' | 'person' | 'maxPerStore'>

type Wanted = CountPart['facets'][number] | CountPart['peopleBy'][number]

/** Finds the counts of what was asked for in a result. */
export interface CountPlace {
  partOf(result: CountResult): PartCount
  /** Of a facet of tokens. */
  tokensOf(result: CountResult): number[]
  /** Of a group of people. */
  peopleOf(result: CountResult): Map<number, number>
}

/** Collects what to count, so that facets over one query are counted over its results once. */
export class PartsOfCount {
  readonly parts: (CountPart & { facets: CountPart['facets'][number][]; peopleBy: CountPart['peopleBy'][number][] })[] =
    []
  readonly #byQuery = new Map<string, number>()

  add(query: CountedQuery, wanted: Wanted | null = null): CountPlace {
    const { store, storeIds, person, maxPerStore } = query
    const key = hashQuery(store, 'count', storeIds, person, maxPerStore)
    const index = this.#byQuery.get(key) ?? this.parts.push({ ...query, facets: [], peopleBy: [] }) - 1
    this.#byQuery.set(key, index)
    const { facets, peopleBy } = this.parts[index]!
    const place = typeof wanted === 'string' ? peopleBy.push(wanted) - 1 : wanted ? facets.push(wanted) - 1 : 0
    return {
      partOf: ({ parts }) => parts[index]!,
      tokensOf: ({ parts }) => parts[index]!.facets[place]!,
      peopleOf: ({ parts }) => parts[index]!.peopleBy[place]!,
    }
  }
}
