import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment } from '../src/segments/build.ts'
import { mergeSegments } from '../src/segments/merge.ts'
import { planMerge, replaceStores, type SegmentList, applyMerge } from '../src/segments/segment-list.ts'
import { type PlainStore, stageStores } from './support/plain-segments.ts'

const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]

const storeOf = (id: number, version: number): PlainStore => ({
  id,
  negatedScore: version,
  activeAds: 0,
  created: null,
  discovered: null,
  tokens: [version],
  contacts: [],
})

/** Ids that a batch changes. */
const batches = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 40 }), {
  minLength: 1,
  maxLength: 40,
})

function put(shelf: SegmentList, ids: number[], version: number): SegmentList {
  const staged = stageStores(ids.map((id) => storeOf(id, version)))
  return replaceStores(shelf, staged, buildSegment(staged)).shelf
}

test.each(seeds)('whatever changes while a merge is made, the newest copy of each store lives (seed %i)', (seed) => {
  let settled = 0
  fc.assert(
    fc.property(batches, fc.nat(5), (changes, mergeTakes) => {
      const newest = new Map<number, number>()
      let shelf: SegmentList = []
      let merge: { parts: SegmentList; endsAt: number } | null = null
      changes.forEach((ids, version) => {
        shelf = put(shelf, ids, version)
        for (const id of ids) newest.set(id, version)
        if (merge && version >= merge.endsAt) {
          shelf = applyMerge(shelf, merge.parts, mergeSegments(merge.parts))
          merge = null
          settled++
        }
        const parts = merge ? [] : planMerge(shelf, [])
        if (parts.length > 0) merge = { parts, endsAt: version + mergeTakes }
      })
      const living = stageStores([...newest].map(([id, version]) => storeOf(id, version)))
      expect(mergeSegments(shelf)).toEqual(buildSegment(living))
    }),
    { seed, numRuns: 60 },
  )
  expect(settled).toBeGreaterThan(50)
})

test.each(seeds)('segments stay few, and each store is merged a bounded number of times (seed %i)', (seed) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 20, maxLength: 100 }), (sizes) => {
      let shelf: SegmentList = []
      let nextId = 1
      let moved = 0
      for (const size of sizes) {
        const ids = Array.from({ length: size }, () => nextId++)
        shelf = put(shelf, ids, 0)
        const parts = planMerge(shelf, [])
        if (parts.length === 0) continue
        moved += parts.reduce((sum, { segment }) => sum + segment.size, 0)
        shelf = applyMerge(shelf, parts, mergeSegments(parts))
        expect(planMerge(shelf, [])).toEqual([])
      }
      const levels = Math.ceil(Math.log(nextId) / Math.log(8)) + 1
      expect(shelf.length).toBeLessThanOrEqual(levels)
      expect(moved).toBeLessThanOrEqual(nextId * 9 * levels)
    }),
    { seed, numRuns: 20 },
  )
})

test('what is being merged is left out of the next plan', () => {
  let shelf: SegmentList = []
  for (let batch = 0; batch < 4; batch++) shelf = put(shelf, [batch * 2 + 1, batch * 2 + 2], batch)
  expect(planMerge(shelf, [])).toEqual(shelf)
  expect(planMerge(shelf, shelf.slice(0, 2))).toEqual(shelf.slice(2))
  expect(planMerge(shelf, shelf.slice(0, 3))).toEqual([])
})
