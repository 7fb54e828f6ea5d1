import { traitsCount } from '../traits.ts'
import { noValue, type RangeColumn, type Segment, wordsOf } from './segment.ts'
import { shared, sharedCopy, sharedUpTo } from './shared-arrays.ts'

/** The arrays of a segment, the same for built and merged segments. This decides the bytes per store. */

/** Columns of documents that are in result order. */
export function encodeDocuments(
  ids: Float64Array,
  negatedScores: Float64Array,
): Pick<Segment, 'size' | 'ids' | 'scores' | 'scoreStarts'> {
  const size = ids.length
  const largestId = ids.reduce((largest, id) => Math.max(largest, id), 0)

  const isFirst = (document: number) => document === 0 || negatedScores[document] !== negatedScores[document - 1]
  let runs = 0
  for (let document = 0; document < size; document++) if (isFirst(document)) runs++
  const scores = shared(Float64Array, runs)
  const scoreStarts = shared(Uint32Array, runs)
  let run = 0
  for (let document = 0; document < size; document++) {
    if (!isFirst(document)) continue
    // A negated score of 0 may be -0.
    scores[run] = negatedScores[document]! + 0
    scoreStarts[run] = document
    run++
  }
  return {
    size,
    ids: largestId <= 0xffff_ffff ? sharedCopy(Uint32Array, ids) : sharedCopy(Float64Array, ids),
    scores,
    scoreStarts,
  }
}

/**
 * A column of values by document, NaN for none. Stored as 32-bit multiples of `unit` if all values fit, else as floats.
 * `sortDocuments` gets the stored values and returns the documents that have one, sorted.
 */
export function encodeRange(
  values: Float64Array,
  unit: number,
  sortDocuments: (stored: Uint32Array | Float64Array) => Uint32Array,
): RangeColumn {
  const fits = values.every((value) => Number.isNaN(value) || isMultiple(value, unit))
  const stored = fits ? shared(Uint32Array, values.length) : shared(Float64Array, values.length)
  for (let document = 0; document < values.length; document++) {
    const value = values[document]!
    stored[document] = !fits ? value : Number.isNaN(value) ? noValue : value / unit
  }
  return { unit: fits ? unit : 1, values: stored, order: sharedCopy(Uint32Array, sortDocuments(stored)) }
}

function isMultiple(value: number, unit: number): boolean {
  const units = value / unit
  return units >= 0 && units < noValue && Number.isInteger(units)
}

export type Postings = Pick<
  Segment,
  'tokens' | 'tokenCounts' | 'denseSlots' | 'bits' | 'entryStarts' | 'entries' | 'mentionStarts' | 'mentions'
>

/** Allocates the postings of ascending tokens with their counts; fills in `denseSlots` and `entryStarts`. */
export function allocatePostings(size: number, tokens: Int32Array, tokenCounts: Uint32Array): Postings {
  const words = wordsOf(size)
  const denseSlots = shared(Int32Array, tokens.length)
  const entryStarts = shared(Uint32Array, tokens.length + 1)
  let slots = 0
  for (let code = 0; code < tokens.length; code++) {
    const count = tokenCounts[code]!
    const dense = count * sparseBytes > words * 4
    denseSlots[code] = dense ? slots++ : -1
    entryStarts[code + 1] = entryStarts[code]! + (dense ? 0 : count)
  }
  const entries = entryStarts[tokens.length]!
  return {
    tokens: sharedCopy(Int32Array, tokens),
    tokenCounts: sharedCopy(Uint32Array, tokenCounts),
    denseSlots,
    bits: shared(Int32Array, slots * words),
    entryStarts,
    entries: shared(Uint32Array, entries),
    mentionStarts: shared(Uint32Array, size + 1),
    mentions: sharedUpTo(tokens.length - 1, entries),
  }
}

/** An entry and its mention take 6 or 8 bytes. The upper value favours bits, which are faster to scan. */
const sparseBytes = 8

export type Contacts = Pick<
  Segment,
  | 'contactStarts'
  | 'contactSignatures'
  | 'contactNumbers'
  | 'signatureRoles'
  | 'signatureTraits'
  | 'signatureRevealable'
>

/**
 * A contact's role and its traits, as an index stores them, in one sortable number; it fits 32 bits wherever
 * `signatureToken` does.
 */
export function signatureKey(role: number, storedTraits: number): number {
  return role * traitsCount * 2 + storedTraits
}

/** Allocates the contacts of documents; fills in the table of signatures, given by ascending keys. */
export function allocateContacts(contactStarts: Uint32Array, signatureKeys: Int32Array): Contacts {
  const contacts = contactStarts[contactStarts.length - 1]!
  const signatureRoles = shared(Int32Array, signatureKeys.length)
  const signatureTraits = shared(Uint8Array, signatureKeys.length)
  const signatureRevealable = shared(Uint8Array, signatureKeys.length)
  signatureKeys.forEach((key, signature) => {
    const stored = key % (traitsCount * 2)
    signatureRoles[signature] = (key - stored) / (traitsCount * 2)
    signatureTraits[signature] = stored % traitsCount
    signatureRevealable[signature] = stored < traitsCount ? 1 : 0
  })
  return {
    contactStarts: sharedCopy(Uint32Array, contactStarts),
    contactSignatures: sharedUpTo(signatureKeys.length - 1, contacts),
    contactNumbers: shared(Uint16Array, contacts),
    signatureRoles,
    signatureTraits,
    signatureRevealable,
  }
}
