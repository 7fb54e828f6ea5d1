/** The value that a share of all values does not exceed (nearest rank): exact, nothing is interpolated or put in buckets. */
export function percentile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) throw new Error('there are no values to rank')
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('there are no values to rank')
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
