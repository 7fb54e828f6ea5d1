/**
 * A segment: so many stores, readied for being searched, that never change. A catalogue in memory is a large one and a few
 * small ones with the newest changes; a store that changed is marked dead where it stood and stands in a newer one.
 *
 * Documents are numbered in result order, so the first numbers that match are the page, and a cursor is a number found by
 * binary search. A token is either *dense*, a bit for each document, or *sparse*, the sorted numbers of its documents and a
 * mention in the list of each of them; that is which takes less memory. Every array lies in a `SharedArrayBuffer`: one
 * thread builds, another searches, and nothing is copied between them.
 */
export interface Segment {
  /** How many documents there are; they are numbered from 0. */
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
  /** Code → where a dense token's words begin in `bits`, in units of `wordsOf(size)`; -1 for a sparse one. */
  denseSlots: Int32Array
  /** Bit d & 31 of word d >> 5 is document d. */
  bits: Int32Array
  /** Code → where a sparse token's documents begin in `entries`; those of a dense one are none. One more than tokens. */
  entryStarts: Uint32Array
  entries: Uint32Array
  /** Document → where the codes of its sparse tokens begin in `mentions`, ascending. One more than documents. */
  mentionStarts: Uint32Array
  mentions: Uint16Array | Uint32Array
  /** Stores without any have no value. */
  activeAds: RangeColumn
  /** Milliseconds since 1970, in units of `unit`. */
  created: RangeColumn
  discovered: RangeColumn
  /** Document → where its contacts begin, in the order of their places. One more than documents. */
  contactStarts: Uint32Array
  /** Which of the signatures below a contact has. */
  contactSignatures: Uint16Array | Uint32Array
  contactNumbers: Uint16Array
  /** What there is to people, each combination once: the token of the role, 0 for none, and the packed traits. */
  signatureRoles: Int32Array
  signatureTraits: Uint8Array
}

/** A number for each document, or none. */
export interface RangeColumn {
  /** What the values are multiples of: 1, or 1,000 where all moments are whole seconds. */
  unit: number
  /** Document → value in units; `noValue` in a Uint32Array and NaN in a Float64Array stand for none. */
  values: Uint32Array | Float64Array
  /** The documents that have a value, by ascending value. */
  order: Uint32Array
}

export const noValue = 0xffff_ffff

/** A segment in use: which of its documents no longer count. */
export interface LiveSegment {
  segment: Segment
  /** A bit for each document that is dead; null when none is. */
  dead: Int32Array | null
}

/** The memory that a segment takes. */
export function segmentBytes(segment: Segment): number {
  const { activeAds, created, discovered } = segment
  return [segment, activeAds, created, discovered]
    .flatMap((part): unknown[] => Object.values(part))
    .reduce((bytes: number, value) => bytes + (ArrayBuffer.isView(value) ? value.byteLength : 0), 0)
}

/** Words of 32 bits for a bit each. */
export function wordsOf(size: number): number {
  return (size + 31) >>> 5
}

/** What a segment is made of: columns by row, in any order of rows. */
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
  /** Row → where its tokens begin, sorted and distinct. One more than rows. */
  tokenStarts: Uint32Array
  tokens: Int32Array
  /** Row → where its contacts begin, in any order. One more than rows. */
  contactStarts: Uint32Array
  /** The token of the role, 0 for none. */
  contactRoles: Int32Array
  contactTraits: Uint8Array
  contactNumbers: Uint16Array
}
