import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makesAllRuns, proofRuns } from '../../../bin/tests/proof-runs.ts'
import { buildSegment } from '../src/segments/build.ts'
import { mergeSegments } from '../src/segments/merge.ts'
import { applyMerge, planMerge, removeStores, replaceStores, type SegmentList } from '../src/segments/segment-list.ts'
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

/** Ids of stores changed by a batch. */
const batches = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 40 }), {
  minLength: 1,
  maxLength: 40,
})

function put(list: SegmentList, ids: number[], version: number): SegmentList {
  const staged = stageStores(ids.map((id) => storeOf(id, version)))
  return replaceStores(list, staged, buildSegment(staged)).list
}

test.each(seeds)(
  'the newest copy of each store that was not removed is alive, whatever changes during a merge (seed %i)',
  (seed) => {
    let settled = 0
    const runs = proofRuns(60)
    fc.assert(
      fc.property(batches, fc.nat(5), (changes, mergeTakes) => {
        const newest = new Map<number, number>()
        let list: SegmentList = []
        let merge: { parts: SegmentList; endsAt: number } | null = null
        changes.forEach((ids, version) => {
          list = put(list, ids, version)
          for (const id of ids) newest.set(id, version)
          // A batch may remove stores as well, of those that it has written too.
          const removed = ids.filter((id) => (id + version) % 7 === 0).map((id) => (id % 2 === 0 ? id : id + 1))
          list = removeStores(list, removed).list
          for (const id of removed) newest.delete(id)
          if (merge && version >= merge.endsAt) {
            list = applyMerge(list, merge.parts, mergeSegments(merge.parts))
            merge = null
            settled++
          }
          const parts = merge ? [] : planMerge(list, [])
          if (parts.length > 0) merge = { parts, endsAt: version + mergeTakes }
        })
        const living = stageStores([...newest].map(([id, version]) => storeOf(id, version)))
        expect(mergeSegments(list)).toEqual(buildSegment(living))
      }),
      { seed, numRuns: runs },
    )
    if (makesAllRuns) expect(settled).toBeGreaterThan((runs * 5) / 6)
  },
)

test.each(seeds)('segments stay few, and each store is merged a bounded number of times (seed %i)', (seed) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 20, maxLength: 100 }), (sizes) => {
      let list: SegmentList = []
      let nextId = 1
      let moved = 0
      for (const size of sizes) {
        const ids = Array.from({ length: size }, () => nextId++)
        list = put(list, ids, 0)
        const parts = planMerge(list, [])
        if (parts.length === 0) continue
        moved += parts.reduce((sum, { segment }) => sum + segment.size, 0)
        list = applyMerge(list, parts, mergeSegments(parts))
        expect(planMerge(list, [])).toEqual([])
      }
      const levels = Math.ceil(Math.log(nextId) / Math.log(8)) + 1
      expect(list.length).toBeLessThanOrEqual(levels)
      expect(moved).toBeLessThanOrEqual(nextId * 9 * levels)
    }),
    { seed, numRuns: proofRuns(20) },
  )
})

test('segments being merged are left out of the next plan', () => {
  let list: SegmentList = []
  for (let batch = 0; batch < 4; batch++) list = put(list, [batch * 2 + 1, batch * 2 + 2], batch)
  expect(planMerge(list, [])).toEqual(list)
  expect(planMerge(list, list.slice(0, 2))).toEqual(list.slice(2))
  expect(planMerge(list, list.slice(0, 3))).toEqual([])
})
