import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { formatTier } from '#lib/tiers.ts'

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
