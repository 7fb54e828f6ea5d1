import type { StoreQuery } from '@storedex/search-index'
import type { CatalogueStatistics } from './statistics.ts'

/**
 * How a search goes about it. It walks the stores in result order for so many rows; if it then lacks rows and stores are
 * left, it collects all that meet the conditions which an index answers, wherever they stand in the order, and sorts them.
 *
 * Neither way is safe alone. Where matches are plentiful, collecting reads all of them for one page; where conditions
 * contradict each other, or hold only for stores far down the order, a walk reads the catalogue, and no statistics of
 * single tokens can tell. So the walk ends where collecting is estimated to cost as much: both together then take about
 * twice as long as the better one at most.
 */
export interface SearchPlan {
  walkedRows: number
  /** The clauses that collecting looks up in the index of tokens; it checks the others store by store. */
  collectedBy: number[][]
  checked: number[][]
  /** The query's exclusions. As in the clauses, the tokens that most stores have come first. */
  noneOf: number[]
}

// Costs, in rows read one by one. Measured on a catalogue larger than PostgreSQL's own memory.
const costOfEntry = 1
const costOfPosting = 0.01
const costOfSequentialRow = 0.2

/** A walk this many times as long as statistics have it was led astray by them. */
const patience = 50
/** How much of the cost of collecting is spent on a walk that is expected to be the longer way. */
const longShot = 0.25
const leastWalk = 100

/** The way for a page of `limit` rows. */
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
    // Of a catalogue that was never analysed nothing is known; then the index had better be asked for everything.
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
  const worthWalking = costOfCollecting * (expectedWalk > costOfCollecting ? longShot : 1)
  const walkedRows = Math.ceil(Math.max(leastWalk + limit, Math.min(worthWalking, patience * expectedWalk)))
  return { walkedRows, collectedBy, checked, noneOf: statistics.commonFirst(query.noneOf) }
}

/** The way where the stores are few and named: they are read, and every condition is checked. */
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
