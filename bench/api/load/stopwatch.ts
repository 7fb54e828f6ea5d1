import { percentile } from '../../support/statistics.ts'

/** How long a run warms up without being measured, and is measured then. */
export interface Timing {
  warmupMs: number
  measuredMs: number
}

/** What one run of one subject gave. */
export interface Figures {
  perSecond: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  /** Everything that was answered, the warm-up included. */
  answered: number
}

/** Takes the duration of every answer and measures those that fall into the window. */
export class Stopwatch {
  readonly #opensAt: number
  readonly #closesAt: number
  readonly #measuredMs: number
  readonly #durationsMs: number[] = []
  #answered = 0

  constructor({ warmupMs, measuredMs }: Timing) {
    this.#opensAt = performance.now() + warmupMs
    this.#closesAt = this.#opensAt + measuredMs
    this.#measuredMs = measuredMs
  }

  get isOver(): boolean {
    return performance.now() >= this.#closesAt
  }

  take(durationMs: number): void {
    const now = performance.now()
    this.#answered++
    if (now >= this.#opensAt && now < this.#closesAt) this.#durationsMs.push(durationMs)
  }

  figures(): Figures {
    if (this.#durationsMs.length === 0) throw new Error('nothing was answered while it was measured')
    const sorted = Float64Array.from(this.#durationsMs).sort()
    return {
      perSecond: sorted.length / (this.#measuredMs / 1000),
      p50Ms: percentile(sorted, 0.5),
      p95Ms: percentile(sorted, 0.95),
      p99Ms: percentile(sorted, 0.99),
      answered: this.#answered,
    }
  }
}
