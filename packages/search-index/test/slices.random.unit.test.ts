import { finish, Pace, type SlicedWork, workInSteps, workOf } from '@storedex/work'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makesAllRuns, proofRuns } from '../../../bin/tests/proof-runs.ts'
import {
  type ContactQuery,
  ContactScan,
  IdList,
  type LiveSegment,
  mergeSegments,
  type StoreQuery,
  StoreScan,
  withoutStores,
  withoutStoresInSteps,
} from '../src/index.ts'
import { buildSegment } from '../src/segments/build.ts'
import { wordsOf } from '../src/segments/segment.ts'
import { type PlainStore, stageStores } from './support/plain-segments.ts'
import { integer, randomFrom } from './support/random-stores.ts'

const seeds = [20_261_123, Math.floor(Math.random() * 2 ** 31)]
/** More than one window of the greatest width. */
const size = 36_000
const roles = [7, 8]

/** Tokens 1 to 40 get rarer; token 100 says that there are contacts. */
function drawStore(random: () => number, id: number): PlainStore {
  const contacts = Array.from({ length: integer(random, 4) }, (_, index) => ({
    role: roles[integer(random, 2)]!,
    traits: integer(random, 24),
    number: index,
  }))
  const tokens = Array.from({ length: 40 }, (_, index) => index + 1).filter(
    (token) => random() < 0.9 * 0.82 ** (token - 1),
  )
  return {
    id,
    negatedScore: -integer(random, 50),
    activeAds: integer(random, 4),
    created: integer(random, 10) > 0 ? 1_000 * integer(random, 5_000) : null,
    discovered: null,
    tokens: contacts.length > 0 ? [...tokens, 100] : tokens,
    contacts,
  }
}

/** A large segment and a small one, which has newer copies of some of its stores. */
function drawSegments(seed: number): LiveSegment[] {
  const random = randomFrom(seed)
  const segment = buildSegment(stageStores(Array.from({ length: size }, (_, index) => drawStore(random, index + 1))))
  const newer = buildSegment(stageStores(Array.from({ length: 900 }, (_, index) => drawStore(random, 1 + index * 40))))
  const dead = new Int32Array(wordsOf(size))
  const replaced = new Set(newer.ids)
  for (const [document, id] of segment.ids.entries())
    if (replaced.has(id)) dead[document >>> 5]! |= 1 << (document & 31)
  return [
    { segment, dead },
    { segment: newer, dead: null },
  ]
}

const someTokens = (maxLength: number) => fc.uniqueArray(fc.integer({ min: 1, max: 41 }), { minLength: 1, maxLength })
const someMoments = fc.record({ from: fc.nat(5_000_000), to: fc.option(fc.nat(5_000_000)) })
const queries: fc.Arbitrary<StoreQuery> = fc.record({
  clauses: fc.array(someTokens(30), { maxLength: 5 }),
  noneOf: fc.oneof(fc.constant<number[]>([]), someTokens(20)),
  minActiveAds: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 1 }),
  createdBetween: fc.option(someMoments),
  discoveredBetween: fc.constant(null),
})
const limits = fc.constantFrom(1, 101, 5_000)
const searches = fc.record({
  query: queries,
  limit: limits,
  after: fc.option(fc.record({ negatedScore: fc.integer({ min: -50, max: 0 }), storeId: fc.nat(size) })),
  isOfContacts: fc.boolean(),
  storeIds: fc.option(fc.uniqueArray(fc.nat(size), { maxLength: 3_000 }), { freq: 4 }),
  excludedShare: fc.constantFrom(0, 0, 0.2, 0.9),
})
type Search = typeof searches extends fc.Arbitrary<infer T> ? T : never

const person = { roles: null, roleTokens: [7], traits: null, storeTokens: [100] }
const excludedOf = (seed: number) => {
  const random = randomFrom(seed + 1)
  return new IdList(Array.from({ length: 20_000 }, () => 1 + integer(random, size)))
}

function contactQuery({ query, limit, after, storeIds, excludedShare }: Search): ContactQuery {
  const without = excludedShare > 0 ? [Float64Array.from({ length: size }, (_, id) => id * 4_096)] : []
  return {
    store: query,
    storeIds,
    person,
    maxPerStore: 2,
    without,
    after: after && { ...after, contact: 0 },
    limit,
  }
}

function scanOf(segments: readonly LiveSegment[], search: Search): SlicedWork<unknown[]> {
  if (search.isOfContacts) return new ContactScan(segments, contactQuery(search))
  return new StoreScan(segments, search.query, search.after, search.limit)
}

function slicedWorkOf(segments: readonly LiveSegment[], search: Search, excluded: IdList): SlicedWork<unknown[]> {
  const sets = [{ ids: excluded, count: Math.floor(excluded.length * search.excludedShare) }]
  return workInSteps(function* (pace) {
    return yield* workOf(scanOf(yield* withoutStoresInSteps(segments, sets, pace), search), pace)
  })
}

function unslicedResult(segments: readonly LiveSegment[], search: Search, seed: number): unknown[] {
  const ids = excludedOf(seed)
  return finish(
    scanOf(withoutStores(segments, [{ ids, count: Math.floor(ids.length * search.excludedShare) }]), search),
  )
}

test.each(seeds)('searches that pause wherever they can, in turn, find what each finds alone (seed %i)', (seed) => {
  const segments = drawSegments(seed)
  const merged = [{ segment: mergeSegments(segments), dead: null }]
  let [pauses, found] = [0, 0]
  const runs = proofRuns(60)
  fc.assert(
    fc.property(
      fc.array(searches, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(1, 1, 300, 20_000),
      (together, units) => {
        // They share what is excluded, of which they have derived nothing yet.
        const excluded = excludedOf(seed)
        const pace = new Pace(() => true, units)
        const works = together.map((search) => slicedWorkOf(segments, search, excluded))
        const results = together.map((): unknown[] | undefined => undefined)
        while (results.includes(undefined))
          for (const [index, work] of works.entries()) {
            if (results[index]) continue
            pace.begin()
            results[index] = work.advance(pace)
            pauses++
          }
        for (const [index, search] of together.entries()) {
          const expected = unslicedResult(segments, search, seed)
          expect(results[index]).toEqual(expected)
          expect(unslicedResult(merged, search, seed)).toEqual(expected)
          found += expected.length
        }
      },
    ),
    { seed, numRuns: runs },
  )
  if (!makesAllRuns) return
  expect(found).toBeGreaterThan(runs * 15)
  expect(pauses).toBeGreaterThan(runs * 15)
})

test('a pace looks up once in so many units, and a slice begins with all of them', () => {
  let looks = 0
  const pace = new Pace(() => ++looks > 1, 10)
  expect([pace.spend(9), looks]).toEqual([false, 0])
  expect([pace.spend(1), looks]).toEqual([false, 1])
  expect([pace.spend(9), looks]).toEqual([false, 1])
  pace.begin()
  expect([pace.spend(9), looks]).toEqual([false, 1])
  expect([pace.spend(5), looks]).toEqual([true, 2])
})
