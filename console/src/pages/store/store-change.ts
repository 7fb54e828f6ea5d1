import type { Row } from '#api/operations.ts'
import type { Taxonomy, TaxonomyList } from '#lib/filters/taxonomy.ts'
import { formatNumber, formatTier } from '#lib/format.ts'

/** A change of a store in words; names and hosts are apart, because they may run from right to left. */
export interface ChangeText {
  /** Such as `Traffic`; what was added or removed stands for itself. */
  subject: string
  /** Null for lists. */
  values: { before: string; after: string } | null
  added: readonly string[]
  removed: readonly string[]
}

type Field = Row<'getStoreHistory'>['field']

const subjects: Record<Field, string> = {
  added_to_catalogue: 'Added to the catalogue',
  name: 'Name',
  category: 'Category',
  country: 'Country',
  traffic_tier: 'Traffic',
  revenue_tier: 'Revenue',
  platform_plus: 'Platform tier',
  lead_fit_score: 'Fit',
  apps: '',
  pixels: '',
  'theme.name': 'Theme',
  'theme.type': 'Theme type',
  aliases: 'Alias',
}

const taxonomyLists: { [field in Field]?: TaxonomyList } = {
  category: 'categories',
  country: 'countries',
  traffic_tier: 'traffic_tiers',
  revenue_tier: 'revenue_tiers',
  apps: 'apps',
  pixels: 'pixels',
  'theme.type': 'theme_types',
}

export function describeStoreChange({ field, ...change }: Row<'getStoreHistory'>, taxonomy: Taxonomy): ChangeText {
  const list = taxonomyLists[field]
  const label = (value: string) => {
    const item = list && taxonomy.find(list, value)
    if (!item) return value
    if (field === 'traffic_tier') return formatTier(item)
    return field === 'revenue_tier' ? formatTier(item, 'USD') : item.label
  }
  const textOf = (value: Row<'getStoreHistory'>['before']) => {
    if (field === 'platform_plus') return value ? 'Premium' : 'Standard'
    if (value === null) return 'not known'
    return typeof value === 'number' ? formatNumber(value, { maximumFractionDigits: 1 }) : label(String(value))
  }
  const hasValues = field !== 'added_to_catalogue' && change.added === null
  return {
    subject: subjects[field],
    values: hasValues ? { before: textOf(change.before), after: textOf(change.after) } : null,
    added: change.added?.map(label) ?? [],
    removed: change.removed?.map(label) ?? [],
  }
}
