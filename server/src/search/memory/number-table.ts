/** 2^32 over the golden ratio: its multiples spread neighbours evenly over the upper bits. */
const hashFactor = 0x9e37_79b1

/** Numbers distinct 32-bit integers from 0, in order of appearance: a hash table without an object for each. */
export class NumberTable {
  size = 0
  /** Place by hash → number + 1, 0 where free. At most half are taken. */
  #slots = new Int32Array(1024)
  #shift = 22
  #values = new Int32Array(512)
  #counts = new Uint32Array(512)

  /** Counts the value and gives it a number if it has none yet; returns that. */
  add(value: number): number {
    const place = this.#placeOf(value)
    let number = this.#slots[place]! - 1
    if (number < 0) {
      if (this.size === this.#values.length) {
        this.#grow()
        return this.add(value)
      }
      number = this.size++
      this.#slots[place] = number + 1
      this.#values[number] = value
    }
    this.#counts[number]!++
    return number
  }

  /** The number of a value; -1 for one that was never added. */
  numberOf(value: number): number {
    return this.#slots[this.#placeOf(value)]! - 1
  }

  /** The values in ascending order, how often each was added, and the place in this order by number. */
  sorted(): { values: Int32Array; counts: Uint32Array; places: Uint32Array } {
    const values = this.#values.slice(0, this.size).sort()
    const counts = new Uint32Array(this.size)
    const places = new Uint32Array(this.size)
    values.forEach((value, place) => {
      const number = this.numberOf(value)
      counts[place] = this.#counts[number]!
      places[number] = place
    })
    return { values, counts, places }
  }

  #placeOf(value: number): number {
    const slots = this.#slots
    let place = Math.imul(value, hashFactor) >>> this.#shift
    while (slots[place]! !== 0 && this.#values[slots[place]! - 1] !== value) place = (place + 1) & (slots.length - 1)
    return place
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2)
    this.#shift -= 1
    this.#values = twiceAsLong(this.#values, Int32Array)
    this.#counts = twiceAsLong(this.#counts, Uint32Array)
    for (let number = 0; number < this.size; number++) this.#slots[this.#placeOf(this.#values[number]!)] = number + 1
  }
}

function twiceAsLong<A extends { length: number; set(values: A): void }>(
  values: A,
  kind: new (length: number) => A,
): A {
  const longer = new kind(values.length * 2)
  longer.set(values)
  return longer
}
