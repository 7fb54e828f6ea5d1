const lanes = 4
const factor = 0x9e37_79b1

/**
 * A 128-bit checksum at memory speed: 32-bit words in four lanes. Any change of a single word changes it. It detects
 * corruption, not tampering.
 */
export class Checksum {
  readonly #state = Int32Array.of(1, 2, 3, 4)

  /** The length must be a multiple of 16 and the offset a multiple of 4. */
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
