import { percentile } from '@storedex/testkit'

/** Length of the warm-up and of the measurement. */
export interface Timing {
  warmupMs: number
  measuredMs: number
}

/** A measurement of so many seconds. The warm-up is no longer than it. */
export function timingOf(seconds: number, longestWarmupMs: number): Timing {
  const measuredMs = seconds * 1_000
  return { warmupMs: Math.min(longestWarmupMs, measuredMs), measuredMs }
}

/** Results of one run of one target. */
export interface Figures {
  perSecond: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  /** All replies, including the warm-up. */
  answered: number
}

/** Records the durations of replies within the measured window. One without any is extended to the first. */
export class Stopwatch {
  readonly #opensAt: number
  #closesAt: number
  readonly #durationsMs: number[] = []
  #answered = 0

  constructor({ warmupMs, measuredMs }: Timing) {
    this.#opensAt = performance.now() + warmupMs
    this.#closesAt = this.#opensAt + measuredMs
  }

  get isOver(): boolean {
    return this.#durationsMs.length > 0 && performance.now() >= this.#closesAt
  }

  take(durationMs: number): void {
    const now = performance.now()
    this.#answered++
    if (now < this.#opensAt || this.isOver) return
    this.#durationsMs.push(durationMs)
    this.#closesAt = Math.max(this.#closesAt, now)
  }

  figures(): Figures {
    if (this.#durationsMs.length === 0) throw new Error('no replies arrived during the measurement')
    const sorted = Float64Array.from(this.#durationsMs).sort()
    return {
      perSecond: sorted.length / ((this.#closesAt - this.#opensAt) / 1000),
      p50Ms: percentile(sorted, 0.5),
      p95Ms: percentile(sorted, 0.95),
      p99Ms: percentile(sorted, 0.99),
      answered: this.#answered,
    }
  }
}
