import { type PartCount, seniorities } from '@storedex/search-index'
import type { ContactPersonFilters, StoreConditions, StoreSearchFilters } from '../../search/query/filters.ts'
import { type Facet, flagTokens, type Vocabulary } from '../../search/query/vocabulary.ts'
import type { ContactFacetName, FacetValue, SharedFacetName, StoreFacetName } from './schema.ts'

/** The facets of both counts: their tokens, the filters without their condition, and their reply. */

type TokenFacetName = Exclude<StoreFacetName, 'platform_plus'>

const facetOf: Record<TokenFacetName, Facet> = {
  categories: 'category',
  countries: 'country',
  traffic_tiers: 'traffic_tier',
  revenue_tiers: 'revenue_tier',
  apps: 'app',
  pixels: 'pixel',
  theme_types: 'theme_type',
  contact_roles: 'role',
}

/** Conditions on stores without the one on the facet; of apps and pixels without `any`. */
export function withoutFacet<Conditions extends StoreConditions>(
  conditions: Conditions,
  name: SharedFacetName,
): Conditions {
  if (name === 'theme_types') return { ...conditions, themes: {} }
  if (name === 'apps' || name === 'pixels') return { ...conditions, [name]: { ...conditions[name], any: [] } }
  const { [name]: _, ...others } = conditions
  return others as Conditions
}

/** Filters for stores without the condition on the facet. */
export function withoutStoreFacet(filters: StoreSearchFilters, name: StoreFacetName): StoreSearchFilters {
  if (name !== 'contact_roles') return withoutFacet(filters, name)
  return { ...filters, contacts: { ...filters.contacts, roles_any: [] } }
}

/** Filters for people without the condition on the facet. */
export function withoutPersonFacet(person: ContactPersonFilters, name: 'roles' | 'seniorities'): ContactPersonFilters {
  return { ...person, [name === 'roles' ? 'roles_any' : 'seniority_any']: [] }
}

export function isPersonFacet(name: ContactFacetName): name is 'roles' | 'seniorities' {
  return name === 'roles' || name === 'seniorities'
}

/** The tokens to count for a facet of stores. */
export function tokensOfFacet(vocabulary: Vocabulary, name: StoreFacetName): number[] {
  if (name === 'platform_plus') return [flagTokens.platformPlus]
  return vocabulary.termsOf(facetOf[name]).map(({ token }) => token)
}

/** Whether the greatest counts of tokens are the greatest of values: a category has the sum of its branch. */
export function isByToken(name: StoreFacetName): boolean {
  return name !== 'categories'
}

/**
 * The values of a facet with their counts; `counts` are those of its tokens, in order. `total` is how many match without the
 * facet's condition.
 */
export function valuesOfFacet(
  vocabulary: Vocabulary,
  name: StoreFacetName,
  counts: readonly number[],
  total: number,
): FacetValue[] {
  if (name === 'platform_plus')
    return [
      { value: 'true', label: 'On the premium tier', count: counts[0]! },
      { value: 'false', label: 'Not on the premium tier', count: total - counts[0]! },
    ]
  const terms = vocabulary.termsOf(facetOf[name])
  if (name !== 'categories') return terms.map((term, index) => facetValue(term, counts[index]!))
  // A store has one category, so that the stores of a branch are the sum of its categories.
  const byToken = new Map(terms.map(({ token }, index) => [token, counts[index]!]))
  return terms.map((term) =>
    facetValue(
      term,
      vocabulary.tokensWithin(term).reduce((sum, token) => sum + byToken.get(token)!, 0),
    ),
  )
}

/** The values of a facet of people; `peopleBy` are counts by role token or by seniority. */
export function valuesOfPersonFacet(
  vocabulary: Vocabulary,
  name: 'roles' | 'seniorities',
  peopleBy: PartCount['peopleBy'][number],
): FacetValue[] {
  if (name === 'roles') return vocabulary.termsOf('role').map((term) => facetValue(term, peopleBy.get(term.token) ?? 0))
  return seniorities.map((value, index) =>
    facetValue(vocabulary.find('seniority', value) ?? { value }, peopleBy.get(index) ?? 0),
  )
}

function facetValue({ value, label = value }: { value: string; label?: string }, count: number): FacetValue {
  return { value, label, count }
}

/** The greatest counts first, equal ones by value, without zeros. */
export function rankValues(values: FacetValue[], limit: number): FacetValue[] {
  return values
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, limit)
}
