import { finish } from '@storedex/work'
import { countBits, intersectInto, subtractFrom } from '../scan/bitset.ts'
import type { Conditions } from '../scan/resolve.ts'
import { DocumentScan, fewCandidates } from '../scan/scan.ts'
import { wordsOf } from '../segments/segment.ts'
import type { ConditionBits } from './condition-bits.ts'
import type { Poll } from './poll.ts'

/** The documents of a segment that meet a query. */
export interface Matches {
  count: number
  bits: Int32Array
  /** The same documents, ascending, if they are few; else null. */
  documents: Uint32Array | null
}

const windowWords = 1_024

/** Reading a document's bits one by one costs about as much as reading this many words. */
const wordsPerDocument = 3

/** All documents that meet the conditions; `only`, ascending, restricts them. `known` has bits that other queries asked for. */
export function matchDocuments(
  conditions: Conditions,
  only: Uint32Array | null,
  known: ConditionBits,
  poll: Poll,
): Matches {
  const bits = new Int32Array(wordsOf(conditions.segment.size))
  const few = only ?? fewCandidates(conditions)
  if (few) {
    const documents = Uint32Array.from(
      finish(new DocumentScan(conditions, { first: 0, limit: Number.MAX_SAFE_INTEGER, only: few })),
    )
    for (const document of documents) bits[document >>> 5]! |= 1 << (document & 31)
    return { count: documents.length, bits, documents }
  }
  fillWindows(conditions, bits, known, poll)
  return matchesOf(bits)
}

export function matchesOf(bits: Int32Array): Matches {
  const count = countBits(bits, bits.length)
  return { count, bits, documents: count * wordsPerDocument <= bits.length ? documentsIn(bits, count) : null }
}

/** The documents whose bits are set, ascending. */
export function documentsIn(bits: Int32Array, count = countBits(bits, bits.length)): Uint32Array {
  const documents = new Uint32Array(count)
  let at = 0
  for (let word = 0; word < bits.length; word++)
    for (let left = bits[word]!; left !== 0; left &= left - 1)
      documents[at++] = word * 32 + 31 - Math.clz32(left & -left)
  return documents
}

/** The words of a bitset that starts at `from`. */
interface Bits {
  words: Int32Array
  from: number
}

/**
 * Combines the bits of all conditions, window by window. A search stops at its page and leaves the rest to be checked document
 * by document; a count needs every document, so it combines everything by words.
 */
function fillWindows(conditions: Conditions, bits: Int32Array, known: ConditionBits, poll: Poll): void {
  const { segment, dead, clauses, unwanted, ranges } = conditions
  const wanted: Bits[] = []
  const without: Bits[] = dead ? [{ words: dead, from: 0 }] : []
  for (const clause of clauses) {
    const isSingle = clause.codes.length === 0 && clause.slots.length === 1
    wanted.push(
      isSingle ? { words: segment.bits, from: clause.slots[0]! } : { words: known.ofTokens(clause, poll), from: 0 },
    )
  }
  for (const range of ranges) wanted.push({ words: known.ofRange(range, poll), from: 0 })
  for (const slot of unwanted.slots) without.push({ words: segment.bits, from: slot })
  if (unwanted.codes.length > 0)
    without.push({ words: known.ofTokens({ slots: [], codes: unwanted.codes }, poll), from: 0 })
  for (let word = 0; word < bits.length; word += windowWords) {
    poll()
    const count = Math.min(windowWords, bits.length - word)
    const found = bits.subarray(word, word + count)
    found.fill(-1)
    const inLast = segment.size & 31
    if (word + count === bits.length && inLast !== 0) found[count - 1] = ~(-1 << inLast)
    let isLeft = true
    for (let index = 0; isLeft && index < wanted.length; index++)
      isLeft = intersectInto(found, wanted[index]!.words, wanted[index]!.from + word, count)
    for (let index = 0; isLeft && index < without.length; index++)
      isLeft = subtractFrom(found, without[index]!.words, without[index]!.from + word, count)
  }
}
