import { finishSteps, type Pace, type Steps, unhurried } from '@storedex/work'
import { findDocument } from '../scan/resolve.ts'
import { mergeAscending, sortNumbers } from '../scan/sort-numbers.ts'
import { type Segment, wordsOf } from '../segments/segment.ts'
import { reportArrayToGc, shared } from '../segments/shared-arrays.ts'
import { findAscending } from './ascending-search.ts'
import { joinWork, type SharedWork } from './shared-work.ts'

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
 * Ids in the order in which they came. It only grows, so a set is a length, and derived data is computed again
 * only for the ids that were added. All arrays are shared between threads.
 */
export class IdList {
  #ids: Float64Array
  #length = 0
  #sorted: Derived<Float64Array>[] = []
  #documents: (Derived<Int32Array | null> & { segment: WeakRef<Segment> })[] = []
  /** Forms that are being derived. */
  readonly #sorting = new Map<number, SharedWork<Float64Array>>()
  readonly #finding = new Map<Segment, Map<number, SharedWork<Int32Array | null>>>()

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
    return finishSteps(this.sortInSteps(count, unhurried))
  }

  *sortInSteps(count: number, pace: Pace): Steps<Float64Array> {
    const known = this.#sorted.find((one) => one.count === count)
    if (known) return known.value
    return yield* joinWork(this.#sorting, count, () => this.#sort(count, pace))
  }

  *#sort(count: number, pace: Pace): Steps<Float64Array> {
    const base = longestBefore(this.#sorted, count)
    const ids = shared(Float64Array, count)
    if (base) {
      const added = yield* sortNumbers(this.#ids.slice(base.count, count), pace)
      yield* mergeAscending(base.value, added, ids, pace)
    } else {
      ids.set(this.#ids.subarray(0, count))
      yield* sortNumbers(ids, pace)
    }
    reportArrayToGc(ids)
    this.#sorted = [{ count, value: ids }, ...this.#sorted].slice(0, keptLengths)
    return ids
  }

  /** The documents of a segment that belong to the first `count` ids, which are of stores; null for none. */
  *documentsInSteps(segment: Segment, count: number, pace: Pace): Steps<Int32Array | null> {
    const known = this.#documents.find((one) => one.count === count && one.segment.deref() === segment)
    if (known) return known.value
    const ofSegment = this.#finding.get(segment) ?? new Map<number, SharedWork<Int32Array | null>>()
    this.#finding.set(segment, ofSegment)
    try {
      return yield* joinWork(ofSegment, count, () => this.#find(segment, count, pace))
    } finally {
      if (ofSegment.size === 0) this.#finding.delete(segment)
    }
  }

  *#find(segment: Segment, count: number, pace: Pace): Steps<Int32Array | null> {
    const ofSegment = () => this.#documents.filter((one) => one.segment.deref() === segment)
    const base = longestBefore(ofSegment(), count)
    const value = base
      ? yield* withStores(segment, base.value, this.#ids.subarray(base.count, count), pace)
      : yield* findAscending(segment, yield* this.sortInSteps(count, pace), pace)
    const before = ofSegment()
    const others = this.#documents.filter((one) => one.segment.deref() && !before.includes(one))
    const kept = [{ segment: new WeakRef(segment), count, value }, ...before.slice(0, keptLengths - 1), ...others]
    this.#documents = kept.slice(0, keptDocuments)
    return value
  }
}

/** Of the binary search for a store: most of its reads miss the cache. */
const unitsPerSearch = 1_024

function* withStores(
  segment: Segment,
  bits: Int32Array | null,
  storeIds: Float64Array,
  pace: Pace,
): Steps<Int32Array | null> {
  let more: Int32Array | null = null
  for (const id of storeIds) {
    if (pace.spend(unitsPerSearch)) yield
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
