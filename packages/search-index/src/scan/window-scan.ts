import { wordsOf } from '../segments/segment.ts'
import { countBits, intersectInto, subtractFrom } from './bitset.ts'
import type { DocumentFilter } from './document-filter.ts'
import { PostingCursors } from './posting-cursors.ts'
import type { Conditions, RangeCondition, TokenSet } from './resolve.ts'

const firstWindowWords = 8
const maxWindowWords = 1_024

/** Estimated costs in units of one word's AND. They choose between two methods, never change the result. */
const costs = { mentions: 16, entry: 2, list: 25, probe: 2, column: 8 }

/** Buffers of the current window. A scan is synchronous, so all scans share them. */
const found = new Int32Array(maxWindowWords)
const gathered = new Int32Array(maxWindowWords)

/**
 * Scans documents by windows of words, small ones first because broad searches fill their page at once. Within a window,
 * bitsets are combined as long as that is cheaper than checking each remaining document.
 */
export class WindowScan {
  readonly #conditions: Conditions
  readonly #check: DocumentFilter
  readonly #words: number
  /** Slots of dense tokens that every match must have. */
  readonly #required: number[] = []
  /** Clauses of several dense tokens, and clauses with sparse tokens; the narrowest first. */
  readonly #dense: TokenSet[] = []
  readonly #sparse: TokenSet[] = []
  /** Whether the narrowest clause has sparse tokens: then windows start from it. */
  readonly #isLedBySparse: boolean
  readonly #cursors: PostingCursors
  /** The narrowest first. */
  readonly #ranges: RangeCondition[]
  /** Ranges converted to bitsets, once reading values has cost as much. */
  readonly #rangeBits: Int32Array[] = []
  #valuesRead = 0

  constructor(conditions: Conditions, check: DocumentFilter) {
    this.#conditions = conditions
    this.#check = check
    this.#words = wordsOf(conditions.segment.size)
    this.#cursors = new PostingCursors(conditions.segment)
    this.#ranges = [...conditions.ranges]
    for (const clause of conditions.clauses) {
      if (clause.codes.length > 0) this.#sparse.push(clause)
      else if (clause.slots.length === 1) this.#required.push(clause.slots[0]!)
      else this.#dense.push(clause)
    }
    this.#isLedBySparse = this.#sparse.length > 0 && this.#sparse[0] === conditions.clauses[0]
  }

