type Numbers = Int32Array | Uint8Array | Uint16Array

/** A typed array that numbers are added to. */
export class Growing<T extends Numbers> {
  #numbers: T
  #size = 0
  readonly #make: (size: number) => T

  /** A capacity that is about right saves copies. */
  constructor(make: (size: number) => T, capacity: number) {
    this.#make = make
    this.#numbers = make(Math.max(capacity, 16))
  }

  get size(): number {
    return this.#size
  }

  push(value: number): void {
    if (this.#size === this.#numbers.length) this.#grow()
    this.#numbers[this.#size++] = value
  }

  /** What was added; it still shares its memory with this. */
  take(): T {
    return this.#numbers.subarray(0, this.#size) as T
  }

  #grow(): void {
    const larger = this.#make(Math.ceil(this.#numbers.length * 1.5))
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}
