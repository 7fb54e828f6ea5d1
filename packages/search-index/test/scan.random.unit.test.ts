import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makesAllRuns, proofRuns } from '../../../bin/tests/proof-runs.ts'
import type { MomentRange, StoreQuery } from '../src/query.ts'
import { scanStores } from '../src/scan/find.ts'
import { buildSegment } from '../src/segments/build.ts'
import type { LiveSegment } from '../src/segments/segment.ts'
import { type PlainStore, stageStores } from './support/plain-segments.ts'
import { integer, randomFrom } from './support/random-stores.ts'

const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]
/** Around the boundaries of words and of windows (256 documents, 512 and so on). */
const sizes = [31, 32, 33, 255, 256, 257, 767, 768, 769, 2_000]

/** Tokens 1 to 40 get rarer; about half of them are sparse. */
function drawStore(random: () => number, id: number): PlainStore {
  const tokens = Array.from({ length: 40 }, (_, index) => index + 1)
  return {
    id,
    negatedScore: -integer(random, 3),
    activeAds: integer(random, 4),
    // Moments of a database have microseconds.
    created: integer(random, 10) > 0 ? integer(random, 40) / 4 : null,
    discovered: integer(random, 10) > 0 ? 1_000 * integer(random, 20) : null,
    tokens: tokens.filter((token) => random() < 0.9 * 0.82 ** (token - 1)),
    contacts: [],
  }
}

const someTokens = (maxLength: number) => fc.uniqueArray(fc.integer({ min: 1, max: 41 }), { minLength: 1, maxLength })
const someRange = (largest: number) => {
  const bound = fc.option(fc.nat(largest))
  return fc.option(fc.record({ from: bound, to: bound }), { freq: 1 })
}
/** Clauses often share tokens, as those of `any` and `all` do. */
const queries: fc.Arbitrary<StoreQuery> = fc.record({
  clauses: fc.oneof(
    { weight: 5, arbitrary: fc.array(someTokens(6), { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(someTokens(41), { minLength: 29, maxLength: 33 }) },
  ),
  noneOf: fc.oneof(fc.constant<number[]>([]), someTokens(2)),
  minActiveAds: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 1 }),
  createdBetween: someRange(11),
  discoveredBetween: someRange(21_000),
})

function meets(store: PlainStore, query: StoreQuery): boolean {
  const has = (token: number) => store.tokens.includes(token)
  const isWithin = (value: number | null, range: MomentRange | null) =>
    range === null || (value !== null && value >= (range.from ?? -Infinity) && value <= (range.to ?? Infinity))
  return (
    query.clauses.every((clause) => clause.some(has)) &&
    !query.noneOf.some(has) &&
    store.activeAds >= (query.minActiveAds ?? 0) &&
    isWithin(store.created, query.createdBetween) &&
    isWithin(store.discovered, query.discoveredBetween)
  )
}

function segmentOf(stores: readonly PlainStore[], isDead: (id: number) => boolean): LiveSegment {
  const segment = buildSegment(stageStores(stores))
  const dead = new Int32Array((segment.size + 31) >>> 5)
  for (const [document, id] of segment.ids.entries()) if (isDead(id)) dead[document >>> 5]! |= 1 << (document & 31)
  return { segment, dead: dead.some((word) => word !== 0) ? dead : null }
}

describe.each(seeds)('seed %i', (seed) => {
  test.each(sizes)('finds all matches of %i stores in order, from any document on', (size) => {
    const random = randomFrom(seed)
    const stores = Array.from({ length: size }, (_, index) => drawStore(random, index + 1))
    const isDead = (id: number) => id % 10 === 0
    const segment = segmentOf(stores, isDead)
    const ordered = stores
      .filter(({ id }) => !isDead(id))
      .sort((a, b) => a.negatedScore - b.negatedScore || a.id - b.id)
    let found = 0
    fc.assert(
      fc.property(queries, fc.integer({ min: -1, max: ordered.length - 1 }), fc.constantFrom(2, size), (...search) => {
        const [query, place, limit] = search
        const last = ordered[place]
        const after = last ? { negatedScore: last.negatedScore, storeId: last.id } : null
        const expected = ordered.slice(place + 1).filter((store) => meets(store, query))
        const positions = scanStores([segment], query, after, limit)
        expect(positions.map(({ storeId }) => storeId)).toEqual(expected.slice(0, limit).map(({ id }) => id))
        found += positions.length
      }),
      { seed, numRuns: proofRuns(200) },
    )
    if (makesAllRuns) expect(found).toBeGreaterThan(0)
  })
})