  /** The first `limit` documents from `first` on, ascending. */
  run(first: number, limit: number): number[] {
    const documents: number[] = []
    const firstWord = first >>> 5
    let width = firstWindowWords
    for (let word = firstWord; word < this.#words; word += width, width = Math.min(width * 2, maxWindowWords)) {
      const count = Math.min(width, this.#words - word)
      if (!this.#fill(word, count)) continue
      if (word === firstWord) found[0]! &= -1 << (first & 31)
      if (this.#filter(word, count, limit, documents)) break
    }
    return documents
  }

  /** Sets `found` to the documents that meet the dense tokens and the leading clause; returns whether there are any. */
  #fill(word: number, count: number): boolean {
    const { segment, dead } = this.#conditions
    const { bits } = segment
    const required = this.#required
    let next = 0
    if (this.#isLedBySparse) {
      this.#gather(this.#sparse[0]!, word, count)
      found.set(gathered.subarray(0, count))
    } else if (required.length > 0) {
      const from = required[next++]! + word
      for (let index = 0; index < count; index++) found[index] = bits[from + index]!
    } else {
      found.fill(-1, 0, count)
      const inLast = segment.size & 31
      if (word + count === this.#words && inLast !== 0) found[count - 1] = ~(-1 << inLast)
    }
    for (; next < required.length; next++) if (!intersectInto(found, bits, required[next]! + word, count)) return false
    for (const range of this.#rangeBits) if (!intersectInto(found, range, word, count)) return false
    return !dead || subtractFrom(found, dead, word, count)
  }

  /** Applies the other clauses, by words or by document, and collects matches; returns whether the page is full. */
  #filter(word: number, count: number, limit: number, documents: number[]): boolean {
    const { unwanted, segment } = this.#conditions
    let left = countBits(found, count)
    // With few documents left, probe single bits; each unwanted token has to be checked.
    const probesUnwanted = left * costs.probe < count
    if (!probesUnwanted && unwanted.slots.length > 0) {
      for (const slot of unwanted.slots) if (!subtractFrom(found, segment.bits, slot + word, count)) return false
      left = countBits(found, count)
    }
    const keepClause = (clause: TokenSet) => {
      this.#gather(clause, word, count)
      intersectInto(found, gathered, 0, count)
      left = countBits(found, count)
    }
    const probed: TokenSet[] = []
    for (const clause of this.#dense) {
      if (left === 0) return false
      // On average half of the tokens are probed before one matches.
      if (left * costs.probe < count * 2) probed.push(clause)
      else keepClause(clause)
    }
    let held = this.#isLedBySparse ? this.#check.bitOf(this.#sparse[0]!) : 0
    for (let index = this.#isLedBySparse ? 1 : 0; index < this.#sparse.length && left > 0; index++) {
      const clause = this.#sparse[index]!
      if (left * costs.mentions < this.#gatherCost(clause, count)) continue
      keepClause(clause)
      held |= this.#check.bitOf(clause)
    }
    if (left === 0) return false
    let holdsUnwanted = unwanted.codes.length === 0
    if (!holdsUnwanted && left * costs.mentions > this.#gatherCost(unwanted, count)) {
      gathered.fill(0, 0, count)
      this.#cursors.add(unwanted.codes, word, count, gathered)
      subtractFrom(found, gathered, 0, count)
      holdsUnwanted = true
    }
    return this.#collect(word, count, limit, documents, { probesUnwanted, probed, held, holdsUnwanted })
  }

  #gatherCost({ slots, codes, entries }: TokenSet, count: number): number {
    return (slots.length + 1) * count + (entries * costs.entry * count) / this.#words + codes.length * costs.list
  }

  #gather({ slots, codes }: TokenSet, word: number, count: number): void {
    const { bits } = this.#conditions.segment
    gathered.fill(0, 0, count)
    for (const slot of slots) {
      const from = slot + word
      for (let index = 0; index < count; index++) gathered[index]! |= bits[from + index]!
    }
    if (codes.length > 0) this.#cursors.add(codes, word, count, gathered)
  }

  #collect(word: number, count: number, limit: number, documents: number[], known: Known): boolean {
    const check = this.#check
    const { probesUnwanted, probed, held, holdsUnwanted } = known
    const ranges = this.#ranges
    for (let index = 0; index < count; index++) {
      for (let left = found[index]!; left !== 0; left &= left - 1) {
        const document = (word + index) * 32 + 31 - Math.clz32(left & -left)
        if (ranges.length > 0) {
          this.#valuesRead++
          if (!check.meetsRanges(ranges, document)) continue
        }
        if (probesUnwanted && check.hasUnwantedBit(document)) continue
        if (probed.length > 0 && !check.meetsDense(probed, document)) continue
        if (check.meetsSparse(document, held, holdsUnwanted) && documents.push(document) === limit) return true
      }
    }
    if (ranges.length > 0) this.#materializeRange(ranges[0]!)
    return false
  }

  /** Converts the narrowest range to a bitset once reading its values has cost as much. */
  #materializeRange({ order, start, end }: RangeCondition): void {
    if (this.#valuesRead * costs.column < (end - start) * costs.entry + this.#words) return
    const bits = new Int32Array(this.#words)
    for (let at = start; at < end; at++) bits[order[at]! >>> 5]! |= 1 << (order[at]! & 31)
    this.#rangeBits.push(bits)
    this.#ranges.shift()
    this.#valuesRead = 0
  }
}

/** What already holds for all remaining documents of a window. */
interface Known {
  /** Whether unwanted dense tokens are still to be checked. */
  probesUnwanted: boolean
  /** Clauses of dense tokens still to be checked. */
  probed: TokenSet[]
  /** Mask of the clauses that hold. */
  held: number
  holdsUnwanted: boolean
}
