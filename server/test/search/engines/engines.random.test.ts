import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makesAllRuns, proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { type ConnectionPool, createPool } from '../../../src/foundation/db/pool.ts'
import type { SearchEngine } from '../../../src/search/engines/engine.ts'
import { createPostgresEngine } from '../../../src/search/engines/postgres/engine.ts'
import { createTestDatabase } from '../../support/database.ts'
import { contactCounts, expectContactCounts, expectStoreCounts, storeCounts } from '../support/count-comparison.ts'
import {
  type Catalogue,
  contactSearches,
  drawExcluded,
  expectContacts,
  expectStores,
  memoryEngine,
  merged,
  type PagingPlan,
  pagingPlans,
  splitAtRandom,
  storeSearches,
} from '../support/engine-comparison.ts'
import { numberOf, randomStores } from '../support/random-catalogue.ts'
import { contactRowsOf, insertPeople, insertRows, rowOf } from '../support/tables.ts'

/**
 * Random queries over random catalogues, every page walked: by each engine alone, and by engines in turn that go on where
 * another stopped. All find what a reference finds that reads the attributes of the stores and knows nothing of tokens,
 * normal forms, segments or SQL. Run with a fixed seed and with a new one, which is named when it finds a fault.
 * STOREDEX_PROOF_RUNS makes it as many queries of each kind, catalogue and seed as wanted.
 */

const seeds = [20_261_123, Math.floor(Math.random() * 2 ** 31)]
/** Stores, number of queries, and a factor for page limits. */
const sizes = [
  { name: 'some stores', count: 250, queries: proofRuns(120), pageScale: 1 },
  // Enough that the memory engine scans several windows.
  { name: 'many stores', count: 5_000, queries: proofRuns(15, 4), pageScale: 20 },
]
const cases = sizes.flatMap((size) => seeds.map((seed) => ({ ...size, seed })))
/** Queries per catalogue and split. */
const queriesPerCatalogue = 250

let pool: ConnectionPool
let postgres: SearchEngine
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'engines test', maxConnections: 1 })
  postgres = createPostgresEngine({ db: pool })
})
afterAll(() => pool.end())

/** The same stores in the tables, in several segments, and in one merged segment. */
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
    stores.flatMap((store) => contactRowsOf(store, store.id)),
  )
  await pool.query('analyze stores, contacts')
  const view = splitAtRandom(seed, stores, 1 + (seed % 5))
  const engines = [postgres, memoryEngine(view), memoryEngine(merged(view))]
  return { stores, engines, excluded: drawExcluded(seed, stores) }
}

/** Runs random searches over random catalogues; returns how many had several pages. */
async function ask<Search>(
  { seed, count, queries, pageScale }: (typeof cases)[number],
  searches: fc.Arbitrary<Search>,
  expectEqual: (catalogue: Catalogue, search: Search, course: PagingPlan) => Promise<number>,
): Promise<number> {
  let left = queries
  let walksOverPages = 0
  for (let round = 0; left > 0; round++, left -= queriesPerCatalogue) {
    const catalogue = await openCatalogue(seed + round, count)
    await fc.assert(
      fc.asyncProperty(searches, pagingPlans, async (search, { turns, limits }) => {
        const scaled = limits.map((limit) => limit * pageScale)
        if ((await expectEqual(catalogue, search, { turns, limits: scaled })) > scaled[0]!) walksOverPages++
      }),
      { seed: seed + round, numRuns: Math.min(left, queriesPerCatalogue) },
    )
  }
  return walksOverPages
}

describe.each(cases)('$name, seed $seed', (size) => {
  // Empty results alone would prove nothing.
  const atLeast = size.queries / 10
  const timeout = 60_000 + size.queries * 500

  test('every page of stores is the same from each engine, alone and in turn', { timeout }, async () => {
    const answers = await ask(size, storeSearches, expectStores)
    if (makesAllRuns) expect(answers).toBeGreaterThan(atLeast)
  })

  test('every page of people is the same from each engine, alone and in turn', { timeout }, async () => {
    const answers = await ask(size, contactSearches(size.count), expectContacts)
    if (makesAllRuns) expect(answers).toBeGreaterThan(atLeast)
  })

  test('counts are those of the search, and those of facets what choosing a value would find', {
    timeout,
  }, async () => {
    const asked = { ...size, queries: Math.ceil(size.queries / 4) }
    let counted = 0
    await ask(asked, storeCounts, async (catalogue, count) => {
      const found = await expectStoreCounts(catalogue, count)
      counted += found
      return found
    })
    await ask(asked, contactCounts(size.count), async (catalogue, count) => {
      const found = await expectContactCounts(catalogue, count)
      counted += found
      return found
    })
    if (makesAllRuns) expect(counted).toBeGreaterThan(0)
  })
})
