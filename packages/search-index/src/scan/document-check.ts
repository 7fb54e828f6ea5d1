import type { Segment } from '../segments/segment.ts'
import type { Conditions, RangeCondition, TokenSet } from './resolve.ts'

/** Clauses beyond so many look their tokens up one by one. */
const maxMarkedClauses = 30
const unwantedMark = 1 << 30

/** One table for each segment, all zero between searches. */
const markTables = new WeakMap<Segment, Int32Array>()

/**
 * Checks single documents against conditions. What a document's mentions say of all clauses is gathered in one walk over
 * them: each clause has a bit, and each sparse token the bits of the clauses that it satisfies.
 */
export class DocumentFilter {
  readonly #segment: Segment
  readonly #bits: Int32Array
  readonly #marks: Int32Array
  readonly #markedCodes: number[] = []
  /** Dense tokens alone decide these. */
  readonly #dense: TokenSet[] = []
  readonly #marked: TokenSet[] = []
  readonly #further: TokenSet[] = []
  readonly #unwantedSlots: number[]
  readonly #hasUnwantedMarks: boolean
  readonly #dead: Int32Array | null
  readonly #ranges: RangeCondition[]

  /** `release` has to be called before the next check of the segment is made. */
  constructor({ segment, dead, clauses, unwanted, ranges }: Conditions) {
    this.#segment = segment
    this.#bits = segment.bits
    this.#dead = dead
    this.#ranges = ranges
    this.#marks = marksOf(segment)
    for (const clause of clauses) {
      if (clause.codes.length === 0) this.#dense.push(clause)
      else if (this.#marked.length < maxMarkedClauses) this.#mark(clause.codes, 1 << (this.#marked.push(clause) - 1))
      else this.#further.push(clause)
    }
    this.#unwantedSlots = unwanted.slots
    this.#hasUnwantedMarks = unwanted.codes.length > 0
    this.#mark(unwanted.codes, unwantedMark)
  }

  #mark(codes: number[], mark: number): void {
    for (const code of codes) {
      this.#marks[code]! |= mark
      this.#markedCodes.push(code)
    }
  }

  release(): void {
    for (const code of this.#markedCodes) this.#marks[code] = 0
  }

  meets(document: number): boolean {
    const dead = this.#dead
    if (dead !== null && ((dead[document >>> 5]! >>> (document & 31)) & 1) !== 0) return false
    if (this.hasUnwantedBit(document)) return false
    return (
      this.meetsDense(this.#dense, document) &&
      this.meetsRanges(this.#ranges, document) &&
      this.meetsSparse(document, 0, false)
    )
  }

  hasUnwantedBit(document: number): boolean {
    return this.#hasAnyBit(this.#unwantedSlots, document)
  }

  /** Whether the document has one of the dense tokens of each clause. */
  meetsDense(clauses: readonly TokenSet[], document: number): boolean {
    for (let index = 0; index < clauses.length; index++)
      if (!this.#hasAnyBit(clauses[index]!.slots, document)) return false
    return true
  }

  meetsRanges(ranges: readonly RangeCondition[], document: number): boolean {
    for (let index = 0; index < ranges.length; index++) {
      const { values, from, to } = ranges[index]!
      const value = values[document]!
      // Written so that a document without a value (NaN) is refused.
      if (!(value >= from && value <= to)) return false
    }
    return true
  }

  /** The part of the clauses with sparse tokens, but for those that are known to hold. */
  meetsSparse(document: number, heldClauses: number, holdsUnwanted: boolean): boolean {
    const all = 2 ** this.#marked.length - 1
    let met = heldClauses
    if (met !== all || (this.#hasUnwantedMarks && !holdsUnwanted)) {
      const { mentionStarts, mentions } = this.#segment
      const marks = this.#marks
      const end = mentionStarts[document + 1]!
      for (let at = mentionStarts[document]!; at < end; at++) met |= marks[mentions[at]!]!
      if ((met & unwantedMark) !== 0) return false
      if (met !== all && !this.#meetsByBits(document, met)) return false
    }
    return this.#further.length === 0 || this.#meetsFurther(document)
  }

  /** Clauses of dense and sparse tokens: what no mention satisfied, a bit may. */
  #meetsByBits(document: number, met: number): boolean {
    const marked = this.#marked
    for (let index = 0; index < marked.length; index++)
      if ((met & (1 << index)) === 0 && !this.#hasAnyBit(marked[index]!.slots, document)) return false
    return true
  }

  #meetsFurther(document: number): boolean {
    const { mentionStarts, mentions } = this.#segment
    const mentioned = mentions.subarray(mentionStarts[document], mentionStarts[document + 1])
    return this.#further.every(
      ({ slots, codes }) =>
        this.#hasAnyBit(slots, document) || codes.some((code) => (mentioned as Uint32Array).includes(code)),
    )
  }

  #hasAnyBit(slots: number[], document: number): boolean {
    for (let index = 0; index < slots.length; index++) if (this.#hasBit(slots[index]!, document)) return true
    return false
  }

  #hasBit(slot: number, document: number): boolean {
    return ((this.#bits[slot + (document >>> 5)]! >>> (document & 31)) & 1) !== 0
  }

  /** The bit of a clause in `heldClauses`; 0 for one that has none. */
  bitOf(clause: TokenSet): number {
    const index = this.#marked.indexOf(clause)
    return index < 0 ? 0 : 1 << index
  }
}

function marksOf(segment: Segment): Int32Array {
  let marks = markTables.get(segment)
  if (!marks) {
    marks = new Int32Array(segment.tokens.length)
    markTables.set(segment, marks)
  }
  return marks
}
