import type { Pace } from '@storedex/work'
import { wordsOf } from '../segments/segment.ts'
import { countBits, intersectInto, subtractFrom } from './bitset.ts'
import type { DocumentFilter } from './document-filter.ts'
import { PostingCursors } from './posting-cursors.ts'
import { RangeConversion } from './range-conversion.ts'
import type { Conditions, RangeCondition, TokenSet } from './resolve.ts'

const firstWindowWords = 8
const maxWindowWords = 1_024

/** Estimated costs in units of one word's AND. They choose between two methods, never change the result. */
const costs = { mentions: 16, entry: 2, list: 25, probe: 2, column: 8 }

/** Documents of a window are checked in parts of about so many units, between which a scan can pause. */
const unitsPerPart = 8_192

/** Buffers of the current window. Only one scan works at a time, so all scans share them; one that pauses keeps a copy. */
const found = new Int32Array(maxWindowWords)
const gathered = new Int32Array(maxWindowWords)

/**
 * Scans documents by windows of words, small ones first because broad searches fill their page at once. Within a window,
 * bitsets are combined as long as that is cheaper than checking each remaining document.
 */
export class WindowScan {
  /** The documents found, ascending. */
  readonly documents: number[] = []
  readonly #conditions: Conditions
  readonly #check: DocumentFilter
  readonly #first: number
  readonly #limit: number
  readonly #words: number
  /** Slots of dense tokens that every match must have. */
  readonly #required: number[] = []
  /** Clauses of several dense tokens, then clauses with sparse tokens; in both the narrowest first. */
  readonly #clauses: TokenSet[] = []
  readonly #denseClauses: number
  /** Whether the narrowest clause has sparse tokens: then windows start from it. */
  readonly #isLedBySparse: boolean
  readonly #cursors: PostingCursors
  /** The narrowest first. */
  readonly #ranges: RangeCondition[]
  /** Ranges converted to bitsets, once reading values has cost as much. */
  readonly #rangeBits: Int32Array[] = []
  #conversion: RangeConversion | null = null
  #valuesRead = 0
  /** What beginning a window costs for each word. */
  readonly #openUnits: number

  /** The window: its first word, how many words it has, and how many the next one may have at most. */
  #word: number
  #count = 0
  #width = firstWindowWords
  #phase: 'open' | 'narrow' | 'collect' = 'open'
  /** Of the phase: the next clause, or the next word. */
  #next = 0
  /** How many documents the window has when it is narrowed. */
  #left = 0
  #known: Known = { probesUnwanted: false, probed: [], held: 0, holdsUnwanted: false }
  /** The window's documents during a pause. */
  #kept: Int32Array | null = null

  constructor(conditions: Conditions, check: DocumentFilter, first: number, limit: number) {
    this.#conditions = conditions
    this.#check = check
    this.#first = first
    this.#limit = limit
    this.#word = first >>> 5
    this.#words = wordsOf(conditions.segment.size)
    this.#cursors = new PostingCursors(conditions.segment)
    this.#ranges = [...conditions.ranges]
    const sparse: TokenSet[] = []
    for (const clause of conditions.clauses) {
      if (clause.codes.length > 0) sparse.push(clause)
      else if (clause.slots.length === 1) this.#required.push(clause.slots[0]!)
      else this.#clauses.push(clause)
    }
    this.#denseClauses = this.#clauses.length
    this.#clauses.push(...sparse)
    this.#isLedBySparse = sparse.length > 0 && sparse[0] === conditions.clauses[0]
    const leading = this.#isLedBySparse ? this.#gatherCost(sparse[0]!, maxWindowWords) / maxWindowWords : 1
    this.#openUnits = leading + this.#required.length + conditions.ranges.length + conditions.unwanted.slots.length + 2
  }

