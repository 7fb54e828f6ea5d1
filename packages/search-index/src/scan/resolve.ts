import type { Pace, Steps } from '@storedex/work'
import type { StoreQuery } from '../query.ts'
import { type LiveSegment, noValue, type RangeColumn, type Segment, wordsOf } from '../segments/segment.ts'
import { sortNumbers } from './sort-numbers.ts'

/** Tokens of a query as a segment's slots and codes, without those that the segment lacks. */
export interface TokenSet {
  /** Offsets of the dense tokens' words in `bits`. */
  slots: number[]
  /** Codes of the sparse tokens. */
  codes: number[]
  /** Upper bound of the documents that have any of the tokens. */
  bound: number
  /** Total length of the sparse tokens' lists. */
  entries: number
}

/** A column with the bounds of a query, in the column's units. */
export interface RangeCondition {
  values: Uint32Array | Float64Array
  order: Uint32Array
  from: number
  to: number
  /** The documents within the range are `order[start..end)`. */
  start: number
  end: number
}

/** A query resolved against one segment. */
export interface Conditions {
  segment: Segment
  dead: Int32Array | null
  /** A document needs a token of each. The clause with the fewest documents first. */
  clauses: TokenSet[]
  /** A document has none of these. */
  unwanted: TokenSet
  /** The narrowest first. */
  ranges: RangeCondition[]
}

/** Resolves a query against a segment; null if no document can match. */
export function resolveQuery({ segment, dead }: LiveSegment, query: StoreQuery): Conditions | null {
  const { size } = segment
  const clauses: TokenSet[] = []
  for (const tokens of query.clauses) {
    const clause = resolveTokens(segment, tokens)
    if (clause.bound === 0) return null
    if (!tokens.some((token) => countOf(segment, token) === size)) clauses.push(clause)
  }
  if (query.noneOf.some((token) => countOf(segment, token) === size)) return null
  const ranges: RangeCondition[] = []
  for (const range of [
    query.minActiveAds !== null && resolveRange(segment.activeAds, query.minActiveAds, null),
    query.createdBetween && resolveRange(segment.created, query.createdBetween.from, query.createdBetween.to),
    query.discoveredBetween &&
      resolveRange(segment.discovered, query.discoveredBetween.from, query.discoveredBetween.to),
  ]) {
    if (!range) continue
    if (range.start === range.end) return null
    if (range.end - range.start < size) ranges.push(range)
  }
  clauses.sort((a, b) => a.bound - b.bound)
  ranges.sort((a, b) => a.end - a.start - (b.end - b.start))
  return { segment, dead, clauses, unwanted: resolveTokens(segment, query.noneOf), ranges }
}

const codesOfSegments = new WeakMap<Segment, Map<number, number>>()

/** Token → its code. */
export function codesOf(segment: Segment): Map<number, number> {
  let codes = codesOfSegments.get(segment)
  if (!codes) {
    codes = new Map(Array.from(segment.tokens, (token, code) => [token, code]))
    codesOfSegments.set(segment, codes)
  }
  return codes
}

function countOf(segment: Segment, token: number): number {
  const code = codesOf(segment).get(token)
  return code === undefined ? 0 : segment.tokenCounts[code]!
}

function resolveTokens(segment: Segment, tokens: readonly number[]): TokenSet {
  const codes = codesOf(segment)
  const words = wordsOf(segment.size)
  const set: TokenSet = { slots: [], codes: [], bound: 0, entries: 0 }
  for (const token of tokens) {
    const code = codes.get(token)
    if (code === undefined) continue
    const count = segment.tokenCounts[code]!
    const slot = segment.denseSlots[code]!
    set.bound += count
    if (slot >= 0) set.slots.push(slot * words)
    else {
      set.codes.push(code)
      set.entries += count
    }
  }
  return set
}

function resolveRange(column: RangeColumn, from: number | null, to: number | null): RangeCondition {
  const { unit, values, order } = column
  const last = values instanceof Uint32Array ? noValue - 1 : Number.POSITIVE_INFINITY
  const condition = {
    values,
    order,
    from: from === null ? Number.NEGATIVE_INFINITY : Math.ceil(from / unit),
    to: to === null ? last : Math.min(Math.floor(to / unit), last),
  }
  const start = from === null ? 0 : lowerBoundInOrder(values, order, (value) => value >= condition.from)
  const end = to === null ? order.length : lowerBoundInOrder(values, order, (value) => value > condition.to)
  return { ...condition, start, end: Math.max(start, end) }
}

/** Binary search in `order` for the first document whose value satisfies the predicate. */
function lowerBoundInOrder(
  values: Uint32Array | Float64Array,
  order: Uint32Array,
  isReached: (value: number) => boolean,
): number {
  let low = 0
  let high = order.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isReached(values[order[middle]!]!)) high = middle
    else low = middle + 1
  }
  return low
}

/** The documents of long lists of stores: a walk asks for those of the same list again for each page. */
const keptFrom = 1_000
const documentsOfLists = new WeakMap<readonly number[], WeakMap<Segment, Uint32Array>>()

/** Of the binary search for a store: most of its reads miss the cache. */
const unitsPerStore = 1_024

/** The documents of stores, ascending, without stores that the segment lacks. The list must not change. */
export function* findDocuments(segment: Segment, storeIds: readonly number[], pace: Pace): Steps<Uint32Array> {
  const known = documentsOfLists.get(storeIds)?.get(segment)
  if (known) return known
  const documents: number[] = []
  for (const id of storeIds) {
    const document = findDocument(segment, id)
    if (document >= 0) documents.push(document)
    if (pace.spend(unitsPerStore)) yield
  }
  const sorted = yield* sortNumbers(Uint32Array.from(documents), pace)
  if (storeIds.length < keptFrom) return sorted
  const ofList = documentsOfLists.get(storeIds) ?? new WeakMap<Segment, Uint32Array>()
  documentsOfLists.set(storeIds, ofList.set(segment, sorted))
  return sorted
}

/** The document of a store; -1 if the segment lacks it. */
export function findDocument({ byId, ids }: Segment, storeId: number): number {
  const document = byId[lowerBoundInOrder(ids, byId, (id) => id >= storeId)]
  return document !== undefined && ids[document] === storeId ? document : -1
}
