import { wordsOf } from '../segments/segment.ts'
import { countBits, subtractFrom, intersectInto } from './bitset.ts'
import type { DocumentFilter } from './document-check.ts'
import { PostingCursors } from './posting-cursors.ts'
import type { Conditions, RangeCondition, TokenSet } from './resolve.ts'

const firstWindowWords = 8
const maxWindowWords = 1_024

/** What things cost, in units of a word's AND: they decide which of two ways is taken, never what is found. */
const costs = { mentions: 16, entry: 2, list: 25, probe: 2, column: 8 }

/** The window that is looked at; searching is never interrupted, so there is one for all. */
const found = new Int32Array(maxWindowWords)
const gathered = new Int32Array(maxWindowWords)

/**
 * Looks at documents by windows of words, small at first, since broad searches find their page at once. Within one, whole
 * words are combined as long as that is cheaper than looking at each document that is left.
 */
export class WindowScan {
  readonly #conditions: Conditions
  readonly #check: DocumentFilter
  readonly #words: number
  /** Where the words of tokens begin that every answer has. */
  readonly #required: number[] = []
  /** Clauses of several dense tokens, and those with sparse ones; the narrowest first. */
  readonly #dense: TokenSet[] = []
  readonly #sparse: TokenSet[] = []
  /** Whether the narrowest of all clauses has sparse tokens: then windows begin with it. */
  readonly #isLedBySparse: boolean
  readonly #cursors: PostingCursors
  /** The narrowest first. */
  readonly #ranges: RangeCondition[]
  /** Ranges as bits, each made once a search has looked at so many values that it would have paid. */
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
      if (this.#look(word, count, limit, documents)) break
    }
    return documents
  }

  /** Leaves in `found` what the conditions on dense tokens leave, and the leading clause; answers whether that is anything. */
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

  /** Applies the other clauses, by words or document by document, and takes what is left; whether that is enough. */
  #look(word: number, count: number, limit: number, documents: number[]): boolean {
    const { unwanted, segment } = this.#conditions
    let left = countBits(found, count)
    // Words for the many, bits for the few: of unwanted tokens each has to be looked at.
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
      // On average half of the tokens are tried before one is found.
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
    return this.#take(word, count, limit, documents, { probesUnwanted, probed, held, holdsUnwanted })
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

  #take(word: number, count: number, limit: number, documents: number[], known: Known): boolean {
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
    if (ranges.length > 0) this.#settleRange(ranges[0]!)
    return false
  }

  /** Once reading values has cost as much as the bits of the narrowest range would have, they are made. */
  #settleRange({ order, start, end }: RangeCondition): void {
    if (this.#valuesRead * costs.column < (end - start) * costs.entry + this.#words) return
    const bits = new Int32Array(this.#words)
    for (let at = start; at < end; at++) bits[order[at]! >>> 5]! |= 1 << (order[at]! & 31)
    this.#rangeBits.push(bits)
    this.#ranges.shift()
    this.#valuesRead = 0
  }
}

/** What is known of all documents that a window has left. */
interface Known {
  /** Whether dense tokens that no answer has are still to be looked for. */
  probesUnwanted: boolean
  /** Clauses of dense tokens that are still to be checked. */
  probed: TokenSet[]
  /** Bits of the clauses that hold. */
  held: number
  holdsUnwanted: boolean
}
