import type { NumberTable } from './number-table.ts'

/**
 * An immutable part of the index. A catalogue is one large segment and a few small ones with newer changes; when a store
 * changes, its document is marked dead and a newer segment gets the new version.
 *
 * A document is a store. Documents are numbered in result order, so the first matching numbers are the page, and binary search
 * finds the document of a cursor. A token is *dense* (a bitset over the documents) or *sparse* (a sorted list of documents,
 * its entries, and a mention in the forward list of each), whichever takes less memory. All arrays are in `SharedArrayBuffer`s:
 * one thread builds, another searches, nothing is copied.
 */
export interface Segment {
  /** Number of documents; they are numbered from 0. */
  size: number
  /** Document → id of its store. */
  ids: Uint32Array | Float64Array
  /** The documents by ascending id of their stores. */
  byId: Uint32Array
  /** The distinct negated scores, ascending (`Infinity` last), and the first document of each. */
  scores: Float64Array
  scoreStarts: Uint32Array
  /** All tokens in ascending order; a token's index here is its code. */
  tokens: Int32Array
  /** Code → how many documents have the token. */
  tokenCounts: Uint32Array
  /** Code → start of a dense token's words in `bits`, in units of `wordsOf(size)`; -1 for a sparse token. */
  denseSlots: Int32Array
  /** Bit d & 31 of word d >> 5 is document d. */
  bits: Int32Array
  /** Code → start of a sparse token's documents in `entries`; a dense token has none. One more than tokens. */
  entryStarts: Uint32Array
  entries: Uint32Array
  /** Document → start of its sparse tokens' codes in `mentions`, ascending. One more than documents. */
  mentionStarts: Uint32Array
  mentions: Uint16Array | Uint32Array
  /** Stores without ads have no value. */
  activeAds: RangeColumn
  /** Milliseconds since 1970, in units of `unit`. */
  created: RangeColumn
  discovered: RangeColumn
  /** Document → start of its contacts, sorted by rank. One more than documents. */
  contactStarts: Uint32Array
  /** Contact → index of its signature in the two arrays below. */
  contactSignatures: Uint16Array | Uint32Array
  contactNumbers: Uint16Array
  /** Distinct combinations of role token (0 for none), packed traits, and 1 for contacts that can be revealed. */
  signatureRoles: Int32Array
  signatureTraits: Uint8Array
  signatureRevealable: Uint8Array
}

/** An optional number for each document. */
export interface RangeColumn {
  /** Values are multiples of this: 1, or 1,000 if all moments are whole seconds. */
  unit: number
  /** Document → value in units; `noValue` (Uint32Array) or NaN (Float64Array) for none. */
  values: Uint32Array | Float64Array
  /** The documents that have a value, by ascending value. */
  order: Uint32Array
}

export const noValue = 0xffff_ffff

/** A segment and its dead documents. */
export interface LiveSegment {
  segment: Segment
  /** Bitset of dead documents; null if there are none. */
  dead: Int32Array | null
}

/** Bytes of all arrays of a segment. */
export function segmentBytes(segment: Segment): number {
  const { activeAds, created, discovered } = segment
  return [segment, activeAds, created, discovered]
    .flatMap((part): unknown[] => Object.values(part))
    .reduce((bytes: number, value) => bytes + (ArrayBuffer.isView(value) ? value.byteLength : 0), 0)
}

/** Number of 32-bit words in a bitset. */
export function wordsOf(size: number): number {
  return (size + 31) >>> 5
}

/** Input of `buildSegment`: columns by row, rows in any order. */
export interface StagedStores {
  size: number
  ids: Float64Array
  /** Infinity without a score. */
  negatedScores: Float64Array
  /** 0 for none. */
  activeAds: Uint32Array
  /** Milliseconds since 1970, NaN for none. */
  created: Float64Array
  discovered: Float64Array
  /** Row → start of its tokens, sorted and distinct. One more than rows. */
  tokenStarts: Uint32Array
  tokens: Int32Array
  /** Row → start of its contacts, in any order. One more than rows. */
  contactStarts: Uint32Array
  /** Token of the role; 0 for none. */
  contactRoles: Int32Array
  /** As `storedTraits` gives them. */
  contactTraits: Uint8Array
  contactNumbers: Uint16Array
}

type Column = 'size' | 'ids' | 'negatedScores' | 'activeAds' | 'created' | 'discovered'

/** The same in half the memory: tokens and signatures are numbers of a table, which also counts them. */
export interface CodedStores extends Pick<StagedStores, Column | 'tokenStarts' | 'contactStarts' | 'contactNumbers'> {
  tokenTable: NumberTable
  tokens: Codes
  /** Of values of `signatureKey`. */
  signatureTable: NumberTable
  contactSignatures: Codes
}

export type Codes = Uint16Array | Uint32Array
