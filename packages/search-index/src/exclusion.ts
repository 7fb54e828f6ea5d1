import { findDocument } from './scan/resolve.ts'
import { lowerBound } from './scan/sort-keys.ts'
import { type LiveSegment, type Segment, wordsOf } from './segments/segment.ts'
import { reportArrayToGc, shared, sharedCopy } from './segments/shared-arrays.ts'

/** Contact keys to leave out: ascending, shared. */
export type ContactKeyList = Float64Array

/** The first `count` ids of a list. Ids are of stores, or contact keys. */
export interface IdSet {
  readonly ids: IdList
  readonly count: number
}

/** A derived form of the first `count` ids. */
interface Derived<Value> {
  count: number
  value: Value
}

/** Forms of two lengths are kept: of a walk that goes on, and of newer searches. */
const keptLengths = 2
/** Documents of this many segments are kept, so that old segments do not push out the one in use. */
const keptDocuments = 12
/** A form is derived from a shorter one unless it is shorter than this share of the list. */
const worthDeriving = 0.75

/**
 * Ids in the order in which they came. It only grows, so a set is a length, and what is derived from a set is derived anew
 * only for the ids that were added. All arrays are shared between threads.
 */
export class IdList {
  #ids: Float64Array
  #length = 0
  #sorted: Derived<Float64Array>[] = []
  #documents: (Derived<Int32Array | null> & { segment: WeakRef<Segment> })[] = []

  constructor(ids: ArrayLike<number> = []) {
    this.#ids = shared(Float64Array, Math.max(16, ids.length))
    this.append(ids)
  }

  get length(): number {
    return this.#length
  }

  /** Bytes of the ids and of everything kept that is derived from them. */
  get bytes(): number {
    const sorted = this.#sorted.reduce((bytes, { value }) => bytes + value.byteLength, 0)
    // Tombstones that contain the documents are kept as well.
    const documents = this.#documents.reduce((bytes, { value }) => bytes + 2 * (value?.byteLength ?? 0), 0)
    return this.#ids.byteLength + sorted + documents
  }

