import { Refusal } from '../../foundation/kernel/errors.ts'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'

const windowMs = 60_000
const callsPerWindow = 30
const maxAccounts = 10_000

/**
 * Limits how often a person's clicks for an account lead to calls of the payment provider, whose rate limit all accounts
 * share. Counts in this process only.
 */
export class ProviderCallLimiter {
  readonly #windows = new Map<number, { startedAt: number; used: number }>()

  /** Counts one call. Throws `rate_limit_exceeded`, with the seconds until the next one, when the minute is full. */
  count(accountId: number, now: Date): void {
    const nowMs = now.getTime()
    const previous = this.#windows.get(accountId)
    const ageMs = previous ? nowMs - previous.startedAt : Number.POSITIVE_INFINITY
    const window = previous && ageMs < windowMs && ageMs >= -clockToleranceMs ? previous : { startedAt: nowMs, used: 0 }
    if (window.used >= callsPerWindow)
      throw new Refusal('rate_limit_exceeded', 'Billing was opened too often in this minute; wait a moment.', {
        retryAfterSeconds: Math.ceil((window.startedAt + windowMs - nowMs) / 1000),
      })
    if (this.#windows.size >= maxAccounts) this.#windows.clear()
    this.#windows.set(accountId, { ...window, used: window.used + 1 })
  }
}
