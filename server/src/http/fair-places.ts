/**
 * A bound on how much is at work at once, shared out fairly: whoever asks for a place gets one while they hold fewer than are
 * still free. So one holder alone takes half of all, two take a third each, and a newcomer finds room however greedy the
 * others are.
 */
export class FairPlaces {
  readonly #places: number
  readonly #heldBy = new Map<string, number>()
  #held = 0

  constructor(places: number) {
    this.#places = places
  }

  get held(): number {
    return this.#held
  }

  /** Gives the place back, however often it is called; null when there is none to take. */
  take(holder: string): (() => void) | null {
    const own = this.#heldBy.get(holder) ?? 0
    if (own >= this.#places - this.#held) return null
    this.#held++
    this.#heldBy.set(holder, own + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#giveBack(holder)
    }
  }

  #giveBack(holder: string): void {
    this.#held--
    const left = this.#heldBy.get(holder)! - 1
    if (left > 0) this.#heldBy.set(holder, left)
    else this.#heldBy.delete(holder)
  }
}
