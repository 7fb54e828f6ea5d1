import type { StorePosition } from '../../../../server/src/search/engine.ts'
import { isBefore } from './sort-keys.ts'

/** The first `limit` of several lists in result order, as one; lists of different segments have no store in common. */
export function firstOfAll<Position extends StorePosition>(lists: Position[][], limit: number): Position[] {
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
