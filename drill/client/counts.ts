import { percentile } from '../../bench/support/statistics.ts'

/** Counts by name. */
export class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** The total of all other names. */
  besides(...names: string[]): number {
    return [...this.#counts].reduce((sum, [name, count]) => (names.includes(name) ? sum : sum + count), 0)
  }

  toString(): string {
    const sorted = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([name, count]) => `${name}: ${count}`).join(', ') || 'nothing'
  }
}

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
