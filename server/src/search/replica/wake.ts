import { setTimeout as delay } from 'node:timers/promises'

/** What a loop sleeps on: a call that comes while it works counts for the next sleep. */
export class Wake {
  #isCalled = false
  #sleeping: AbortController | undefined

  call(): void {
    this.#isCalled = true
    this.#sleeping?.abort()
  }

  /** Ends with the time, or at the next call. Does not keep the process alive. */
  async sleep(timeMs: number): Promise<void> {
    if (!this.#isCalled) {
      this.#sleeping = new AbortController()
      await delay(timeMs, undefined, { signal: this.#sleeping.signal, ref: false }).catch(() => {})
      this.#sleeping = undefined
    }
    this.#isCalled = false
  }
}
