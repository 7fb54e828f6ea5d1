import { formatCount, formatNumber } from '#lib/format.ts'
import type { ExportKind, ExportQuote } from '../exports/api.ts'

/** The cost of an export in sentences: new items, and the balance afterwards. */
export function exportCostInWords(kind: ExportKind, quote: ExportQuote): string[] {
  const { credits, already_revealed, unrevealable, stores, new_exports } = quote
  const contacts =
    kind === 'contacts'
      ? [
          `${formatNumber(credits)} new = ${formatCount(credits, 'credit')}`,
          `${formatNumber(already_revealed)} already yours`,
          ...(unrevealable > 0 ? [`${formatNumber(unrevealable)} cannot be revealed`] : []),
        ]
      : kind === 'previews'
        ? [`${formatCount(quote.contacts, 'person', 'people')} of ${formatCount(stores, 'store')}`]
        : []
  const owned = stores - new_exports
  return [
    ...contacts,
    `${formatCount(new_exports, 'new store')} = ${formatNumber(new_exports)} of your exports`,
    ...(kind === 'stores' && owned > 0 ? [`${formatNumber(owned)} exported already`] : []),
  ]
}

export function leftInWords(kind: ExportKind, { credits_after, exports_after }: ExportQuote): string {
  const exports = formatCount(exports_after, 'export')
  return kind === 'contacts'
    ? `${formatCount(credits_after, 'credit')} and ${exports} left afterwards`
    : `${exports} left afterwards`
}

/** The credits and exports missing; undefined if none are. */
export function missingOf(quote: ExportQuote): string | undefined {
  const { credits, credits_remaining, new_exports, exports_remaining } = quote
  const missing = [
    credits > credits_remaining && formatCount(credits - credits_remaining, 'credit'),
    new_exports > exports_remaining && formatCount(new_exports - exports_remaining, 'store export'),
  ].filter(Boolean)
  return missing.length > 0 ? `${missing.join(' and ')} missing` : undefined
}
