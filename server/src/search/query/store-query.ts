import { createHash } from 'node:crypto'
import type { MomentRange, StoreQuery } from '@storedex/search-index'
import { ApiError } from '../../kernel/errors.ts'
import { parseMoment } from '../../kernel/time.ts'
import type { StoreConditions, StoreSearchFilters } from './filters.ts'
import {
  type DeliverEmails,
  type Facet,
  flagTokens,
  quote,
  resolveFilterValues,
  revealableToken,
  type Vocabulary,
} from './vocabulary.ts'

/** The normal form of a store search's filters; whom it counts as revealable is the operator's decision. */
export function normalizeStoreFilters(
  vocabulary: Vocabulary,
  { contacts, ...conditions }: StoreSearchFilters,
  deliverEmails: DeliverEmails,
): StoreQuery {
  const query = normalizeStoreConditions(vocabulary, conditions, 'filters')
  const roles = tokensOf(vocabulary, 'role', contacts?.roles_any, 'filters.contacts.roles_any')
  const revealable = revealableToken(deliverEmails)
  const clauses = [...query.clauses]
  if (roles.length > 0) clauses.push(sortedDistinct(roles))
  if (contacts?.has_revealable_contacts === true) clauses.push([revealable])
  const unwanted = contacts?.has_revealable_contacts === false ? [revealable] : []
  return {
    ...query,
    clauses: sortedDistinctClauses(clauses),
    noneOf: sortedDistinct([...query.noneOf, ...unwanted]),
  }
}

/**
 * Checks the words and moments of what a search asks of stores and brings it to normal form; refuses with the place of the
 * first fault, under the name that the caller used.
 */
export function normalizeStoreConditions(vocabulary: Vocabulary, filters: StoreConditions, path: string): StoreQuery {
  const clauses: number[][] = []
  const noneOf: number[] = []

  const requireAny = (facet: Facet, words: string[] | undefined, place: string) => {
    const tokens = tokensOf(vocabulary, facet, words, place)
    if (tokens.length > 0) clauses.push(sortedDistinct(tokens))
  }
  const requireTechnology = (facet: Facet, filter: StoreSearchFilters['apps'], place: string) => {
    requireAny(facet, filter?.any, `${place}.any`)
    const all = tokensOf(vocabulary, facet, filter?.all, `${place}.all`)
    const none = tokensOf(vocabulary, facet, filter?.none, `${place}.none`)
    const conflict = none.findIndex((token) => all.includes(token))
    if (conflict >= 0)
      throw new ApiError('conflicting_filters', `${quote(filter!.none![conflict]!)} is both required and excluded.`, {
        param: `${place}.none[${conflict}]`,
      })
    for (const token of all) clauses.push([token])
    noneOf.push(...none)
  }

  const categories = resolveFilterValues(vocabulary, 'category', filters.categories, `${path}.categories`)
  if (categories.length > 0) clauses.push(sortedDistinct(categories.flatMap((term) => vocabulary.tokensWithin(term))))
  requireAny('country', filters.countries, `${path}.countries`)
  requireAny('traffic_tier', filters.traffic_tiers, `${path}.traffic_tiers`)
  requireAny('revenue_tier', filters.revenue_tiers, `${path}.revenue_tiers`)
  if (filters.platform_plus === true) clauses.push([flagTokens.platformPlus])
  if (filters.platform_plus === false) noneOf.push(flagTokens.platformPlus)
  requireTechnology('app', filters.apps, `${path}.apps`)
  requireTechnology('pixel', filters.pixels, `${path}.pixels`)
  requireAny('theme_type', filters.themes?.types, `${path}.themes.types`)
  return {
    // What is excluded cannot satisfy a clause: an engine would look for it in vain, store by store.
    clauses: sortedDistinctClauses(clauses.map((clause) => clause.filter((token) => !noneOf.includes(token)))),
    noneOf: sortedDistinct(noneOf),
    minActiveAds: filters.meta_ads?.active_ads_min || null,
    createdBetween: rangeOf(filters.store_created_at, `${path}.store_created_at`),
    discoveredBetween: rangeOf(filters.first_discovered_at, `${path}.first_discovered_at`),
  }
}

/**
 * Names a query among those of one endpoint (`kind`): 32 hexadecimal digits, equal for equal normal forms. What an endpoint
 * asks beside the store's conditions comes after them, in normal form too.
 */
export function hashQuery(query: StoreQuery, kind: string, ...more: unknown[]): string {
  const { clauses, noneOf, minActiveAds, createdBetween, discoveredBetween } = query
  const parts = [kind, clauses, noneOf, minActiveAds, boundsOf(createdBetween), boundsOf(discoveredBetween), ...more]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Whether anything in the query narrows the catalogue. Exclusions, false flags among them, do not. */
export function narrows(query: StoreQuery): boolean {
  return (
    query.clauses.length > 0 ||
    query.minActiveAds !== null ||
    query.createdBetween !== null ||
    query.discoveredBetween !== null
  )
}

function tokensOf(vocabulary: Vocabulary, facet: Facet, words: string[] | undefined, place: string): number[] {
  return resolveFilterValues(vocabulary, facet, words, place).map((term) => term.token)
}

function rangeOf(filter: StoreSearchFilters['store_created_at'], place: string): MomentRange | null {
  if (!filter) return null
  const from = momentOf(filter.from, `${place}.from`)
  const to = momentOf(filter.to, `${place}.to`)
  if (from === null && to === null)
    throw new ApiError('invalid_filter_value', 'A range needs from, to or both.', { param: place })
  if (from !== null && to !== null && from > to)
    throw new ApiError('invalid_filter_value', 'The range starts after it ends.', { param: place })
  return { from, to }
}

function momentOf(text: string | undefined, param: string): number | null {
  if (text === undefined) return null
  const moment = parseMoment(text)
  if (moment === null)
    throw new ApiError(
      'invalid_filter_value',
      `${quote(text)} is not a date with time and offset, such as 2026-11-01T00:00:00Z.`,
      { param },
    )
  return moment
}

function boundsOf(range: MomentRange | null): [number | null, number | null] | null {
  return range && [range.from, range.to]
}

function sortedDistinct(tokens: number[]): number[] {
  return [...new Set(tokens)].sort((a, b) => a - b)
}

function sortedDistinctClauses(clauses: number[][]): number[][] {
  const byText = new Map(clauses.map((clause) => [clause.join(','), clause]))
  return [...byText.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, clause]) => clause)
}
