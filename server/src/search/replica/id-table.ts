/** 2^32 over the golden ratio: its multiples spread neighbours evenly over the upper bits. */
const hashFactor = 0x9e37_79b1

/** Which row an id has, for ids up to 2^53: a hash table without an object for each. Filled once, then asked. */
export class IdTable {
  readonly #ids: Float64Array
  readonly #mask: number
  readonly #shift: number
  /** Row + 1 by hash, 0 where free. */
  readonly #slots: Int32Array

  /** The place of an id is its row. */
  constructor(ids: Float64Array) {
    let slots = 32
    while (slots < ids.length * 2) slots *= 2
    this.#ids = ids
    this.#mask = slots - 1
    this.#shift = Math.clz32(slots) + 1 + 4
    this.#slots = new Int32Array(slots)
    for (let row = 0; row < ids.length; row++) {
      let slot = this.#firstSlot(ids[row]!)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = row + 1
    }
  }

  /** -1 for an id that has none. */
  rowOf(id: number): number {
    let slot = this.#firstSlot(id)
    for (;;) {
      const row = this.#slots[slot]! - 1
      if (row < 0 || this.#ids[row] === id) return row
      slot = (slot + 1) & this.#mask
    }
  }

  /** Sixteen neighbours share a line of the processor's cache, since they are asked for together; lines are spread. */
  #firstSlot(id: number): number {
    const line = Math.imul(Math.floor(id / 16), hashFactor) >>> this.#shift
    return ((line << 4) | (id & 15)) & this.#mask
  }
}
