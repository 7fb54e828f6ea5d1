import { formatNumber } from '#lib/format.ts'

/** A number in the reader's notation. */
export function Num({ value, isCompact }: { value: number; isCompact?: boolean }) {
  return isCompact ? (
    <span title={formatNumber(value)}>{formatNumber(value, { notation: 'compact', maximumFractionDigits: 1 })}</span>
  ) : (
    <span>{formatNumber(value)}</span>
  )
}
