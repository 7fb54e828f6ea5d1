import type { ContactSearch } from '../../../server/src/search/engine.ts'
import type { ResultOrder } from '../catalogue/result-order.ts'
import { type Answer, personKey } from '../question.ts'

/**
 * The page of a contact search out of the people who answer at its stores, in result order: the first so many of each
 * store, and of these the ones after the position.
 */
export function pageOfPeople(
  ranks: ResultOrder,
  people: Iterable<readonly [rank: number, place: number]>,
  { maxPerStore, after, limit }: ContactSearch,
): Answer {
  const page: number[] = []
  let [store, taken] = [-1, 0]
  for (const [rank, contact] of people) {
    taken = rank === store ? taken + 1 : 1
    store = rank
    const storeId = ranks.storeIdAt(rank)
    if (taken > maxPerStore || (after && after.storeId === storeId && contact <= after.contact)) continue
    page.push(personKey({ storeId, contact, negatedScore: 0 }))
    if (page.length === limit) break
  }
  return page
}
