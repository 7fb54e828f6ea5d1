import type { StoredexError } from '../errors.ts'

/** The longest `Retry-After` that is waited for: the length of the minute's window. A longer one ends the call. */
const longestRetryAfterMs = 60_000
const firstDelayMs = 500
const longestDelayMs = 8_000
/**
 * How often a request meets its own first attempt, which still runs, before it gives up. The service waits for two seconds each
 * time and runs no request for longer than ten.
 */
const inProgressRetries = 6

/** Decides, over the attempts of one request, whether and when it is repeated. */
export class RetryPolicy {
  readonly #maxRetries: number
  #retries = 0
  #inProgress = 0

  constructor(maxRetries: number) {
    this.#maxRetries = maxRetries
  }

  /** Starts to count anew, because an attempt got further than the ones before. */
  reset(): void {
    this.#retries = 0
  }

  /** How long to wait before the next attempt; undefined when there is none. Full jitter, on top of `Retry-After`. */
  delayAfter({ retryable, code, retryAfterMs = 0 }: StoredexError): number | undefined {
    if (!retryable || retryAfterMs > longestRetryAfterMs) return
    if (code === 'idempotency_in_progress') {
      if (this.#maxRetries === 0 || this.#inProgress++ === inProgressRetries) return
    } else if (this.#retries++ >= this.#maxRetries) return
    const ceilingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, this.#retries - 1))
    return retryAfterMs + Math.random() * ceilingMs
  }
}