  /** Works until it is done or has to pause; returns whether it is done. */
  advance(pace: Pace): boolean {
    if (this.#kept) found.set(this.#kept)
    this.#kept = null
    if (this.#work(pace)) return true
    if (this.#phase !== 'open') this.#kept = found.slice(0, this.#count)
    return false
  }

  #work(pace: Pace): boolean {
    for (;;) {
      if (this.#phase === 'open') {
        if (this.#conversion && !this.#convertRange(this.#conversion, pace)) return false
        if (this.#word >= this.#words) return true
        if (this.#open()) this.#phase = 'narrow'
        else this.#close()
        if (pace.spend(this.#openUnits * this.#count)) return false
      }
      if (this.#phase === 'narrow' && !this.#narrow(pace)) return false
      if (this.#phase === 'collect' && !this.#collect(pace)) return false
      if (this.documents.length === this.#limit) return true
    }
  }

  /** Begins a window; returns whether there is anything in it. */
  #open(): boolean {
    const word = this.#word
    const first = this.#first
    const count = Math.min(this.#width, this.#words - word)
    this.#count = count
    if (!this.#fill(word, count)) return false
    if (word === first >>> 5) found[0]! &= -1 << (first & 31)
    const { unwanted, segment } = this.#conditions
    this.#left = countBits(found, count)
    // With few documents left, probe single bits; each unwanted token has to be checked.
    const probesUnwanted = this.#left * costs.probe < count
    if (!probesUnwanted && unwanted.slots.length > 0) {
      for (const slot of unwanted.slots) if (!subtractFrom(found, segment.bits, slot + word, count)) return false
      this.#left = countBits(found, count)
    }
    this.#known.probesUnwanted = probesUnwanted
    this.#known.probed = []
    this.#known.held = 0
    this.#next = 0
    return true
  }

  /** Goes on to the next window. */
  #close(): void {
    this.#phase = 'open'
    this.#word += this.#width
    this.#width = Math.min(this.#width * 2, maxWindowWords)
  }

  /** Sets `found` to the documents that meet the dense tokens and the leading clause; returns whether there are any. */
  #fill(word: number, count: number): boolean {
    const { segment, dead } = this.#conditions
    const { bits } = segment
    const required = this.#required
    let next = 0
    if (this.#isLedBySparse) {
      this.#gather(this.#clauses[this.#denseClauses]!, word, count)
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

  /** Applies the other clauses by words or leaves them to be checked by document; returns false to pause. */
  #narrow(pace: Pace): boolean {
    const word = this.#word
    const count = this.#count
    const known = this.#known
    const clauses = this.#clauses
    while (this.#next < clauses.length && this.#left > 0) {
      const index = this.#next++
      const clause = clauses[index]!
      const cost = this.#gatherCost(clause, count)
      if (index < this.#denseClauses) {
        // On average half of the tokens are probed before one matches.
        if (this.#left * costs.probe < count * 2) {
          known.probed.push(clause)
          continue
        }
      } else {
        const isLeading = index === this.#denseClauses && this.#isLedBySparse
        if (!isLeading && this.#left * costs.mentions < cost) continue
        known.held |= this.#check.bitOf(clause)
        if (isLeading) continue
      }
      this.#gather(clause, word, count)
      intersectInto(found, gathered, 0, count)
      this.#left = countBits(found, count)
      if (pace.spend(cost + 2 * count)) return false
    }
    if (this.#left === 0) {
      this.#close()
      return true
    }
    this.#subtractUnwantedEntries(word, count)
    this.#next = 0
    this.#phase = 'collect'
    return true
  }

  #subtractUnwantedEntries(word: number, count: number): void {
    const { unwanted } = this.#conditions
    const known = this.#known
    known.holdsUnwanted = unwanted.codes.length === 0
    if (known.holdsUnwanted || this.#left * costs.mentions <= this.#gatherCost(unwanted, count)) return
    gathered.fill(0, 0, count)
    this.#cursors.add(unwanted.codes, word, count, gathered)
    subtractFrom(found, gathered, 0, count)
    known.holdsUnwanted = true
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

  /** Checks the remaining documents and collects matches until the page is full; returns false to pause. */
  #collect(pace: Pace): boolean {
    const count = this.#count
    const cost = count + this.#left * this.#documentCost
    const words = cost < unitsPerPart ? count : Math.ceil((count * unitsPerPart) / cost)
    let pauses = false
    while (this.#next < count) {
      const end = Math.min(count, this.#next + words)
      if (this.#collectUntil(end)) return true
      this.#next = end
      pauses = pace.spend(words === count ? cost : unitsPerPart)
      if (pauses && end < count) return false
    }
    this.#close()
    const range = this.#ranges[0]
    if (range) this.#startConversion(range)
    return !pauses
  }

  /** Checks the documents of the next words; returns whether the page is full. */
  #collectUntil(end: number): boolean {
    const check = this.#check
    const firstWord = this.#word
    const limit = this.#limit
    const documents = this.documents
    const ranges = this.#ranges
    const { probesUnwanted, probed, held, holdsUnwanted } = this.#known
    for (let index = this.#next; index < end; index++) {
      for (let left = found[index]!; left !== 0; left &= left - 1) {
        const document = (firstWord + index) * 32 + 31 - Math.clz32(left & -left)
        if (ranges.length > 0) {
          this.#valuesRead++
          if (!check.meetsRanges(ranges, document)) continue
        }
        if (probesUnwanted && check.hasUnwantedBit(document)) continue
        if (probed.length > 0 && !check.meetsDense(probed, document)) continue
        if (check.meetsSparse(document, held, holdsUnwanted) && documents.push(document) === limit) return true
      }
    }
    return false
  }

  /** Of checking one document, at most about so much. */
  get #documentCost(): number {
    const { probesUnwanted, probed, holdsUnwanted, held } = this.#known
    let cost = 4 + this.#ranges.length * costs.column
    if (probesUnwanted) cost += this.#conditions.unwanted.slots.length * costs.probe
    for (const { slots } of probed) cost += slots.length * costs.probe
    if (!holdsUnwanted || (held === 0 && this.#clauses.length > this.#denseClauses)) cost += costs.mentions * 2
    return cost
  }

  /** Starts to convert the narrowest range to a bitset once reading its values has cost as much. */
  #startConversion(range: RangeCondition): void {
    if (this.#valuesRead * costs.column < (range.end - range.start) * costs.entry + this.#words) return
    this.#conversion = new RangeConversion(range, this.#words)
  }

  #convertRange(conversion: RangeConversion, pace: Pace): boolean {
    if (!conversion.advance(pace)) return false
    this.#rangeBits.push(conversion.bits)
    this.#ranges.shift()
    this.#valuesRead = 0
    this.#conversion = null
    return true
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
