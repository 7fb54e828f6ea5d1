import { finishSteps, type Pace, type Steps, unhurried } from '@storedex/work'
import { type Segment, wordsOf } from '../segments/segment.ts'
import { reportArrayToGc, shared } from '../segments/shared-arrays.ts'

const unitsPerPause = 2_048
/** Of finding a store among the documents by galloping: most of the reads miss the cache. */
const unitsPerGallop = 128

/** The documents of stores, as a bitset; null for none. `storeIds` are ascending. */
export function documentsOf(segment: Segment, storeIds: ArrayLike<number>): Int32Array | null {
  return finishSteps(findAscending(segment, storeIds, unhurried))
}

export function* findAscending(segment: Segment, storeIds: ArrayLike<number>, pace: Pace): Steps<Int32Array | null> {
  const search = new AscendingSearch(segment, storeIds)
  while (!search.advance()) if (pace.spend(unitsPerPause)) yield
  if (search.bits) reportArrayToGc(search.bits)
  return search.bits
}

/** Goes through the stores of a segment and a list of ids. Both are ascending; the one that is behind gallops. */
class AscendingSearch {
  bits: Int32Array | null = null
  readonly #segment: Segment
  readonly #storeIds: ArrayLike<number>
  #at = 0
  #wanted = 0

  constructor(segment: Segment, storeIds: ArrayLike<number>) {
    this.#segment = segment
    this.#storeIds = storeIds
  }

  /** Does some steps; returns whether it is done. */
  advance(): boolean {
    const [segment, storeIds] = [this.#segment, this.#storeIds]
    const { ids, byId, size } = segment
    let [at, wanted] = [this.#at, this.#wanted]
    for (let left = unitsPerPause; at < size && wanted < storeIds.length; left -= unitsPerGallop) {
      if (left <= 0) {
        this.#at = at
        this.#wanted = wanted
        return false
      }
      const document = byId[at]!
      const id = ids[document]!
      if (id === storeIds[wanted]) {
        this.bits ??= shared(Int32Array, wordsOf(size))
        this.bits[document >>> 5]! |= 1 << (document & 31)
        wanted++
      } else if (id < storeIds[wanted]!) at = gallopById(segment, storeIds[wanted]!, at + 1)
      else wanted = gallop(storeIds, id, wanted + 1)
    }
    return true
  }
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
