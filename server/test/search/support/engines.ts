import {
  buildSegment,
  findContactPositions,
  findStorePositions,
  type LiveSegment,
  mergeSegments,
} from '@storedex/search-index'
import fc from 'fast-check'
import { type PlainStore, stageStores } from '../../../../packages/search-index/test/support/plain-segments.ts'
import type { SearchEngine } from '../../../src/search/engine.ts'
import type { StoreFacts } from './random-catalogue.ts'
import { peopleRowsOf, roleTokenOf, rowOf } from './rows.ts'

/** Segments of each mode. */
export interface View {
  live: readonly LiveSegment[]
  test: readonly LiveSegment[]
}

/** The search in memory over segments that do not change. */
export function memoryEngine(view: View): SearchEngine {
  return {
    findStores: async ({ mode, query, after, limit }) => findStorePositions(view[mode], query, after, limit),
    findContacts: async (search) => findContactPositions(view[search.mode], search),
  }
}

export function merged({ live, test }: View): View {
  const mergeAll = (segments: readonly LiveSegment[]): LiveSegment[] => [
    { segment: mergeSegments(segments), dead: null },
  ]
  return { live: mergeAll(live), test: mergeAll(test) }
}

/** Which segment a store lives in; dead in others lie copies of what it was before, which is what another store is. */
interface Home {
  segment: number
  graves: { segment: number; wasLike: number }[]
}

/** The stores with ids from 1, split at random over segments with dead copies: all else about the split comes from the seed. */
export function splitAtRandom(seed: number, stores: readonly StoreFacts[], segments: number): View {
  const segment = fc.nat(segments - 1)
  const grave = fc.record({ segment, wasLike: fc.nat(stores.length - 1) })
  const home = fc.record({ segment, graves: fc.array(grave, { maxLength: 2 }) })
  const homes = fc.sample(fc.array(home, { minLength: stores.length, maxLength: stores.length, size: 'max' }), {
    seed,
    numRuns: 1,
  })[0]!
  const segmentsOf = (mode: 'live' | 'test') =>
    Array.from({ length: segments }, (_, index) => segmentOf(stores, homes, mode, index))
  return { live: segmentsOf('live'), test: segmentsOf('test') }
}

function segmentOf(stores: readonly StoreFacts[], homes: Home[], mode: 'live' | 'test', index: number): LiveSegment {
  const contents: PlainStore[] = []
  const deadIds = new Set<number>()
  for (const [place, store] of stores.entries()) {
    const { segment, graves } = homes[place]!
    if (store.mode !== mode) continue
    if (segment === index) contents.push(plainStore(store, place + 1))
    else {
      const grave = graves.find((one) => one.segment === index)
      if (!grave) continue
      contents.push(plainStore(stores[grave.wasLike]!, place + 1))
      deadIds.add(place + 1)
    }
  }
  const segment = buildSegment(stageStores(contents))
  const dead = new Int32Array((segment.size + 31) >>> 5)
  for (const [document, id] of segment.ids.entries()) if (deadIds.has(id)) dead[document >> 5]! |= 1 << (document & 31)
  return { segment, dead: deadIds.size > 0 ? dead : null }
}

/** What a reader of the tables finds of a store. */
function plainStore(store: StoreFacts, id: number): PlainStore {
  const { negatedScore, tokens, activeAds, createdEstimate, firstDiscoveredAt } = rowOf(store, id)
  return {
    id,
    negatedScore,
    activeAds: activeAds ?? 0,
    created: createdEstimate?.getTime() ?? null,
    discovered: firstDiscoveredAt?.getTime() ?? null,
    tokens: [...new Set(tokens)].sort((a, b) => a - b),
    contacts: peopleRowsOf(store, id).map(({ role, traits, number }) => ({ role: roleTokenOf(role), traits, number })),
  }
}
