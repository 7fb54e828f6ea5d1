import { rankInStore } from '@storedex/search-index'
import type { ContactSearch } from '../../../server/src/search/engines/engine.ts'
import type { BenchCatalogue, ResultOrder } from '../catalogue/result-order.ts'
import { type Answer, contactRowKey } from '../engine.ts'
import { FacetsOfTokens, isSingle, type SeveralFacet, type SingleFacet } from './facets.ts'

/** A store as peers keep it. */
export interface PeerRow {
  rank: number
  /** 0 for none. */
  single: Record<SingleFacet, number>
  several: Record<SeveralFacet, number[]>
  tokens: Int32Array
  /** 0 for none. */
  activeAds: number
  /** Seconds since 1970; null for none. */
  created: number | null
  discovered: number | null
}

/** The stores in result order. */
export function* peerRows({ staged, terms, order }: BenchCatalogue): Generator<PeerRow> {
  const facets = new FacetsOfTokens(terms)
  const seconds = (moment: number) => (Number.isNaN(moment) ? null : Math.floor(moment / 1000))
  for (const [rank, row] of order.rows.entries()) {
    const tokens = staged.tokens.subarray(staged.tokenStarts[row]!, staged.tokenStarts[row + 1]!)
    const single = { category: 0, country: 0, traffic_tier: 0, revenue_tier: 0, theme_type: 0, plus: 0 }
    const several: PeerRow['several'] = { app: [], pixel: [], people: [] }
    for (const token of tokens) {
      const facet = facets.of(token)
      if (isSingle(facet)) single[facet] = token
      else several[facet].push(token)
    }
    yield {
      rank,
      single,
      several,
      tokens,
      activeAds: staged.activeAds[row]!,
      created: seconds(staged.created[row]!),
      discovered: seconds(staged.discovered[row]!),
    }
  }
}

export interface PeerContact {
  rank: number
  sortKey: number
  /** The token of the role, 0 for none. */
  role: number
  traits: number
}

/** The contacts in result order. */
export function* peerContacts({ staged, order }: BenchCatalogue): Generator<PeerContact> {
  for (const [rank, row] of order.rows.entries()) {
    const ofStore: PeerContact[] = []
    for (let at = staged.contactStarts[row]!; at < staged.contactStarts[row + 1]!; at++) {
      const traits = staged.contactTraits[at]!
      ofStore.push({
        rank,
        sortKey: rankInStore(traits, staged.contactNumbers[at]!),
        role: staged.contactRoles[at]!,
        traits,
      })
    }
    yield* ofStore.sort((a, b) => a.sortKey - b.sortKey)
  }
}

/** The ranks of the stores that have each token, ascending, token by token in ascending order. */
export function* postingLists({ staged, order }: BenchCatalogue): Generator<[token: number, ranks: Uint32Array]> {
  const counts = new Map<number, number>()
  for (const token of staged.tokens) counts.set(token, (counts.get(token) ?? 0) + 1)
  const tokens = [...counts.keys()].sort((a, b) => a - b)
  const lists = new Uint32Array(staged.tokens.length)
  const ends = new Map<number, number>()
  let end = 0
  for (const token of tokens) {
    ends.set(token, end)
    end += counts.get(token)!
  }
  for (const [rank, row] of order.rows.entries())
    for (let at = staged.tokenStarts[row]!; at < staged.tokenStarts[row + 1]!; at++) {
      const token = staged.tokens[at]!
      const next = ends.get(token)!
      lists[next] = rank
      ends.set(token, next + 1)
    }
  for (const token of tokens) yield [token, lists.subarray(ends.get(token)! - counts.get(token)!, ends.get(token)!)]
}

/**
 * The page of a contact search from matching contacts in result order: at most `maxPerStore` for each store, after the
 * cursor's position.
 */
export function contactPage(
  order: ResultOrder,
  people: Iterable<readonly [rank: number, sortKey: number]>,
  { maxPerStore, after, limit }: ContactSearch,
): Answer {
  const page: number[] = []
  let [store, taken] = [-1, 0]
  for (const [rank, contact] of people) {
    taken = rank === store ? taken + 1 : 1
    store = rank
    const storeId = order.storeIdAt(rank)
    if (taken > maxPerStore || (after && after.storeId === storeId && contact <= after.contact)) continue
    page.push(contactRowKey({ storeId, contact, negatedScore: 0 }))
    if (page.length === limit) break
  }
  return page
}
