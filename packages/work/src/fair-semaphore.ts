/**
 * A semaphore without a queue: a holder gets a permit while it holds fewer than are still free. So one holder alone
 * takes half of all permits, two take a third each, and a new holder always finds a free one. `maxPermits` bounds a
 * holder further.
 */
export class FairSemaphore {
  readonly #permits: number
  readonly #maxPermits: number
  readonly #heldBy = new Map<string, number>()
  #held = 0

  constructor(permits: number, maxPermits = permits) {
    this.#permits = permits
    this.#maxPermits = maxPermits
  }

  get held(): number {
    return this.#held
  }

  /** Returns a function that releases the permit and may be called repeatedly; null when no permit is available. */
  tryAcquire(holder: string): (() => void) | null {
    const own = this.#heldBy.get(holder) ?? 0
    if (own >= Math.min(this.#maxPermits, this.#permits - this.#held)) return null
    this.#held++
    this.#heldBy.set(holder, own + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#release(holder)
    }
  }

  #release(holder: string): void {
    this.#held--
    const left = this.#heldBy.get(holder)! - 1
    if (left > 0) this.#heldBy.set(holder, left)
    else this.#heldBy.delete(holder)
  }
}
