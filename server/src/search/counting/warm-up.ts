import { type CountPart, countMatches, everyStore, type Segment } from '@storedex/search-index'
import { modes } from '../../foundation/kernel/ids.ts'
import { flagTokens } from '../query/vocabulary.ts'
import type { SegmentLists } from '../replica/replica.ts'
import { largestSegment, tokenSampler } from '../replica/warm-up.ts'

const rounds = 8
const sampledTokens = 24

/**
 * Counts of every kind, so that V8 optimizes the code before requests use it. Returns false when there is nothing to count
 * yet.
 */
export function warmUpCounts(lists: SegmentLists): boolean {
  let isDone = false
  for (const mode of modes) {
    const list = lists[mode]
    const largest = largestSegment(list)
    if (!largest) continue
    isDone = true
    for (let round = 0; round < rounds; round++)
      countMatches(
        list,
        {
          parts: partsOf(largest, round),
          exportedStores: Float64Array.from(largest.ids.subarray(0, 100)),
          revealedContacts: null,
          excludedContacts: [],
          verifiedOnly: round % 2 === 0,
        },
        () => {},
      )
  }
  return isDone
}

function partsOf(segment: Segment, round: number): CountPart[] {
  const take = tokenSampler(segment, round)
  const facets = [0, 0.1, 0.6].map((share) => ({ tokens: take(share, sampledTokens), limit: 20 }))
  const part = { storeIds: null, person: null, maxPerStore: null, facets, peopleBy: [] }
  const people = { roles: null, roleTokens: null, traits: [round, round + 8], storeTokens: [flagTokens.contacts] }
  return [
    { ...part, store: everyStore },
    { ...part, store: { ...everyStore, clauses: [take(0, 2)], noneOf: take(0.1, 1) } },
    { ...part, store: { ...everyStore, clauses: [take(0.1, 3)], minActiveAds: 1 } },
    { ...part, store: { ...everyStore, clauses: [take(0.6, 3)] } },
    { ...part, store: everyStore, person: people, maxPerStore: 2, peopleBy: ['role' as const] },
  ].filter(({ store }) => store.clauses.every((clause) => clause.length > 0))
}
