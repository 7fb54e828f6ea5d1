import type { StorePosition } from '../../../../server/src/search/engine.ts'
import type { Segment } from '../segments/segment.ts'

/** A document as callers know it. */
export function positionOf(segment: Segment, document: number): StorePosition {
  const run = lastAtMost(segment.scoreStarts, document)
  return { negatedScore: segment.scores[run]!, storeId: segment.ids[document]! }
}

/** The first document that stands after a position, or at it where `inclusive`; the segment's size when none does. */
export function firstFrom(segment: Segment, position: StorePosition | null, inclusive: boolean): number {
  if (!position) return 0
  const { scores, scoreStarts, ids, size } = segment
  const run = lowerBound(scores, position.negatedScore)
  if (run === scores.length) return size
  const start = scoreStarts[run]!
  if (scores[run]! > position.negatedScore) return start
  const end = run + 1 < scores.length ? scoreStarts[run + 1]! : size
  return lowerBound(ids, inclusive ? position.storeId : position.storeId + 1, start, end)
}

/** Whether one position stands before another. */
export function isBefore(a: StorePosition, b: StorePosition): boolean {
  return a.negatedScore < b.negatedScore || (a.negatedScore === b.negatedScore && a.storeId < b.storeId)
}

type Numbers = Uint32Array | Float64Array | Int32Array

/** Where in the ascending stretch from `start` to `end` the first number of at least `wanted` stands; `end` for none. */
export function lowerBound(numbers: Numbers, wanted: number, start = 0, end = numbers.length): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}

function lastAtMost(starts: Uint32Array, wanted: number): number {
  return lowerBound(starts, wanted + 1) - 1
}
