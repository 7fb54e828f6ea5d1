import { hash } from 'node:crypto'
import type { MomentRange, StoreQuery } from '@storedex/search-index'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { parseTimestamp } from '../../foundation/kernel/time.ts'
import type { StoreConditions, StoreSearchFilters } from './filters.ts'
import { type Facet, flagTokens, quote, resolveFilterValues, revealableToken, type Vocabulary } from './vocabulary.ts'

/** Normalizes the filters of a store search. `deliverEmails` decides which contacts count as revealable. */
export function normalizeStoreFilters(
  vocabulary: Vocabulary,
  filters: StoreSearchFilters,
  deliverEmails: DeliverEmails,
): StoreQuery {
  const query = normalizeStoreConditions(vocabulary, filters, 'filters')
  const { contacts } = filters
  if (!contacts) return query
  const roles = tokensOf(vocabulary, 'role', contacts.roles_any, 'filters.contacts.roles_any')
  const revealable = revealableToken(deliverEmails)
  const clauses = [...query.clauses]
  if (roles.length > 0) clauses.push(sortedDistinct(roles))
  if (contacts.has_revealable_contacts === true) clauses.push([revealable])
  const unwanted = contacts.has_revealable_contacts === false ? [revealable] : []
  return {
    ...query,
    clauses: sortedDistinctClauses(clauses),
    noneOf: sortedDistinct([...query.noneOf, ...unwanted]),
  }
}

/**
 * Checks and normalizes conditions on stores. Two filters that differ only in the order of keys or values, or in letter case,
 * have the same normal form. Throws an `Refusal` with the parameter of the first error, below `path`.
 */
export function normalizeStoreConditions(vocabulary: Vocabulary, filters: StoreConditions, path: string): StoreQuery {
  const clauses: number[][] = []
  const noneOf: number[] = []

  const requireAny = (facet: Facet, words: string[] | undefined, param: string) => {
    const tokens = tokensOf(vocabulary, facet, words, param)
    if (tokens.length > 0) clauses.push(sortedDistinct(tokens))
  }
  const requireTechnology = (facet: Facet, filter: StoreSearchFilters['apps'], param: string) => {
    if (!filter) return
    requireAny(facet, filter.any, `${param}.any`)
    const all = tokensOf(vocabulary, facet, filter.all, `${param}.all`)
    const none = tokensOf(vocabulary, facet, filter.none, `${param}.none`)
    const conflict = none.findIndex((token) => all.includes(token))
    if (conflict >= 0)
      throw new Refusal('conflicting_filters', `${quote(filter.none![conflict]!)} is both required and excluded.`, {
        param: `${param}.none[${conflict}]`,
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
    clauses: sortedDistinctClauses(noneOf.length > 0 ? clauses.map((clause) => without(clause, noneOf)) : clauses),
    noneOf: sortedDistinct(noneOf),
    minActiveAds: filters.meta_ads?.active_ads_min || null,
    createdBetween: rangeOf(filters.store_created_at, `${path}.store_created_at`),
    discoveredBetween: rangeOf(filters.first_discovered_at, `${path}.first_discovered_at`),
  }
}

/**
 * Identifies a query of one endpoint (`kind`), for cursors: 32 hexadecimal digits, equal for equal normal forms. `more` are the
 * endpoint's other conditions, normalized too.
 */
export function hashQuery(query: StoreQuery, kind: string, ...more: unknown[]): string {
  const { clauses, noneOf, minActiveAds, createdBetween, discoveredBetween } = query
  const parts = [kind, clauses, noneOf, minActiveAds, boundsOf(createdBetween), boundsOf(discoveredBetween), ...more]
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)
}

/** Whether the query selects part of the catalogue. Exclusions, including false flags, do not count. */
export function narrowsStores(query: StoreQuery): boolean {
  return (
    query.clauses.length > 0 ||
    query.minActiveAds !== null ||
    query.createdBetween !== null ||
    query.discoveredBetween !== null
  )
}

function tokensOf(vocabulary: Vocabulary, facet: Facet, words: string[] | undefined, param: string): number[] {
  if (words === undefined) return []
  return resolveFilterValues(vocabulary, facet, words, param).map((term) => term.token)
}

function rangeOf(filter: StoreSearchFilters['store_created_at'], param: string): MomentRange | null {
  if (!filter) return null
  const from = momentOf(filter.from, `${param}.from`)
  const to = momentOf(filter.to, `${param}.to`)
  if (from === null && to === null)
    throw new Refusal('invalid_filter_value', 'A range needs from, to or both.', { param })
  if (from !== null && to !== null && from > to)
    throw new Refusal('invalid_filter_value', 'The range starts after it ends.', { param })
  return { from, to }
}

function momentOf(text: string | undefined, param: string): number | null {
  if (text === undefined) return null
  const moment = parseTimestamp(text)
  if (moment === null)
    throw new Refusal(
      'invalid_filter_value',
      `${quote(text)} is not a date with time and offset, such as 2026-11-01T00:00:00Z.`,
      { param },
    )
  return moment
}

function boundsOf(range: MomentRange | null): [number | null, number | null] | null {
  return range && [range.from, range.to]
}

/** An excluded token cannot satisfy a clause; engines would check it in vain. */
function without(clause: number[], noneOf: readonly number[]): number[] {
  return clause.filter((token) => !noneOf.includes(token))
}

function sortedDistinct(tokens: number[]): number[] {
  return tokens.length < 2 ? tokens : [...new Set(tokens)].sort((a, b) => a - b)
}

function sortedDistinctClauses(clauses: number[][]): number[][] {
  if (clauses.length < 2) return clauses
  const byText = new Map(clauses.map((clause) => [clause.join(','), clause]))
  return [...byText.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, clause]) => clause)
}
