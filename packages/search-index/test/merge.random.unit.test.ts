import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makesAllRuns, proofRuns } from '../../../bin/tests/proof-runs.ts'
import { buildSegment } from '../src/segments/build.ts'
import { mergeSegments } from '../src/segments/merge.ts'
import type { LiveSegment } from '../src/segments/segment.ts'
import { type PlainStore, stageStores } from './support/plain-segments.ts'
import { type Catalogue, catalogues, drawStores, integer, randomFrom } from './support/random-stores.ts'

const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]

function build(stores: PlainStore[]) {
  return buildSegment(stageStores(stores))
}

/** A segment in which only some stores are alive. */
function partOf(stores: PlainStore[], isAlive: (store: PlainStore) => boolean): LiveSegment {
  const segment = build(stores)
  const deadIds = new Set(stores.filter((store) => !isAlive(store)).map((store) => store.id))
  if (deadIds.size === 0) return { segment, dead: null }
  const dead = new Int32Array(Math.ceil(segment.size / 32))
  segment.ids.forEach((id, document) => {
    if (deadIds.has(id)) dead[document >> 5]! |= 1 << (document & 31)
  })
  return { segment, dead }
}

/** Stores of a catalogue spread over parts, each alive in one at most, with others of the same ids dead in the rest. */
function split(catalogue: Catalogue, parts: number, deadShare: number) {
  const random = randomFrom(catalogue.seed + 1)
  const shares = Array.from({ length: parts }, (): PlainStore[] => [])
  const living = new Set<PlainStore>()
  for (const [variant, share] of shares.entries()) {
    for (const [index, store] of drawStores(catalogue, variant).entries()) {
      // The first part is the large one; which part has a store's living version is decided once for all of them.
      const home = integer(randomFrom(catalogue.seed + index), parts * 4)
      const isHome = (home < parts ? home : 0) === variant
      const isAlive = isHome && random() >= deadShare
      if (isAlive) living.add(store)
      if (isAlive || random() < deadShare) share.push(store)
    }
  }
  return { parts: shares.map((share) => partOf(share, (store) => living.has(store))), living: [...living] }
}

test.each(seeds)('merging equals building from the living stores (seed %i)', (seed) => {
  const shapes = [catalogues, fc.integer({ min: 1, max: 5 }), fc.constantFrom(0, 0.1, 0.9, 1)] as const
  let interleaved = 0
  const runs = proofRuns(300)
  fc.assert(
    fc.property(...shapes, (catalogue, count, deadShare) => {
      const { parts, living } = split(catalogue, count, deadShare)
      const merged = mergeSegments(parts)
      deepStrictEqual(merged, build(living))
      if (merged.entries.length > 10 && parts.filter(({ dead }) => dead !== null).length > 1) interleaved++
    }),
    { seed, numRuns: runs },
  )
  // The test is only meaningful if the parts have dead and living stores.
  if (makesAllRuns) expect(interleaved).toBeGreaterThan(runs / 60)
})

const founder = { role: 7, traits: 0, number: 1 }
const assistant = { role: 8, traits: 17, number: 1 }
const store: PlainStore = {
  id: 1,
  negatedScore: -1,
  activeAds: 3,
  created: 1_000,
  discovered: null,
  tokens: [5, 6],
  contacts: [founder],
}

test('nothing of a dead store is left, not even wider arrays', () => {
  const odd = { id: 2 ** 33, negatedScore: -9, created: 1, tokens: [6, 7, 8], contacts: [assistant, founder] }
  const merged = mergeSegments([partOf([store, { ...store, ...odd }], ({ id }) => id === store.id)])
  expect(merged).toStrictEqual(build([store]))
  expect([...merged.tokens]).toEqual([5, 6])
  expect([...merged.signatureRoles]).toEqual([7])
  expect(merged.ids).toBeInstanceOf(Uint32Array)
  expect(merged.created.unit).toBe(1000)
})

test('one part with large ids or odd moments widens the merged arrays', () => {
  // In seconds, this value would mean no moment.
  const odd = { ...store, id: 2 ** 33, created: 0xffff_ffff }
  const merged = mergeSegments([partOf([store], () => true), partOf([odd], () => true)])
  expect(merged).toStrictEqual(build([store, odd]))
  expect(merged.ids).toBeInstanceOf(Float64Array)
  expect([...merged.created.values]).toEqual([1_000, 0xffff_ffff])
})

test('merged mentions take four bytes if the parts have more than 65,536 tokens together', () => {
  const stores = Array.from({ length: 100 }, (_, index) => ({
    ...store,
    id: index + 1,
    tokens: Array.from({ length: 700 }, (_, token) => index * 700 + token),
  }))
  const merged = mergeSegments([partOf(stores.slice(0, 50), () => true), partOf(stores.slice(50), () => true)])
  expect(merged.mentions).toBeInstanceOf(Uint32Array)
  deepStrictEqual(merged, build(stores))
})

test('no parts, or parts without living stores, make an empty segment', () => {
  expect(mergeSegments([])).toStrictEqual(build([]))
  expect(mergeSegments([partOf([store], () => false), partOf([], () => true)])).toStrictEqual(build([]))
})

test('the parts do not change: searches may still use them', () => {
  const makeParts = () => [
    partOf([store, { ...store, id: 2 }], ({ id }) => id === 1),
    partOf([{ ...store, id: 3 }], () => true),
  ]
  const parts = makeParts()
  mergeSegments(parts)
  expect(parts).toStrictEqual(makeParts())
})
