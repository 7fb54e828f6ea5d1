import type { Pace } from '@storedex/work'
import type { RangeCondition } from './resolve.ts'

const documentsAtOnce = 4_096
/** A document costs about so much: it is written to a random place. */
const unitsPerDocument = 3

/** Makes a bitset of the documents within a range. */
export class RangeConversion {
  readonly bits: Int32Array
  readonly #range: RangeCondition
  #at: number

  constructor(range: RangeCondition, words: number) {
    this.bits = new Int32Array(words)
    this.#range = range
    this.#at = range.start
  }

  /** Works until it is done or has to pause; returns whether it is done. */
  advance(pace: Pace): boolean {
    const { order, end } = this.#range
    const bits = this.bits
    while (this.#at < end) {
      const until = Math.min(end, this.#at + documentsAtOnce)
      for (let at = this.#at; at < until; at++) bits[order[at]! >>> 5]! |= 1 << (order[at]! & 31)
      const done = until - this.#at
      this.#at = until
      if (pace.spend(done * unitsPerDocument)) return false
    }
    return true
  }
}
