import { formatCalendarDay, formatNumber } from '../format.ts'
import { entriesOf, type FilterField, type FilterFields, type FilterGroupName, type FilterName } from './fields.ts'
import type { Taxonomy } from './taxonomy.ts'
import { type Filters, type FilterValue, isList, withFilter } from './url.ts'

/** One chosen value in words. */
export interface Chip {
  key: string
  group: FilterGroupName
  /** In front of the label and weaker than it, such as `not`. */
  prefix: string
  label: string
  /** The filters without it. */
  without: Filters
}

/** Everything that is chosen, in words, in the order of the filter column. */
export function chipsOf(
  fields: FilterFields,
  filters: Filters,
  taxonomy: Taxonomy,
  /** By the ids of lists. */
  listNames: ReadonlyMap<string, string> = new Map(),
): Chip[] {
  return entriesOf(fields).flatMap(([name, field]) => {
    const value = filters[name]
    return value === undefined ? [] : chipsOfField(name, field, value, filters, taxonomy, listNames)
  })
}

function chipsOfField(
  name: FilterName,
  field: FilterField,
  value: FilterValue,
  filters: Filters,
  taxonomy: Taxonomy,
  listNames: ReadonlyMap<string, string>,
): Chip[] {
  const { group } = field
  const single = (prefix: string, label: string): Chip[] => [
    { key: name, group, prefix, label, without: withFilter(filters, name, undefined) },
  ]
  const oneEach = (prefix: string, labelOf: (word: string) => string): Chip[] => {
    const words = isList(value) ? value : []
    const without = (word: string) =>
      withFilter(
        filters,
        name,
        words.filter((other) => other !== word),
      )
    return words.map((word) => ({
      key: `${name} ${word}`,
      group,
      prefix,
      label: labelOf(word),
      without: without(word),
    }))
  }
  switch (field.kind) {
    case 'values':
      return oneEach(prefixOf(field), (word) => taxonomy.label(field.list, word))
    case 'domains':
      return oneEach('', (word) => word)
    case 'lists':
      return oneEach('without', (id) => listNames.get(id) ?? 'a list')
    case 'switch':
      return single('without', field.chip)
    case 'flag':
      return single('', value === true ? field.yes : field.no)
    case 'number':
      return single(field.prefix, formatNumber(Number(value)))
    case 'day':
      return single(field.prefix, formatCalendarDay(String(value)))
  }
}

function prefixOf({ match, prefix = '' }: Extract<FilterField, { kind: 'values' }>): string {
  if (match === 'none') return 'not'
  return match === 'all' ? 'must have' : prefix
}
