import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectionPool, createPool } from '../../src/db/pool.ts'
import type { SearchEngine } from '../../src/search/engine.ts'
import { createPostgresEngine } from '../../src/search/postgres/engine.ts'
import { createTestDatabase } from '../support/database.ts'
import {
  type Catalogue,
  type Course,
  contactSearches,
  courses,
  expectPeople,
  expectStores,
  memoryEngine,
  merged,
  splitAtRandom,
  storeSearches,
} from './support/engine-comparison.ts'
import { numberOf, randomStores } from './support/random-catalogue.ts'
import { insertPeople, insertRows, peopleRowsOf, rowOf } from './support/tables.ts'

/**
 * Random queries over random catalogues, every page walked: by each engine alone, and by engines in turn that go on where
 * another stopped. All find what a reference finds that reads the attributes of the stores and knows nothing of tokens,
 * normal forms, segments or SQL. Run with a fixed seed and with a new one, which is named when it finds a fault.
 * STOREDEX_PROOF_RUNS makes it as many queries of each kind, catalogue and seed as wanted.
 */

const runsWanted = Number(process.env.STOREDEX_PROOF_RUNS ?? 0)
const seeds = [20_261_123, Math.floor(Math.random() * 2 ** 31)]
/** So many stores, queries unless more are wanted, and how much longer pages are than those that callers ask for. */
const sizes = [
  { name: 'some stores', count: 250, queries: 120, pageScale: 1 },
  // So many that the memory engine goes through several windows of documents.
  { name: 'many stores', count: 5_000, queries: 15, pageScale: 20 },
]
const cases = sizes.flatMap((size) => seeds.map((seed) => ({ ...size, seed })))
/** Queries that one catalogue and split are asked before the next ones. */
const queriesPerCatalogue = 250

let pool: ConnectionPool
let postgres: SearchEngine
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'engines test', maxConnections: 1 })
  postgres = createPostgresEngine({ db: pool })
})
afterAll(() => pool.end())

/** The same stores in the tables, in segments as a feed leaves them, and in those segments made one. */
async function openCatalogue(seed: number, count: number): Promise<Catalogue> {
  const facts = randomStores(seed, count)
  const stores = facts.map((store) => ({
    ...store,
    id: store.place + 1,
    numbers: store.people.map((_, i) => numberOf(i)),
  }))
  await pool.query('truncate stores, contacts restart identity')
  expect(await insertRows(pool, stores.map(rowOf))).toEqual(stores.map(({ id }) => id))
  await insertPeople(
    pool,
    stores.flatMap((store) => peopleRowsOf(store, store.id)),
  )
  await pool.query('analyze stores, contacts')
  const view = splitAtRandom(seed, stores, 1 + (seed % 5))
  return { stores, engines: [postgres, memoryEngine(view), memoryEngine(merged(view))] }
}

/** Asks random searches of one random catalogue after another; how many had answers on several pages. */
async function ask<Search>(
  { seed, count, queries, pageScale }: (typeof cases)[number],
  searches: fc.Arbitrary<Search>,
  expectEqual: (catalogue: Catalogue, search: Search, course: Course) => Promise<number>,
): Promise<number> {
  let left = runsWanted || queries
  let walksOverPages = 0
  for (let round = 0; left > 0; round++, left -= queriesPerCatalogue) {
    const catalogue = await openCatalogue(seed + round, count)
    await fc.assert(
      fc.asyncProperty(searches, courses, async (search, { turns, limits }) => {
        const scaled = limits.map((limit) => limit * pageScale)
        if ((await expectEqual(catalogue, search, { turns, limits: scaled })) > scaled[0]!) walksOverPages++
      }),
      { seed: seed + round, numRuns: Math.min(left, queriesPerCatalogue) },
    )
  }
  return walksOverPages
}

describe.each(cases)('$name, seed $seed', (size) => {
  // Walks over nothing but empty results would prove nothing.
  const atLeast = (runsWanted || size.queries) / 10
  const timeout = 60_000 + runsWanted * 500

  test('every page of stores is the same from each engine, alone and in turn', { timeout }, async () => {
    expect(await ask(size, storeSearches, expectStores)).toBeGreaterThan(atLeast)
  })

  test('every page of people is the same from each engine, alone and in turn', { timeout }, async () => {
    expect(await ask(size, contactSearches(size.count), expectPeople)).toBeGreaterThan(atLeast)
  })
})
