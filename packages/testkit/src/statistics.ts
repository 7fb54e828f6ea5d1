/** Exact percentile by nearest rank, without interpolation. */
export function percentile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) throw new Error('no values')
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no values')
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export interface Distribution {
  p50: number
  p95: number
  p99: number
  max: number
  mean: number
}

export function distributionOf(values: readonly number[]): Distribution {
  const sorted = Float64Array.from(values).sort()
  const [p50, p95, p99, max] = [0.5, 0.95, 0.99, 1].map((share) => percentile(sorted, share)) as [
    number,
    number,
    number,
    number,
  ]
  return { p50, p95, p99, max, mean: values.reduce((sum, value) => sum + value, 0) / values.length }
}

/** Runs the work and returns its result with the seconds it took. */
export async function timed<T>(work: () => T | Promise<T>): Promise<[T, seconds: number]> {
  const startedAtMs = performance.now()
  const result = await work()
  return [result, (performance.now() - startedAtMs) / 1_000]
}
