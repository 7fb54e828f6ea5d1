import { entriesOf, type FilterFields, type FilterGroupName, type FilterName, maxListValues } from './fields.ts'
import { type Taxonomy, type TaxonomyNode, toSearchText } from './taxonomy.ts'
import { type Filters, listOf, withFilter } from './url.ts'

/** A value that the text may mean, with the filters that choosing it makes. */
export interface Suggestion {
  key: string
  label: string
  group: FilterGroupName
  filters: Filters
}

const maxSuggestions = 12

/** Values of the taxonomy whose label has the text: those that begin with it first, then those with a word that does. */
export function suggestValues(fields: FilterFields, filters: Filters, taxonomy: Taxonomy, text: string): Suggestion[] {
  const wanted = toSearchText(text)
  if (wanted === '') return []
  const found: { rank: number; suggestion: Suggestion }[] = []
  for (const [name, field] of entriesOf(fields)) {
    if (field.kind !== 'values' || field.match) continue
    const chosen = listOf(filters, name)
    if (chosen.length >= maxListValues) continue
    for (const node of taxonomy.nodes(field.list)) {
      const rank = rankOf(node, wanted)
      if (rank === null || chosen.includes(node.value)) continue
      found.push({ rank, suggestion: suggestionOf(name, field.group, node, filters, chosen) })
    }
  }
  // The sort is stable: within a rank the groups keep their order.
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, maxSuggestions)
    .map(({ suggestion }) => suggestion)
}

function suggestionOf(
  name: FilterName,
  group: FilterGroupName,
  { value, label }: TaxonomyNode,
  filters: Filters,
  chosen: readonly string[],
): Suggestion {
  return { key: `${name} ${value}`, label, group, filters: withFilter(filters, name, [...chosen, value]) }
}

function rankOf({ label, value, deprecated }: TaxonomyNode, wanted: string): number | null {
  if (deprecated) return null
  const text = toSearchText(label)
  if (text === wanted || value.toLowerCase() === wanted) return 0
  if (text.startsWith(wanted)) return 1
  if (text.includes(` ${wanted}`)) return 2
  return wanted.length > 2 && text.includes(wanted) ? 3 : null
}
