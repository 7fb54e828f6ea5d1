import type { Segment } from '../segments/segment.ts'
import { lowerBound } from './sort-keys.ts'

/** Reads the lists of sparse tokens window by window, only forward. Several clauses may read the same window. */
export class PostingCursors {
  readonly #segment: Segment
  /** Code → its first entry at or after the start of the window read last. */
  readonly #positions = new Map<number, number>()

  constructor(segment: Segment) {
    this.#segment = segment
  }

  /** Sets the bits of documents with any of the tokens, for `count` words from `word`. */
  add(codes: readonly number[], word: number, count: number, into: Int32Array): void {
    const { entries, entryStarts } = this.#segment
    const limit = (word + count) * 32
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index]!
      const end = entryStarts[code + 1]!
      let at = this.#seek(code, word * 32, end)
      for (; at < end; at++) {
        const document = entries[at]!
        if (document >= limit) break
        into[(document >>> 5) - word]! |= 1 << (document & 31)
      }
    }
  }

  /** Galloping search for the first entry ≥ `wanted`, which is usually near. */
  #seek(code: number, wanted: number, end: number): number {
    const { entries, entryStarts } = this.#segment
    let low = this.#positions.get(code) ?? entryStarts[code]!
    let step = 1
    let high = low
    while (high < end && entries[high]! < wanted) {
      low = high + 1
      high += step
      step *= 2
    }
    const first = lowerBound(entries, wanted, low, Math.min(high, end))
    this.#positions.set(code, first)
    return first
  }
}
