/** Collects text as UTF-8 in one growing buffer. */
export class ByteSink {
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  append(text: string): void {
    const most = this.#length + text.length * mostBytesPerUnit
    if (most > this.#bytes.length) this.#grow(most)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** The bytes so far; valid until the next call. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(most: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(leastSize, most, this.#bytes.length * 2))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

const leastSize = 262_144
/** In UTF-8, for each UTF-16 code unit. */
const mostBytesPerUnit = 3
