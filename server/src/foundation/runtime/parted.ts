/**
 * A map by number and a set of numbers that may have millions of entries. V8 grows a table by copying all of it, which stops the
 * event loop for 60 ms at a million entries; so the entries are spread over small tables, and one of them grows at a time.
 */

const partCount = 64

/** Keys are integers of at least 0. */
export class PartedMap<Value> {
  readonly #parts: (Map<number, Value> | undefined)[] = new Array(partCount).fill(undefined)
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: number): Value | undefined {
    return this.#parts[key % partCount]?.get(key)
  }

  has(key: number): boolean {
    return this.#parts[key % partCount]?.has(key) ?? false
  }

  set(key: number, value: Value): void {
    let part = this.#parts[key % partCount]
    if (!part) {
      part = new Map()
      this.#parts[key % partCount] = part
    }
    const sizeBefore = part.size
    part.set(key, value)
    this.#size += part.size - sizeBefore
  }

  delete(key: number): void {
    if (this.#parts[key % partCount]?.delete(key)) this.#size--
  }
}

/** Members are integers of at least 0. */
export class PartedSet {
  readonly #parts: (Set<number> | undefined)[] = new Array(partCount).fill(undefined)
  #size = 0

  get size(): number {
    return this.#size
  }

  has(member: number): boolean {
    return this.#parts[member % partCount]?.has(member) ?? false
  }

  add(member: number): void {
    let part = this.#parts[member % partCount]
    if (!part) {
      part = new Set()
      this.#parts[member % partCount] = part
    }
    const sizeBefore = part.size
    part.add(member)
    this.#size += part.size - sizeBefore
  }
}
