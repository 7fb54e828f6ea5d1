/** 2^32 over the golden ratio: its multiples spread neighbours evenly over the upper bits. */
const hashFactor = 0x9e37_79b1

/** Numbers distinct 32-bit integers from 0 and counts them: a hash table without an object for each. */
export class NumberTable {
  #size = 0
  /** Pairs by hash: a value, and its number + 1, 0 where free. At most half are taken. */
  #pairs = new Int32Array(2048)
  #shift = 22
  #counts = new Uint32Array(512)

  /** Counts the value and gives it the next number if it has none yet. */
  add(value: number): void {
    const place = this.#placeOf(value)
    const number = this.#pairs[place + 1]! - 1
    if (number >= 0) {
      this.#counts[number]!++
    } else if (this.#size === this.#counts.length) {
      this.#grow()
      this.add(value)
    } else {
      this.#counts[this.#size++] = 1
      this.#pairs[place] = value
      this.#pairs[place + 1] = this.#size
    }
  }

  /** The number of a value; -1 for one that was never added. */
  numberOf(value: number): number {
    return this.#pairs[this.#placeOf(value) + 1]! - 1
  }

  /** Numbers the values anew, in ascending order; answers them and how often each was added. */
  sort(): { values: Int32Array; counts: Uint32Array } {
    const values = new Int32Array(this.#size)
    for (let place = 0; place < this.#pairs.length; place += 2) {
      const number = this.#pairs[place + 1]! - 1
      if (number >= 0) values[number] = this.#pairs[place]!
    }
    values.sort()
    const counts = Uint32Array.from(values, (value) => this.#counts[this.numberOf(value)]!)
    for (let number = 0; number < values.length; number++) this.#pairs[this.#placeOf(values[number]!) + 1] = number + 1
    this.#counts.set(counts)
    return { values, counts }
  }

  /** Where the pair of the value is, or else the free one to take for it. */
  #placeOf(value: number): number {
    const pairs = this.#pairs
    let place = (Math.imul(value, hashFactor) >>> this.#shift) << 1
    while (pairs[place + 1] !== 0 && pairs[place] !== value) place = (place + 2) & (pairs.length - 1)
    return place
  }

  #grow(): void {
    const pairs = this.#pairs
    this.#pairs = new Int32Array(pairs.length * 2)
    this.#shift -= 1
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at + 1] === 0) continue
      const place = this.#placeOf(pairs[at]!)
      this.#pairs[place] = pairs[at]!
      this.#pairs[place + 1] = pairs[at + 1]!
    }
    const counts = this.#counts
    this.#counts = new Uint32Array(counts.length * 2)
    this.#counts.set(counts)
  }
}
