import type { StorePosition } from '../../../../server/src/search/engine.ts'
import type { StoreQuery } from '../../../../server/src/search/query/store-query.ts'
import type { LiveSegment } from '../segments/segment.ts'
import { resolveQuery } from './resolve.ts'
import { scanDocuments } from './scan.ts'
import { firstOfAll } from './several.ts'
import { firstFrom, positionOf } from './sort-keys.ts'

/** The first `limit` stores after a position that answer a query, in result order, over segments that share no living store. */
export function findStorePositions(
  segments: readonly LiveSegment[],
  query: StoreQuery,
  after: StorePosition | null,
  limit: number,
): StorePosition[] {
  const lists = segments.map((live) => {
    const conditions = resolveQuery(live, query)
    if (!conditions) return []
    const first = firstFrom(live.segment, after, false)
    return scanDocuments(conditions, first, limit).map((document) => positionOf(live.segment, document))
  })
  return firstOfAll(lists, limit)
}
