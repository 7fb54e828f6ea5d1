import type { StoreQuery } from '@storedex/search-index'
import type { CatalogueStatistics } from './statistics.ts'

/**
 * How to run a search. It *walks* the stores in result order, up to `walkedRows`. If the page is not full then, it *collects*
 * all stores that meet the indexed conditions and sorts them.
 *
 * Neither is safe alone. With many matches, collecting reads all of them for one page. With contradicting conditions, or
 * matches only far down the order, a walk reads the whole catalogue, and statistics of single tokens cannot predict it. So the
 * walk stops when it has cost as much as collecting is estimated to cost: together they take at most about twice as long as
 * the better one.
 */
export interface SearchPlan {
  walkedRows: number
  /** Clauses that collecting looks up in the token index; it checks the others store by store. */
  collectedBy: number[][]
  checked: number[][]
  /** Excluded tokens. As in clauses, the most common tokens come first. */
  noneOf: number[]
}

// Costs in rows read one by one, measured on a catalogue larger than PostgreSQL's shared buffers.
const costOfEntry = 1
const costOfPosting = 0.01
const costOfSequentialRow = 0.2

/** A walk may be this many times as long as expected before the statistics are considered wrong. */
const walkTolerance = 50
/** Share of the collecting cost to spend on a walk that is expected to cost more. */
const unlikelyWalkShare = 0.25
const leastWalk = 100

/** The plan for a page of `limit` rows. */
export function planSearch(statistics: CatalogueStatistics, query: StoreQuery, limit: number): SearchPlan {
  const { stores } = statistics
  const shareOfRanges = shareWithinRanges(statistics, query)
  const clauses = query.clauses
    .map((tokens) => ({ tokens: statistics.commonFirst(tokens), share: statistics.shareOfAny(tokens) }))
    .sort((a, b) => a.share - b.share)

  let candidates = stores * shareOfRanges
  let collectedBy: number[][] = []
  let checked: number[][] = []
  for (const { tokens, share } of clauses) {
    const spared = candidates * (1 - share)
    // Without statistics (never analysed), look up every clause in the index.
    const isWorthIt = stores === 0 || spared > costOfEntry * tokens.length + costOfPosting * share * stores
    if (isWorthIt) candidates -= spared
    ;(isWorthIt ? collectedBy : checked).push(tokens)
  }
  const costOfAll = costOfSequentialRow * stores
  if (candidates > costOfAll) {
    collectedBy = []
    checked = clauses.map(({ tokens }) => tokens)
  }

  const density =
    shareOfRanges * (1 - statistics.shareOfAny(query.noneOf)) * clauses.reduce((all, { share }) => all * share, 1)
  const expectedWalk = limit / density
  const costOfCollecting = Math.min(candidates, costOfAll)
  const worthWalking = costOfCollecting * (expectedWalk > costOfCollecting ? unlikelyWalkShare : 1)
  const walkedRows = Math.ceil(Math.max(leastWalk + limit, Math.min(worthWalking, walkTolerance * expectedWalk)))
  return { walkedRows, collectedBy, checked, noneOf: statistics.commonFirst(query.noneOf) }
}

/** The plan for named stores: read them and check every condition. */
export function planLookup({ clauses, noneOf }: StoreQuery): SearchPlan {
  return { walkedRows: 0, collectedBy: [], checked: clauses, noneOf }
}

function shareWithinRanges(statistics: CatalogueStatistics, query: StoreQuery): number {
  const { minActiveAds, createdBetween, discoveredBetween } = query
  const ads = minActiveAds === null ? 1 : statistics.shareBetween('active_ads', minActiveAds, Number.POSITIVE_INFINITY)
  const within = (column: 'created_estimate' | 'first_discovered_at', range: StoreQuery['createdBetween']) =>
    range ? statistics.shareBetween(column, range.from ?? -Infinity, range.to ?? Number.POSITIVE_INFINITY) : 1
  return ads * within('created_estimate', createdBetween) * within('first_discovered_at', discoveredBetween)
}
