import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/db/pool.ts'
import type { DeliverEmails } from '../../src/search/delivery.ts'
import type { SearchEngine, StorePosition } from '../../src/search/engine.ts'
import { normalizePersonFilters } from '../../src/search/person.ts'
import { createPostgresEngine } from '../../src/search/postgres/engine.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../src/search/query.ts'
import { createTestDatabase } from '../support/database.ts'
import { insertPeople, insertRows } from './catalogue.ts'
import { memoryEngine, merged, splitAtRandom } from './engines.ts'
import { randomStores, vocabulary } from './facts.ts'
import { modes, pageLimits, personFilters, storeConditions, storeFilters } from './random-filters.ts'
import { type PlainPlace, peopleAsked, storesAsked } from './reference.ts'
import { peopleRowsOf, rowOf } from './rows.ts'

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

let pool: Pool
let postgres: SearchEngine
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'engines test', maxConnections: 1 })
  postgres = createPostgresEngine({ db: pool })
})
afterAll(() => pool.end())

type Catalogue = Awaited<ReturnType<typeof openCatalogue>>

/** The same stores in the tables, in segments as a feed leaves them, and in those segments made one. */
async function openCatalogue(seed: number, count: number) {
  const stores = randomStores(seed, count)
  await pool.query('truncate stores, contacts restart identity')
  expect(await insertRows(pool, stores.map(rowOf))).toEqual(stores.map((store) => store.place + 1))
  await insertPeople(
    pool,
    stores.flatMap((store) => peopleRowsOf(store, store.place + 1)),
  )
  await pool.query('analyze stores, contacts')
  const view = splitAtRandom(seed, stores, 1 + (seed % 5))
  return { stores, engines: [postgres, memoryEngine(view), memoryEngine(merged(view))] }
}

interface Walk<Position extends StorePosition> {
  find(engine: SearchEngine, after: Position | null, limit: number): Promise<Position[]>
  placeOf(position: Position): PlainPlace
  limits: number[]
}

/** Everybody on the pages of a search, each page by the next of the engines and limits. */
async function walk<P extends StorePosition>(engines: SearchEngine[], { find, placeOf, limits }: Walk<P>) {
  const places: PlainPlace[] = []
  for (let page = 0, after: P | null = null; ; page++) {
    const limit = limits[page % limits.length]!
    const found: P[] = await find(engines[page % engines.length]!, after, limit)
    expect(found.length).toBeLessThanOrEqual(limit)
    places.push(...found.map(placeOf))
    if (found.length < limit) return places
    after = found.at(-1)!
  }
}

const turns = fc.array(fc.nat(2), { minLength: 1, maxLength: 4 })
/** Ids that a list of domains may lead to, unknown ones among them; most searches have no such list. */
const someStores = (count: number) =>
  fc.option(fc.uniqueArray(fc.integer({ min: 1, max: count + 5 }), { maxLength: 50 }), { freq: 1 })

const storeSearches = fc.record({
  mode: modes,
  filters: storeFilters,
  deliverEmails: fc.constantFrom<DeliverEmails>('all', 'verified'),
})
const contactSearches = (count: number) =>
  fc.record({
    mode: modes,
    conditions: storeConditions,
    filters: personFilters,
    storeIds: someStores(count),
    maxPerStore: fc.integer({ min: 1, max: 10 }),
  })

/** Asks random searches of one random catalogue after another; how many had answers, and on several pages. */
async function ask<Search>(
  { seed, count, queries, pageScale }: (typeof cases)[number],
  searches: fc.Arbitrary<Search>,
  expectEqual: (catalogue: Catalogue, search: Search, turns: number[], limits: number[]) => Promise<number>,
): Promise<number> {
  let left = runsWanted || queries
  let walksOverPages = 0
  for (let round = 0; left > 0; round++, left -= queriesPerCatalogue) {
    const catalogue = await openCatalogue(seed + round, count)
    await fc.assert(
      fc.asyncProperty(searches, turns, pageLimits, async (search, order, limits) => {
        const scaled = limits.map((limit) => limit * pageScale)
        if ((await expectEqual(catalogue, search, order, scaled)) > scaled[0]!) walksOverPages++
      }),
      { seed: seed + round, numRuns: Math.min(left, queriesPerCatalogue) },
    )
  }
  return walksOverPages
}

describe.each(cases)('$name, seed $seed', ({ count, queries, ...rest }) => {
  const size = { count, queries, ...rest }
  const atLeast = (runsWanted || queries) / 10
  const timeout = 60_000 + runsWanted * 500

  test('every page of stores is the same from each engine, alone and in turn', { timeout }, async () => {
    const walks = await ask(size, storeSearches, async ({ stores, engines }, search, order, limits) => {
      const expected = storesAsked(stores, search).map(({ place }): PlainPlace => [place + 1])
      const { mode, filters, deliverEmails } = search
      const query = normalizeStoreFilters(vocabulary, filters, deliverEmails)
      const pages: Walk<StorePosition> = {
        find: (engine, after, limit) => engine.findStores({ mode, query, after, limit }),
        placeOf: ({ storeId }) => [storeId],
        limits,
      }
      for (const engine of engines) expect(await walk([engine], pages)).toEqual(expected)
      expect(
        await walk(
          order.map((turn) => engines[turn]!),
          pages,
        ),
      ).toEqual(expected)
      return expected.length
    })
    // Walks over nothing but empty results would prove nothing.
    expect(walks).toBeGreaterThan(atLeast)
  })

  test('every page of people is the same from each engine, alone and in turn', { timeout }, async () => {
    const walks = await ask(size, contactSearches(count), async ({ stores, engines }, search, order, limits) => {
      const { mode, conditions, filters, storeIds, maxPerStore } = search
      const expected = storesAsked(stores, { mode, filters: conditions, deliverEmails: 'all' })
        .filter(({ place }) => storeIds?.includes(place + 1) ?? true)
        .flatMap((store) =>
          peopleAsked(store, filters, maxPerStore).map((number): PlainPlace => [store.place + 1, number]),
        )
      const store = normalizeStoreConditions(vocabulary, conditions, 'store')
      const person = normalizePersonFilters(vocabulary, filters)
      const pages: Walk<Awaited<ReturnType<SearchEngine['findContacts']>>[number]> = {
        find: (engine, after, limit) =>
          engine.findContacts({ mode, store, storeIds, person, maxPerStore, after, limit }),
        placeOf: ({ storeId, contact }) => [storeId, contact & 4095],
        limits,
      }
      for (const engine of engines) expect(await walk([engine], pages)).toEqual(expected)
      expect(
        await walk(
          order.map((turn) => engines[turn]!),
          pages,
        ),
      ).toEqual(expected)
      return expected.length
    })
    expect(walks).toBeGreaterThan(atLeast)
  })
})
