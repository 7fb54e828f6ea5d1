/** 2^32 divided by the golden ratio (Fibonacci hashing). */
const hashFactor = 0x9e37_79b1

/** Assigns numbers from 0 to distinct 32-bit integers and counts them: an open-addressing hash table. */
export class NumberTable {
  #size = 0
  /** Pairs of a value and its number + 1 (0: free), by hash. At most half are taken. */
  #pairs = new Int32Array(2048)
  #shift = 22
  #counts = new Uint32Array(512)

  /** How many numbers are assigned. */
  get size(): number {
    return this.#size
  }

  /** Counts the value and returns its number, the next one if it is new. */
  add(value: number): number {
    const slot = this.#slotOf(value)
    const number = this.#pairs[slot + 1]! - 1
    if (number >= 0) {
      this.#counts[number]!++
      return number
    }
    if (this.#size === this.#counts.length) {
      this.#grow()
      return this.add(value)
    }
    this.#counts[this.#size++] = 1
    this.#pairs[slot] = value
    this.#pairs[slot + 1] = this.#size
    return this.#size - 1
  }

  /** The number of a value; -1 if it was never added. */
  numberOf(value: number): number {
    return this.#pairs[this.#slotOf(value) + 1]! - 1
  }

  /** Renumbers the values in ascending order; returns them, how often each was added, and old number → new number. */
  sort(): { values: Int32Array; counts: Uint32Array; renumbered: Uint32Array } {
    const values = new Int32Array(this.#size)
    for (let slot = 0; slot < this.#pairs.length; slot += 2) {
      const number = this.#pairs[slot + 1]! - 1
      if (number >= 0) values[number] = this.#pairs[slot]!
    }
    values.sort()
    const counts = Uint32Array.from(values, (value) => this.#counts[this.numberOf(value)]!)
    const renumbered = new Uint32Array(this.#size)
    for (let number = 0; number < values.length; number++) {
      const slot = this.#slotOf(values[number]!)
      renumbered[this.#pairs[slot + 1]! - 1] = number
      this.#pairs[slot + 1] = number + 1
    }
    this.#counts.set(counts)
    return { values, counts, renumbered }
  }

  /** The slot of the value's pair, or the free slot to use for it. */
  #slotOf(value: number): number {
    const pairs = this.#pairs
    let slot = (Math.imul(value, hashFactor) >>> this.#shift) << 1
    while (pairs[slot + 1] !== 0 && pairs[slot] !== value) slot = (slot + 2) & (pairs.length - 1)
    return slot
  }

  #grow(): void {
    const pairs = this.#pairs
    this.#pairs = new Int32Array(pairs.length * 2)
    this.#shift -= 1
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at + 1] === 0) continue
      const slot = this.#slotOf(pairs[at]!)
      this.#pairs[slot] = pairs[at]!
      this.#pairs[slot + 1] = pairs[at + 1]!
    }
    const counts = this.#counts
    this.#counts = new Uint32Array(counts.length * 2)
    this.#counts.set(counts)
  }
}
