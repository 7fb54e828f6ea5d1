import type { TaxonomyItem } from './filters/taxonomy.ts'
import { formatNumber } from './format.ts'

/** A tier in a few signs, such as `10K–50K` or `$1M–$10M`, for a table; its label is the long form. */
export function formatTier({ label, min, max }: TaxonomyItem, currency?: 'USD'): string {
  const short = (value: number) =>
    formatNumber(value, {
      notation: 'compact',
      maximumFractionDigits: 1,
      ...(currency && { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
    })
  if (min == null) return label
  if (max == null) return `> ${short(min)}`
  return min === 0 ? `< ${short(max)}` : `${short(min)}–${short(max)}`
}
