import { finishSteps, type Pace, type Steps, unhurried } from '@storedex/work'
import { lowerBound } from '../scan/sort-keys.ts'
import { type LiveSegment, wordsOf } from '../segments/segment.ts'
import { reportArrayToGc, sharedCopy } from '../segments/shared-arrays.ts'
import type { IdSet } from './id-list.ts'

/** Contact keys to leave out: ascending, shared. */
export type ContactKeyList = Float64Array

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
  return finishSteps(withoutStoresInSteps(segments, sets, unhurried))
}

export function* withoutStoresInSteps(
  segments: readonly LiveSegment[],
  sets: readonly IdSet[],
  pace: Pace,
): Steps<readonly LiveSegment[]> {
  if (sets.length === 0) return segments
  const left: LiveSegment[] = []
  for (const live of segments) {
    let part = live
    for (const { ids, count } of sets) {
      const bits = yield* ids.documentsInSteps(part.segment, count, pace)
      const without = withoutDocuments(part, bits)
      if (without.dead !== part.dead && pace.spend(wordsOf(part.segment.size))) yield
      part = without
    }
    left.push(part)
  }
  return left
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
