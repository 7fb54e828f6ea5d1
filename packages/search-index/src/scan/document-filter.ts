import type { Segment } from '../segments/segment.ts'
import type { Conditions, RangeCondition, TokenSet } from './resolve.ts'

/** A mask has a bit for each clause; further clauses look up their tokens one by one. */
const maxMaskedClauses = 30
const unwantedBit = 1 << 30

/** One table per segment, reused between searches; all zero when no search works. */
const maskTables = new WeakMap<Segment, Int32Array>()

/**
 * Checks single documents against conditions. Each clause has a bit, and each sparse token a mask of the clauses it satisfies,
 * so one pass over a document's mentions evaluates all clauses.
 */
export class DocumentFilter {
  readonly #segment: Segment
  readonly #bits: Int32Array
  readonly #masks: Int32Array
  readonly #maskedCodes: number[] = []
  /** The masks of these codes; a code can occur several times. */
  readonly #maskOf: number[] = []
  /** Clauses of dense tokens only. */
  readonly #dense: TokenSet[] = []
  readonly #masked: TokenSet[] = []
  readonly #further: TokenSet[] = []
  readonly #unwantedSlots: number[]
  readonly #hasUnwantedCodes: boolean
  readonly #dead: Int32Array | null
  readonly #ranges: RangeCondition[]

  /** Checks documents between `acquire` and `release`. */
  constructor({ segment, dead, clauses, unwanted, ranges }: Conditions) {
    this.#segment = segment
    this.#bits = segment.bits
    this.#dead = dead
    this.#ranges = ranges
    this.#masks = maskTableOf(segment)
    for (const clause of clauses) {
      if (clause.codes.length === 0) this.#dense.push(clause)
      else if (this.#masked.length < maxMaskedClauses) this.#addMask(clause.codes, 1 << (this.#masked.push(clause) - 1))
      else this.#further.push(clause)
    }
    this.#unwantedSlots = unwanted.slots
    this.#hasUnwantedCodes = unwanted.codes.length > 0
    this.#addMask(unwanted.codes, unwantedBit)
  }

  #addMask(codes: number[], mask: number): void {
    for (const code of codes) {
      this.#maskedCodes.push(code)
      this.#maskOf.push(mask)
    }
  }

  /** Fills the segment's table. Only one filter of a segment may have it at a time. */
  acquire(): void {
    const [codes, maskOf] = [this.#maskedCodes, this.#maskOf]
    for (let index = 0; index < codes.length; index++) this.#masks[codes[index]!]! |= maskOf[index]!
  }

  release(): void {
    for (const code of this.#maskedCodes) this.#masks[code] = 0
  }

  /** What `meets` costs at most, about, in the units of a pace. */
  get cost(): number {
    const slots = this.#dense.reduce((sum, clause) => sum + clause.slots.length, this.#unwantedSlots.length)
    return (
      32 + slots * 4 + this.#ranges.length * 8 + this.#further.reduce((sum, { codes }) => sum + codes.length * 8, 0)
    )
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
      // Negated so that NaN, for no value, does not match.
      if (!(value >= from && value <= to)) return false
    }
    return true
  }

  /** Checks clauses with sparse tokens, except those in `heldClauses`, which are known to hold. */
  meetsSparse(document: number, heldClauses: number, holdsUnwanted: boolean): boolean {
    const all = 2 ** this.#masked.length - 1
    let met = heldClauses
    if (met !== all || (this.#hasUnwantedCodes && !holdsUnwanted)) {
      const { mentionStarts, mentions } = this.#segment
      const masks = this.#masks
      const end = mentionStarts[document + 1]!
      for (let at = mentionStarts[document]!; at < end; at++) met |= masks[mentions[at]!]!
      if ((met & unwantedBit) !== 0) return false
      if (met !== all && !this.#meetsByBits(document, met)) return false
    }
    return this.#further.length === 0 || this.#meetsFurther(document)
  }

  /** A clause with dense and sparse tokens can also be met by a dense one. */
  #meetsByBits(document: number, met: number): boolean {
    const masked = this.#masked
    for (let index = 0; index < masked.length; index++)
      if ((met & (1 << index)) === 0 && !this.#hasAnyBit(masked[index]!.slots, document)) return false
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

  /** The bit of a clause in `heldClauses`; 0 if it has none. */
  bitOf(clause: TokenSet): number {
    const index = this.#masked.indexOf(clause)
    return index < 0 ? 0 : 1 << index
  }
}

function maskTableOf(segment: Segment): Int32Array {
  let masks = maskTables.get(segment)
  if (!masks) {
    masks = new Int32Array(segment.tokens.length)
    maskTables.set(segment, masks)
  }
  return masks
}
