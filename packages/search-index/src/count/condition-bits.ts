import type { RangeCondition, TokenSet } from '../scan/resolve.ts'
import { type Segment, wordsOf } from '../segments/segment.ts'
import type { Poll } from './poll.ts'

type Tokens = Pick<TokenSet, 'slots' | 'codes'>

/** A range with fewer than one document in this many is filled from the column's order; others by reading every value. */
const documentsPerOrdered = 6

const documentsPerPoll = 32_768

/** So many words of a bitset stay in the fastest cache while all tokens are added to them. */
const blockWords = 2_048

/**
 * Bits of conditions over all documents of a segment, each made once: the parts of a count differ in one condition and share
 * the others.
 */
export class ConditionBits {
  readonly #segment: Segment
  readonly #made = new Map<string, Int32Array>()

  constructor(segment: Segment) {
    this.#segment = segment
  }

  /** The documents with any of the tokens. */
  ofTokens({ slots, codes }: Tokens, poll: Poll): Int32Array {
    return this.#once(`tokens ${slots.join()} ${codes.join()}`, (bits) => {
      const { bits: dense, entries, entryStarts } = this.#segment
      for (let word = 0; word < bits.length && slots.length > 0; word += blockWords) {
        poll()
        uniteSlots(bits, dense, slots, word, Math.min(bits.length, word + blockWords))
      }
      for (const code of codes) {
        poll()
        setBits(bits, entries, entryStarts[code]!, entryStarts[code + 1]!)
      }
    })
  }

  /** The documents with a value within the range. */
  ofRange(range: RangeCondition, poll: Poll): Int32Array {
    const { values, order, from, to, start, end } = range
    const column = Object.values(this.#segment).findIndex((part) => part.values === values)
    return this.#once(`range ${column} ${from} ${to}`, (bits) => {
      if ((end - start) * documentsPerOrdered < this.#segment.size) {
        for (let at = start; at < end; at += documentsPerPoll) {
          poll()
          setBits(bits, order, at, Math.min(end, at + documentsPerPoll))
        }
        return
      }
      const greatest = values[order.at(-1)!]!
      const integers = values instanceof Uint32Array && greatest <= maxInteger && from <= maxInteger
      const signed = integers ? new Int32Array(values.buffer, values.byteOffset, values.length) : null
      for (let at = 0; at < values.length; at += documentsPerPoll) {
        poll()
        const last = Math.min(values.length, at + documentsPerPoll)
        if (signed) compareIntegers(bits, signed, at, last, Math.max(0, from), Math.min(to, maxInteger))
        else compareNumbers(bits, values, at, last, from, to)
      }
    })
  }

  #once(key: string, fill: (bits: Int32Array) => void): Int32Array {
    let bits = this.#made.get(key)
    if (bits) return bits
    bits = new Int32Array(wordsOf(this.#segment.size))
    fill(bits)
    this.#made.set(key, bits)
    return bits
  }
}

/** Two tokens at a time, so that the sum is read and written half as often. */
function uniteSlots(bits: Int32Array, dense: Int32Array, slots: readonly number[], start: number, end: number): void {
  for (let index = 0; index < slots.length; index += 2) {
    const first = slots[index]!
    const second = slots[index + 1] ?? first
    for (let word = start; word < end; word++) bits[word]! |= dense[first + word]! | dense[second + word]!
  }
}

function setBits(bits: Int32Array, documents: Uint32Array, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    const document = documents[at]!
    bits[document >>> 5]! |= 1 << (document & 31)
  }
}

const maxInteger = 0x7fff_ffff

/** No value reads as -1 here. Out of range, a difference is negative: its sign is the bit, so that nothing branches. */
function compareIntegers(
  bits: Int32Array,
  values: Int32Array,
  start: number,
  end: number,
  lowest: number,
  highest: number,
): void {
  const from = lowest | 0
  const to = highest | 0
  for (let first = start; first < end; first += 32) {
    const after = Math.min(end, first + 32)
    let outside = 0
    for (let document = after - 1; document >= first; document--) {
      const value = values[document]!
      outside = (outside << 1) | (((value - from) | (to - value)) >>> 31)
    }
    const inWord = after - first
    bits[first >>> 5] = inWord === 32 ? ~outside : ~outside & ~(-1 << inWord)
  }
}

function compareNumbers(
  bits: Int32Array,
  values: Uint32Array | Float64Array,
  start: number,
  end: number,
  from: number,
  to: number,
): void {
  for (let document = start; document < end; document++) {
    const value = values[document]!
    // NaN, for no value, is not within.
    if (value >= from && value <= to) bits[document >>> 5]! |= 1 << (document & 31)
  }
}
