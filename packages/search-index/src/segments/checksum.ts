const lanes = 4
const factor = 0x9e37_79b1

/**
 * A checksum of 128 bits that keeps up with memory: words of 32 bits in four lanes, each mixed so that no single word can
 * change without changing it. Against accidents, not against malice.
 */
export class Checksum {
  readonly #state = Int32Array.of(1, 2, 3, 4)

  /** Bytes in multiples of sixteen, from an address that is one of four. */
  add(bytes: Uint8Array): void {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
    let [a, b, c, d] = this.#state as unknown as [number, number, number, number]
    for (let at = 0; at < words.length; at += lanes) {
      a = mix(a, words[at]!)
      b = mix(b, words[at + 1]!)
      c = mix(c, words[at + 2]!)
      d = mix(d, words[at + 3]!)
    }
    this.#state.set([a, b, c, d])
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#state.slice().buffer)
  }
}

function mix(state: number, word: number): number {
  const product = Math.imul(state ^ word, factor)
  return (product << 13) | (product >>> 19)
}
