import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { formatTier } from '#lib/format.ts'

interface TierProps {
  taxonomy: Taxonomy
  list: 'traffic_tiers' | 'revenue_tiers'
  value: string | null
}

/** A tier in a few signs; its label when pointed at. */
export function Tier({ taxonomy, list, value }: TierProps) {
  const node = value === null ? undefined : taxonomy.find(list, value)
  if (!node) return value
  return <span title={node.label}>{formatTier(node, list === 'revenue_tiers' ? 'USD' : undefined)}</span>
}

const namedAtMost = 2

interface TechnologyNamesProps {
  taxonomy: Taxonomy
  list: 'apps' | 'pixels'
  values: readonly string[]
}

/** The first few by name, and how many more; all of them when pointed at. */
export function TechnologyNames({ taxonomy, list, values }: TechnologyNamesProps) {
  const labels = values.map((value) => taxonomy.label(list, value))
  const more = labels.length - namedAtMost
  return (
    <span title={more > 0 ? labels.join(', ') : undefined}>
      <bdi>{labels.slice(0, namedAtMost).join(', ')}</bdi>
      {more > 0 && <span className="text-muted"> +{more}</span>}
    </span>
  )
}
