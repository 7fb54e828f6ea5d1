import { entriesOf, type FilterField, type FilterFields, type FilterName } from './fields.ts'
import type { TaxonomyList } from './taxonomy.ts'

/** What a count can be split by. */
export type FacetName = TaxonomyList | 'platform_plus' | 'contact_roles'

export interface FacetValue {
  value: string
  count: number
}

export type Facets = { readonly [Name in FacetName]?: readonly FacetValue[] }

/** How many would be found with a value; undefined where it is not known. */
export type CountOf = (value: string) => number | undefined

/** The facet that has a filter's values; undefined where there is none. */
export function facetOf(name: FilterName, field: FilterField): FacetName | undefined {
  if (name === 'premium') return 'platform_plus'
  if (name === 'contact_roles') return 'contact_roles'
  return field.kind === 'values' ? field.list : undefined
}

export function facetsOf(fields: FilterFields): FacetName[] {
  return [...new Set(entriesOf(fields).flatMap(([name, field]) => facetOf(name, field) ?? []))]
}

/** Zeros are left out of a facet, and so is what comes after its longest length. */
export function countOf(values: readonly FacetValue[] | undefined, maxValues: number): CountOf | undefined {
  if (!values) return undefined
  const counts = new Map(values.map(({ value, count }) => [String(value), count]))
  return (value) => counts.get(value) ?? (values.length < maxValues ? 0 : undefined)
}
