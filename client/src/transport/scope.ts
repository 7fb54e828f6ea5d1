import { AbortError, StoredexError, TimeoutError } from '../errors.ts'
import type { AbortSignalLike } from '../platform.ts'

/** The longest timer that platforms have. */
const longestTimerMs = 2 ** 31 - 1

/** One attempt, as its work sees it. */
export interface Attempt {
  /** Aborted when the attempt's result is no longer wanted. */
  signal: AbortSignal
  /** Begins its time again, with this length; the whole call's time goes on. */
  restart(timeoutMs: number): void
}

/** Bounds of one call of a method: the caller's signal, and the time that it may take in all. */
export class CallScope {
  readonly #signal: AbortSignalLike | undefined
  readonly #totalTimeoutMs: number
  readonly #endsAt: number

  constructor(signal: AbortSignalLike | undefined, totalTimeoutMs: number) {
    this.#signal = signal
    this.#totalTimeoutMs = totalTimeoutMs
    this.#endsAt = performance.now() + totalTimeoutMs
  }

  /** Whether there is time left after waiting for so long. */
  allows(waitMs: number): boolean {
    return performance.now() + waitMs < this.#endsAt
  }

  /**
   * Runs one attempt. Its signal is aborted, and its promise rejected, when the caller aborts or time is up. Failures of others are
   * passed to `explain`.
   */
  run<T>(
    timeoutMs: number,
    work: (attempt: Attempt) => Promise<T>,
    explain: (error: unknown) => StoredexError,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const controller = new AbortController()
      const stop = (error: StoredexError) => {
        end()
        reject(error)
        controller.abort(error)
      }
      const abort = () => stop(this.#abortError())
      const leftMs = () => this.#endsAt - performance.now()
      let timer: ReturnType<typeof setTimeout> | undefined
      const end = () => {
        clearTimeout(timer)
        this.#signal?.removeEventListener('abort', abort)
      }
      const restart = (attemptMs: number) => {
        clearTimeout(timer)
        if (controller.signal.aborted) return
        const isTotal = leftMs() < attemptMs
        const error = () => (isTotal ? this.#totalTimeoutError() : attemptTimeoutError(timeoutMs))
        const ms = Math.max(0, Math.min(leftMs(), attemptMs))
        if (ms <= longestTimerMs) timer = setTimeout(() => stop(error()), ms)
      }
      if (this.#signal?.aborted) return reject(this.#abortError())
      if (leftMs() <= 0) return reject(this.#totalTimeoutError())
      this.#signal?.addEventListener('abort', abort)
      restart(timeoutMs)
      work({ signal: controller.signal, restart })
        .catch((error: unknown) => Promise.reject(error instanceof StoredexError ? error : explain(error)))
        .then(resolve, reject)
        .finally(end)
    })
  }

  /** Waits between two polls; rejects when time would be up. */
  async pause(ms: number): Promise<void> {
    if (!this.allows(ms)) throw this.#totalTimeoutError()
    await this.sleep(ms)
  }

  /** Waits; rejects when the caller aborts. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#signal?.aborted) return reject(this.#abortError())
      const abort = () => {
        clearTimeout(timer)
        this.#signal?.removeEventListener('abort', abort)
        reject(this.#abortError())
      }
      const timer = setTimeout(() => {
        this.#signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      this.#signal?.addEventListener('abort', abort)
    })
  }

  #abortError(): AbortError {
    return new AbortError('The call was aborted.', { code: 'aborted', cause: this.#signal?.reason })
  }

  #totalTimeoutError(): TimeoutError {
    return new TimeoutError(`The call took longer than totalTimeoutMs, ${this.#totalTimeoutMs} ms.`, {
      code: 'timeout',
    })
  }
}

function attemptTimeoutError(timeoutMs: number): TimeoutError {
  return new TimeoutError(`No complete reply arrived within timeoutMs, ${timeoutMs} ms.`, {
    code: 'timeout',
    retryable: true,
  })
}
