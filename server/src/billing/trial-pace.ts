import { clockToleranceMs } from '../kernel/clock.ts'

const windowMs = 60_000
const limit = 30
const maxRemembered = 10_000

/**
 * Bounds how often the trial page of an account is opened: each time asks the payment provider, whose patience all
 * accounts share. It is counted in this process alone.
 */
export class TrialPace {
  readonly #windows = new Map<number, { startedAt: number; used: number }>()

  /** Seconds until the page may be opened again; null when it may be now, and then it counts. */
  take(accountId: number, now: Date): number | null {
    const nowMs = now.getTime()
    const known = this.#windows.get(accountId)
    const ageMs = known ? nowMs - known.startedAt : Number.POSITIVE_INFINITY
    const window = known && ageMs < windowMs && ageMs >= -clockToleranceMs ? known : { startedAt: nowMs, used: 0 }
    if (window.used >= limit) return Math.ceil((window.startedAt + windowMs - nowMs) / 1000)
    if (this.#windows.size >= maxRemembered) this.#windows.clear()
    this.#windows.set(accountId, { ...window, used: window.used + 1 })
    return null
  }
}
