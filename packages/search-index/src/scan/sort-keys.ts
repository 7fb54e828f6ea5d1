import type { StoreSortKey } from '../query.ts'
import type { Segment } from '../segments/segment.ts'

/** The key that survives rebuilding the index. */
export function sortKeyOf(segment: Segment, document: number): StoreSortKey {
  const run = lastAtMost(segment.scoreStarts, document)
  return { negatedScore: segment.scores[run]!, storeId: segment.ids[document]! }
}

/** The first document after a key, or at it if `inclusive`; the segment's size if there is none. */
export function findFirstDocument(segment: Segment, after: StoreSortKey | null, inclusive: boolean): number {
  if (!after) return 0
  const { scores, scoreStarts, ids, size } = segment
  const run = lowerBound(scores, after.negatedScore)
  if (run === scores.length) return size
  const start = scoreStarts[run]!
  if (scores[run]! > after.negatedScore) return start
  const end = run + 1 < scores.length ? scoreStarts[run + 1]! : size
  return lowerBound(ids, inclusive ? after.storeId : after.storeId + 1, start, end)
}

/** Whether one key sorts before another. */
function isBefore(a: StoreSortKey, b: StoreSortKey): boolean {
  return a.negatedScore < b.negatedScore || (a.negatedScore === b.negatedScore && a.storeId < b.storeId)
}

type Numbers = Uint32Array | Float64Array | Int32Array

/** Index of the first number ≥ `wanted` in the ascending range from `start` to `end`; `end` if there is none. */
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

/** Merges lists in result order, up to `limit`. No two lists share a store. */
export function mergeSorted<Key extends StoreSortKey>(lists: Key[][], limit: number): Key[] {
  const filled = lists.filter((list) => list.length > 0)
  if (filled.length <= 1) return filled[0] ?? []
  const at = filled.map(() => 0)
  const merged: Key[] = []
  while (merged.length < limit) {
    let next: Key | undefined
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
