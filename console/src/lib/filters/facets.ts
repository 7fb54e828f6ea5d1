import { entriesOf, type FilterField, type FilterFields, type FilterName } from './fields.ts'
import type { TaxonomyList, TaxonomyNode } from './taxonomy.ts'

/** The values by which a count can be split. */
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

/** A facet lists its largest values; zero counts are omitted. */
export function countOf(values: readonly FacetValue[] | undefined, maxValues: number): CountOf | undefined {
  if (!values) return undefined
  const counts = new Map(values.map(({ value, count }) => [String(value), count]))
  return (value) => counts.get(value) ?? (values.length < maxValues ? 0 : undefined)
}

interface FacetRow {
  node: TaxonomyNode
  /** It is chosen, so its box stands above; here it only names what is below it. */
  isHeading: boolean
  /** Nothing is found with it, or it is not among the values that were counted. */
  isFolded: boolean
}

/** The values of one facet in the order of display. */
export interface FacetOrder {
  chosen: readonly TaxonomyNode[]
  others: readonly FacetRow[]
}

interface FacetValues {
  /** All values, in the order of the taxonomy: a value is followed by those below it. */
  all: readonly TaxonomyNode[]
  /** Those that fit what was typed; all of them otherwise. */
  found: readonly TaxonomyNode[]
  chosen: readonly string[]
  /** Undefined where nothing is counted: then the order of the taxonomy stays, and nothing is folded. */
  counts: CountOf | undefined
}

/**
 * Chosen values first, then by count, the largest first; equal counts in the order of the taxonomy. A tree is ordered branch by
 * branch. Deprecated values are shown only while they are chosen.
 */
export function orderFacet({ all, found, chosen, counts }: FacetValues): FacetOrder {
  const isChosen = new Set(chosen)
  const weightOf = ({ value }: TaxonomyNode) => (counts ? (counts(value) ?? notCounted) : 0)
  const largestFirst = (a: TaxonomyNode, b: TaxonomyNode) => weightOf(b) - weightOf(a)
  const offered = found.filter(({ value, deprecated }) => !deprecated || isChosen.has(value))
  const known = new Set(offered.map(({ value }) => value))
  const below = new Map<string | null, TaxonomyNode[]>()
  for (const node of offered) {
    const parent = node.parent && known.has(node.parent) ? node.parent : null
    below.set(parent, [...(below.get(parent) ?? []), node])
  }
  const rowsBelow = (parent: string | null): FacetRow[] =>
    (below.get(parent) ?? []).sort(largestFirst).flatMap((node) => {
      const rows = rowsBelow(node.value)
      const isHeading = isChosen.has(node.value)
      if (isHeading && rows.length === 0) return []
      const isEmpty = isHeading || (counts !== undefined && weightOf(node) <= notCounted)
      return [{ node, isHeading, isFolded: isEmpty && rows.every(({ isFolded }) => isFolded) }, ...rows]
    })
  return { chosen: all.filter(({ value }) => isChosen.has(value)).sort(largestFirst), others: rowsBelow(null) }
}

/** Only the largest counts come with the reply: the others are smaller, and may be 0. */
const notCounted = 0.5

/** Moves values to those that are chosen and leaves everything else where it is. */
export function withChosen(order: FacetOrder, nodes: readonly TaxonomyNode[]): FacetOrder {
  const moved = new Set(nodes)
  const kept = order.others.filter(({ node }, index) => !moved.has(node) || hasBelow(order.others, index))
  return {
    chosen: [...order.chosen, ...nodes],
    others: kept.map((row) => (moved.has(row.node) ? { ...row, isHeading: true } : row)),
  }
}

function hasBelow(rows: readonly FacetRow[], index: number): boolean {
  return (rows[index + 1]?.node.depth ?? 0) > (rows[index]?.node.depth ?? 0)
}
