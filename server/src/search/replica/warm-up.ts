import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import {
  ContactScan,
  everyStore,
  type LiveSegment,
  type Segment,
  type StoreQuery,
  StoreScan,
} from '@storedex/search-index'
import type { SliceScheduler } from '@storedex/work'
import { modes } from '../../foundation/kernel/ids.ts'
import { flagTokens } from '../query/vocabulary.ts'
import type { SegmentLists } from './replica.ts'

const rounds = 12
const limit = 26
const day = 86_400_000

/**
 * Runs searches of every kind so that V8 optimizes the code before requests use it; unoptimized code is several times slower.
 * Yields to requests in between.
 */
export async function warmUp(lists: SegmentLists, slices: SliceScheduler): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const mode of modes) {
      const list = lists[mode]
      const largest = largestSegment(list)
      if (largest)
        for (const query of queriesOf(largest, round)) {
          await search(list, query, slices)
          await yieldToEventLoop()
        }
    }
}

export function largestSegment(list: readonly LiveSegment[]): Segment | undefined {
  return list.toSorted((a, b) => b.segment.size - a.segment.size)[0]?.segment
}

/**
 * Returns a function that takes `count` tokens of a segment, ascending, from a place in their order by frequency: 0 is the most
 * frequent, 1 the rarest. Other ones in each round.
 */
export function tokenSampler(
  { tokens, tokenCounts }: Segment,
  round: number,
): (share: number, count: number) => number[] {
  const byCount = Array.from(tokens.keys()).sort((a, b) => tokenCounts[b]! - tokenCounts[a]!)
  return (share, count) => {
    const from = Math.floor(byCount.length * share) + round
    return byCount
      .slice(from, from + count)
      .map((code) => tokens[code]!)
      .sort((a, b) => a - b)
  }
}

async function search(list: readonly LiveSegment[], query: StoreQuery, slices: SliceScheduler): Promise<void> {
  const first = await slices.run(new StoreScan(list, query, null, limit))
  await slices.run(new StoreScan(list, query, first.at(-1) ?? null, limit))
  const person = { roles: null, roleTokens: null, traits: null, storeTokens: [flagTokens.contacts] }
  const contacts = { store: query, storeIds: null, person, maxPerStore: 2, after: null, limit }
  await slices.run(new ContactScan(list, contacts))
}

/** Queries with common, medium and rare tokens, exclusions and ranges; different ones each round. */
function queriesOf(segment: Segment, round: number): StoreQuery[] {
  const take = tokenSampler(segment, round)
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
