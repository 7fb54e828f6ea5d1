import type { StoreSortKey } from '../query.ts'
import type { Segment } from '../segments/segment.ts'

/** A document as callers know it. */
export function sortKeyOf(segment: Segment, document: number): StoreSortKey {
  const run = lastAtMost(segment.scoreStarts, document)
  return { negatedScore: segment.scores[run]!, storeId: segment.ids[document]! }
}

/** The first document that stands after a position, or at it where `inclusive`; the segment's size when none does. */
export function findFirstDocument(segment: Segment, position: StoreSortKey | null, inclusive: boolean): number {
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
function isBefore(a: StoreSortKey, b: StoreSortKey): boolean {
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

/** The first `limit` of several lists in result order, as one; lists of different segments have no store in common. */
export function mergeSorted<Position extends StoreSortKey>(lists: Position[][], limit: number): Position[] {
  const filled = lists.filter((list) => list.length > 0)
  if (filled.length <= 1) return filled[0] ?? []
  const at = filled.map(() => 0)
  const merged: Position[] = []
  while (merged.length < limit) {
    let next: Position | undefined
    let from = 0
    for (let index = 0; index < filled.length; index++) {
      const candidate = filled[index]![at[index]!]
      if (candidate && (!next || isBefore(candidate, next))) {
        next = candidate
        from = index
      }
    }
    if (!next) break
    merged.push(next)
    at[from]!++
  }
  return merged
}
