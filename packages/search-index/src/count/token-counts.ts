import { countCommon } from '../scan/bitset.ts'
import { type Segment, wordsOf } from '../segments/segment.ts'
import { documentsIn, type Matches } from './match.ts'

/** Counts tokens among the matching documents of a segment. */
export interface TokenCounter {
  /** How many of them have the token; with weights, their sum. */
  count(code: number): number
}

/** The counts of a segment whose living documents all match: known, except for the dead. */
export function countAllLiving({ tokenCounts }: Segment, dead: TokenCounter | null): TokenCounter {
  return { count: (code) => tokenCounts[code]! - (dead?.count(code) ?? 0) }
}

/** Counts by documents if they are few, else by words. `weights` counts each document so many times. */
export function createTokenCounter(segment: Segment, matches: Matches, weights: Uint16Array | null): TokenCounter {
  return matches.documents
    ? new DocumentCounter(segment, matches.documents, weights)
    : new WordCounter(segment, matches, weights)
}

/** Reads the tokens of each document once, and the bit of each dense token. */
class DocumentCounter implements TokenCounter {
  readonly #segment: Segment
  readonly #documents: Uint32Array
  readonly #weights: Uint16Array | null
  readonly #mentioned: Uint32Array

  constructor(segment: Segment, documents: Uint32Array, weights: Uint16Array | null) {
    this.#segment = segment
    this.#documents = documents
    this.#weights = weights
    this.#mentioned = countMentions(segment, documents, weights)
  }

  count(code: number): number {
    const { bits, denseSlots, size } = this.#segment
    const slot = denseSlots[code]!
    if (slot < 0) return this.#mentioned[code]!
    const start = slot * wordsOf(size)
    const weights = this.#weights
    let total = 0
    for (const document of this.#documents)
      if (((bits[start + (document >>> 5)]! >>> (document & 31)) & 1) !== 0) total += weights ? weights[document]! : 1
    return total
  }
}

function countMentions(
  { tokens, mentionStarts, mentions }: Segment,
  documents: Uint32Array,
  weights: Uint16Array | null,
): Uint32Array {
  const counts = new Uint32Array(tokens.length)
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index]!
    const weight = weights === null ? 1 : weights[document]!
    const end = mentionStarts[document + 1]!
    for (let at = mentionStarts[document]!; at < end; at++) counts[mentions[at]!]! += weight
  }
  return counts
}

/** Finding a document's mentions costs about as much as reading this many. */
const mentionsPerDocument = 2

/**
 * Intersects bitsets of dense tokens. Counts sparse ones by their lists, since often few are needed; once as many entries
 * are read as the matching documents have mentions, these are counted instead, which answers for all sparse tokens.
 */
class WordCounter implements TokenCounter {
  readonly #segment: Segment
  readonly #bits: Int32Array
  readonly #weights: Uint16Array | null
  /** Plane k has the bits of documents whose weight has bit k. */
  readonly #planes: Int32Array[]
  /** How many entries of lists may be read until mentions are. */
  #entriesLeft: number
  #mentioned: Uint32Array | null = null

  constructor(segment: Segment, { bits, count }: Matches, weights: Uint16Array | null) {
    this.#segment = segment
    this.#bits = bits
    this.#entriesLeft = count * (mentionsPerDocument + segment.mentions.length / Math.max(1, segment.size))
    this.#weights = weights
    this.#planes = weights ? planesOf(weights, bits.length) : [bits]
  }

  count(code: number): number {
    const { bits, denseSlots, size } = this.#segment
    const slot = denseSlots[code]!
    if (slot < 0) return this.#countSparse(code)
    const words = wordsOf(size)
    return this.#planes.reduce((sum, plane, k) => sum + 2 ** k * countCommon(plane, bits, slot * words, words), 0)
  }

  #countSparse(code: number): number {
    if (this.#mentioned) return this.#mentioned[code]!
    const { entryStarts } = this.#segment
    this.#entriesLeft -= entryStarts[code + 1]! - entryStarts[code]!
    if (this.#entriesLeft > 0) return this.#countList(code)
    this.#mentioned = countMentions(this.#segment, documentsIn(this.#bits), this.#weights)
    return this.#mentioned[code]!
  }

  #countList(code: number): number {
    const { entries, entryStarts } = this.#segment
    const bits = this.#bits
    const weights = this.#weights
    const end = entryStarts[code + 1]!
    let total = 0
    if (weights) for (let at = entryStarts[code]!; at < end; at++) total += weights[entries[at]!]!
    else
      for (let at = entryStarts[code]!; at < end; at++) {
        const document = entries[at]!
        total += (bits[document >>> 5]! >>> (document & 31)) & 1
      }
    return total
  }
}

function planesOf(weights: Uint16Array, words: number): Int32Array[] {
  const planes: Int32Array[] = []
  for (let document = 0; document < weights.length; document++) {
    for (let weight = weights[document]!, k = 0; weight !== 0; weight >>>= 1, k++) {
      if ((weight & 1) === 0) continue
      while (planes.length <= k) planes.push(new Int32Array(words))
      planes[k]![document >>> 5]! |= 1 << (document & 31)
    }
  }
  return planes
}
