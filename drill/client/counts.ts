import { percentile } from '@storedex/testkit'

export interface LatencySummary {
  count: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

export function summarizeLatencies(durationsMs: readonly number[]): LatencySummary {
  const sorted = Float64Array.from(durationsMs).sort()
  if (sorted.length === 0) return { count: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 }
  return {
    count: sorted.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: sorted[sorted.length - 1]!,
  }
}

export const formatMs = (ms: number) => (ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${ms.toFixed(1)} ms`)

export const describeLatencies = ({ count, p50Ms, p99Ms, maxMs }: LatencySummary) =>
  `${count} replies, p50 ${formatMs(p50Ms)}, p99 ${formatMs(p99Ms)}, longest ${formatMs(maxMs)}`
