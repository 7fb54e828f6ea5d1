import { deepStrictEqual } from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofRuns } from '../../../bin/tests/proof-runs.ts'
import { buildCodedSegment, buildSegment } from '../src/segments/build.ts'
import { encodeStores } from '../src/segments/coded-stores.ts'
import { segmentBytes } from '../src/segments/segment.ts'
import { reportMemoryToGc } from '../src/segments/shared-arrays.ts'
import { derivedSegment, type PlainStore, plainSegment, stageStores } from './support/plain-segments.ts'
import { catalogues, drawStores } from './support/random-stores.ts'

const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]

const store: PlainStore = {
  id: 1,
  negatedScore: -1,
  activeAds: 0,
  created: null,
  discovered: null,
  tokens: [],
  contacts: [],
}

function build(stores: PlainStore[]) {
  return buildSegment(stageStores(stores))
}

test.each(seeds)('a segment matches a naive reference, in any order of rows (seed %i)', (seed) => {
  fc.assert(
    fc.property(catalogues, (catalogue) => {
      const stores = drawStores(catalogue)
      deepStrictEqual(plainSegment(build(stores)), derivedSegment(stores))
    }),
    { seed, numRuns: proofRuns(150) },
  )
})

test('rows that are dropped while they are built give the same segment, and no column is kept until the end', () => {
  const stores = drawStores(fc.sample(catalogues, { seed: 3, numRuns: 1 })[0]!)
  const coded = encodeStores(stageStores(stores))
  const kept: number[] = []
  const segment = buildCodedSegment(coded, () => kept.push(Object.values(coded).filter(ArrayBuffer.isView).length))
  expect(plainSegment(segment)).toEqual(derivedSegment(stores))
  expect(kept[0]).toBeGreaterThan(kept.at(-1)!)
  expect(kept.at(-1)).toBeLessThanOrEqual(1)
})

test('a segment of no stores is empty', () => {
  expect(plainSegment(build([]))).toEqual(derivedSegment([]))
})

test('all arrays are in shared memory, and their bytes are counted', () => {
  const { size, activeAds, created, discovered, ...arrays } = build(
    drawStores(fc.sample(catalogues, { seed: 1, numRuns: 1 })[0]!),
  )
  const all = [...Object.values(arrays), ...[activeAds, created, discovered].flatMap((c) => [c.values, c.order])]
  for (const array of all) expect(array.buffer).toBeInstanceOf(SharedArrayBuffer)
  const bytes = all.reduce((sum, array) => sum + array.buffer.byteLength, 0)
  expect(segmentBytes({ size, activeAds, created, discovered, ...arrays })).toBe(bytes)
})

test('ids take four bytes each if all of them fit', () => {
  expect(build([store, { ...store, id: 2 ** 32 - 1 }]).ids).toBeInstanceOf(Uint32Array)
  expect(build([store, { ...store, id: 2 ** 32 }]).ids).toBeInstanceOf(Float64Array)
})

test.each([
  ['whole seconds', 1_600_000_000_000, Uint32Array, 1000],
  ['the last second that fits', (2 ** 32 - 2) * 1000, Uint32Array, 1000],
  ['the first second that does not', (2 ** 32 - 1) * 1000, Float64Array, 1],
  ['a millisecond', 1_600_000_000_001, Float64Array, 1],
  ['before 1970', -1000, Float64Array, 1],
])('moments are kept in seconds where all can be: %s', (_, created, kind, unit) => {
  const column = build([
    { ...store, created },
    { ...store, id: 2, created: 0 },
    { ...store, id: 3 },
  ]).created
  expect(column.unit).toBe(unit)
  expect(column.values).toBeInstanceOf(kind)
  expect([column.values[0]! * unit, column.values[1]]).toEqual([created, 0])
  expect([...column.order]).toEqual(created < 0 ? [0, 1] : [1, 0])
})

test('a mention takes two bytes up to 65,536 tokens', () => {
  // Enough stores that a token of one of them is sparse.
  const withTokens = (tokens: number) =>
    Array.from({ length: 64 }, (_, index) => ({
      ...store,
      id: index + 1,
      tokens: Array.from({ length: tokens / 64 }, (_, token) => token * 64 + 63 - index),
    }))
  expect(build(withTokens(65_536)).mentions).toBeInstanceOf(Uint16Array)
  const { mentions, mentionStarts, tokens } = build(withTokens(65_600))
  expect(mentions).toBeInstanceOf(Uint32Array)
  expect(tokens).toHaveLength(65_600)
  expect([...mentions.subarray(mentionStarts[0], mentionStarts[1])]).toEqual(withTokens(65_600)[0]!.tokens)
})

test('unused segments are collected although the thread allocates little else', async () => {
  const empty = buildSegment(stageStores([]))
  const segments: WeakRef<object>[] = []
  const allocate = () => {
    // Pages that are never written take no memory.
    const segment = { ...empty, entries: new Uint32Array(new SharedArrayBuffer(64 * 2 ** 20)) }
    reportMemoryToGc({ segment, dead: null })
    segments.push(new WeakRef(segment))
  }
  const countAlive = async () => {
    const alive = segments.filter((segment) => segment.deref()).length
    await delay(1)
    return alive
  }
  // V8 decides when it collects, so what is asked is that it does at all: unreported segments would all be there.
  do {
    for (let count = 0; count < 50; count++) {
      allocate()
      // The target of a new weak reference, and of one that was read, is kept until the end of the event loop's turn.
      await delay(1)
    }
  } while (segments.length < 400 && (await countAlive()) > segments.length / 2)
  expect(await countAlive()).toBeLessThanOrEqual(segments.length / 2)
})
