import type { MomentRange, StoreQuery } from '@storedex/search-index'
import { flagTokens, type Term } from '../../../server/src/search/query/vocabulary.ts'
import type { Search } from '../engine.ts'

/** Single-valued facets, which peers keep in a column each, and multi-valued ones. */
export const singleFacets = ['category', 'country', 'traffic_tier', 'revenue_tier', 'theme_type', 'plus'] as const
export const severalFacets = ['app', 'pixel', 'people'] as const
export type SingleFacet = (typeof singleFacets)[number]
export type SeveralFacet = (typeof severalFacets)[number]
export type PeerFacet = SingleFacet | SeveralFacet

export function isSingle(facet: PeerFacet): facet is SingleFacet {
  return (singleFacets as readonly string[]).includes(facet)
}

/** Token → facet. All tokens about contacts are one facet. */
export class FacetsOfTokens {
  readonly #facets = new Map<number, PeerFacet>([[flagTokens.platformPlus, 'plus']])

  constructor(terms: readonly Term[]) {
    for (const { facet, token } of terms) if (facet !== 'role' && facet !== 'seniority') this.#facets.set(token, facet)
  }

  of(token: number): PeerFacet {
    return this.#facets.get(token) ?? 'people'
  }
}

/** Matches any of the tokens of one facet. */
export interface Condition {
  facet: PeerFacet
  tokens: number[]
}

/** Seconds since 1970; generated dates have no fractions. Null is an open end. */
export interface SecondsRange {
  column: 'created' | 'discovered'
  from: number | null
  to: number | null
}

/** A search as conditions on stores, including those of contact searches on their contacts. */
export interface PeerQuery {
  /** One of the tokens of each. */
  all: Condition[]
  /** None of the tokens. */
  none: Condition[]
  minAds: number | null
  ranges: SecondsRange[]
}

/** Null when nothing can match, so that no query is needed. */
export function readQuery(search: Search, facets: FacetsOfTokens): PeerQuery | null {
  const query = search.kind === 'stores' ? search.query : withPeople(search.store, search.person.storeTokens)
  if (query.clauses.some((clause) => clause.length === 0)) return null
  const none = new Map<PeerFacet, number[]>()
  for (const token of query.noneOf) none.set(facets.of(token), [...(none.get(facets.of(token)) ?? []), token])
  return {
    all: query.clauses.map((tokens) => ({ facet: facets.of(tokens[0]!), tokens })),
    none: [...none].map(([facet, tokens]) => ({ facet, tokens })),
    minAds: query.minActiveAds,
    ranges: [...readRange('created', query.createdBetween), ...readRange('discovered', query.discoveredBetween)],
  }
}

function withPeople(query: StoreQuery, tokens: number[]): StoreQuery {
  return { ...query, clauses: [...query.clauses, tokens] }
}

function readRange(column: SecondsRange['column'], range: MomentRange | null): SecondsRange[] {
  if (!range) return []
  const { from, to } = range
  return [{ column, from: from && Math.ceil(from / 1000), to: to && Math.floor(to / 1000) }]
}
