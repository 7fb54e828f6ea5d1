import { setImmediate as giveWay } from 'node:timers/promises'
import {
  everyStore,
  scanContacts,
  scanStores,
  type LiveSegment,
  type Segment,
  type StoreQuery,
} from '@storedex/search-index'
import { modes } from '../kernel/ids.ts'
import { flagTokens } from './query/vocabulary.ts'
import type { SegmentLists } from './replica/replica.ts'

const rounds = 12
const limit = 26
const day = 86_400_000

/**
 * Searches of every kind over the catalogue, whose answers nobody reads: code that has not run a few dozen times is
 * compiled to no more than a fraction of its speed. Requests go on in between.
 */
export async function warmUp(shelves: SegmentLists): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const mode of modes) {
      const shelf = shelves[mode]
      const largest = shelf.toSorted((a, b) => b.segment.size - a.segment.size)[0]?.segment
      if (largest)
        for (const query of queriesOf(largest, round)) {
          search(shelf, query)
          await giveWay()
        }
    }
}

function search(shelf: readonly LiveSegment[], query: StoreQuery): void {
  const first = scanStores(shelf, query, null, limit)
  scanStores(shelf, query, first.at(-1) ?? null, limit)
  const person = { roles: null, roleTokens: null, traits: null, storeTokens: [flagTokens.contacts] }
  scanContacts(shelf, { store: query, storeIds: null, person, maxPerStore: 2, after: null, limit })
}

/** Of common, middling and rare values, wanted and unwanted, and of ranges; others each round. */
function queriesOf({ tokens, tokenCounts }: Segment, round: number): StoreQuery[] {
  const byCount = Array.from(tokens.keys()).sort((a, b) => tokenCounts[b]! - tokenCounts[a]!)
  const take = (share: number, count: number) => {
    const from = Math.floor(byCount.length * share) + round
    return byCount
      .slice(from, from + count)
      .map((code) => tokens[code]!)
      .sort((a, b) => a - b)
  }
  const [common, middling, rare] = [take(0, 3), take(0.1, 4), take(0.6, 4)]
  const single = (wanted: number[]) => wanted.map((token) => [token])
  const years = { from: Date.UTC(2015 + round), to: null }
  return [
    everyStore,
    { ...everyStore, clauses: single(common) },
    { ...everyStore, clauses: [common, middling] },
    { ...everyStore, clauses: [...single(common), middling], noneOf: rare },
    { ...everyStore, clauses: single(middling) },
    { ...everyStore, clauses: [rare] },
    { ...everyStore, clauses: [common, rare], noneOf: common.slice(0, 1) },
    { ...everyStore, noneOf: common },
    { ...everyStore, clauses: [common], minActiveAds: 10 * (round + 1), createdBetween: years },
    { ...everyStore, discoveredBetween: { from: Date.UTC(2022, round), to: Date.UTC(2022, round) + day } },
  ].filter(({ clauses }) => clauses.every((clause) => clause.length > 0))
}