  append(ids: ArrayLike<number>): void {
    const length = this.#length + ids.length
    if (length > this.#ids.length) {
      const grown = shared(Float64Array, Math.ceil(length * 1.25))
      grown.set(this.#ids.subarray(0, this.#length))
      this.#ids = grown
    }
    this.#ids.set(ids, this.#length)
    this.#length = length
  }

  /** A copy of the ids from one place up to another, in the order in which they came. */
  slice(from: number, to: number): Float64Array {
    return this.#ids.slice(from, to)
  }

  /** The first `count` ids, ascending. */
  sorted(count: number): Float64Array {
    const known = this.#sorted.find((one) => one.count === count)
    if (known) return known.value
    const base = longestBefore(this.#sorted, count)
    const ids = shared(Float64Array, count)
    if (base) mergeAscending(base.value, this.#ids.slice(base.count, count).sort(), ids)
    else {
      ids.set(this.#ids.subarray(0, count))
      ids.sort()
    }
    reportArrayToGc(ids)
    this.#sorted = [{ count, value: ids }, ...this.#sorted].slice(0, keptLengths)
    return ids
  }

  /** The documents of a segment that belong to the first `count` ids, which are of stores; null for none. */
  documents(segment: Segment, count: number): Int32Array | null {
    const ofSegment = this.#documents.filter((one) => one.segment.deref() === segment)
    const known = ofSegment.find((one) => one.count === count)
    if (known) return known.value
    const base = longestBefore(ofSegment, count)
    const value = base
      ? withStores(segment, base.value, this.#ids.subarray(base.count, count))
      : documentsOf(segment, this.sorted(count))
    const others = this.#documents.filter((one) => one.segment.deref() && !ofSegment.includes(one))
    const kept = [{ segment: new WeakRef(segment), count, value }, ...ofSegment.slice(0, keptLengths - 1), ...others]
    this.#documents = kept.slice(0, keptDocuments)
    return value
  }
}

/** The documents of stores, as a bitset; null for none. `storeIds` are ascending. */
export function documentsOf(segment: Segment, storeIds: ArrayLike<number>): Int32Array | null {
  const { ids, byId, size } = segment
  let bits: Int32Array | null = null
  let at = 0
  let wanted = 0
  // Both sides are ascending; the one that is behind gallops.
  while (at < size && wanted < storeIds.length) {
    const document = byId[at]!
    const id = ids[document]!
    if (id === storeIds[wanted]) {
      bits ??= shared(Int32Array, wordsOf(size))
      bits[document >>> 5]! |= 1 << (document & 31)
      wanted++
    } else if (id < storeIds[wanted]!) at = gallopById(segment, storeIds[wanted]!, at + 1)
    else wanted = gallop(storeIds, id, wanted + 1)
  }
  if (bits) reportArrayToGc(bits)
  return bits
}

/** Tombstones by the documents' bits and the tombstones they were added to. */
const tombstones = new WeakMap<Int32Array, WeakMap<Int32Array, Int32Array>>()

/** The segment as if these documents were dead too. */
export function withoutDocuments(live: LiveSegment, bits: Int32Array | null): LiveSegment {
  const { segment, dead } = live
  if (!bits) return live
  if (!dead) return { segment, dead: bits }
  let known = tombstones.get(bits)
  if (!known) {
    known = new WeakMap()
    tombstones.set(bits, known)
  }
  let both = known.get(dead)
  if (!both) {
    both = sharedCopy(Int32Array, dead)
    for (let word = 0; word < both.length; word++) both[word]! |= bits[word]!
    reportArrayToGc(both)
    known.set(dead, both)
  }
  return { segment, dead: both }
}

/** The segments as if the stores of these sets were dead too. */
export function withoutStores(segments: readonly LiveSegment[], sets: readonly IdSet[]): readonly LiveSegment[] {
  if (sets.length === 0) return segments
  return segments.map((live) =>
    sets.reduce((left, { ids, count }) => withoutDocuments(left, ids.documents(left.segment, count)), live),
  )
}

/** Whether one of the ascending lists has the key. */
export function hasKey(lists: readonly ContactKeyList[], key: number): boolean {
  for (let index = 0; index < lists.length; index++) {
    const keys = lists[index]!
    const at = lowerBound(keys, key)
    if (at < keys.length && keys[at] === key) return true
  }
  return false
}

function withStores(segment: Segment, bits: Int32Array | null, storeIds: Float64Array): Int32Array | null {
  let more: Int32Array | null = null
  for (const id of storeIds) {
    const document = findDocument(segment, id)
    if (document < 0) continue
    if (!more) {
      more = shared(Int32Array, wordsOf(segment.size))
      if (bits) more.set(bits)
    }
    more[document >>> 5]! |= 1 << (document & 31)
  }
  if (more) reportArrayToGc(more)
  return more ?? bits
}

function longestBefore<One extends Derived<unknown>>(forms: readonly One[], count: number): One | undefined {
  const shorter = forms.filter((one) => one.count < count && one.count > count * worthDeriving)
  return shorter.sort((a, b) => b.count - a.count)[0]
}

function mergeAscending(a: Float64Array, b: Float64Array, into: Float64Array): void {
  let [i, j] = [0, 0]
  for (let at = 0; at < into.length; at++) into[at] = j === b.length || a[i]! <= b[j]! ? a[i++]! : b[j++]!
}

/** The first place from `start` on in `byId` whose store has at least this id. */
function gallopById({ ids, byId, size }: Segment, wanted: number, start: number): number {
  let low = start
  let step = 1
  while (low + step < size && ids[byId[low + step]!]! < wanted) {
    low += step
    step *= 2
  }
  let high = Math.min(size, low + step)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[byId[middle]!]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** The first place from `start` on whose number is at least `wanted`. */
function gallop(numbers: ArrayLike<number>, wanted: number, start: number): number {
  let low = start
  let step = 1
  while (low + step < numbers.length && numbers[low + step]! < wanted) {
    low += step
    step *= 2
  }
  let high = Math.min(numbers.length, low + step)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}
