import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/db/pool.ts'
import { contactKey } from '../../src/kernel/ids.ts'
import type { ContactPosition, ContactSearch, SearchEngine } from '../../src/search/engine.ts'
import { normalizePersonFilters } from '../../src/search/person.ts'
import { createPostgresEngine } from '../../src/search/postgres/engine.ts'
import { normalizeStoreConditions } from '../../src/search/query.ts'
import { createTestDatabase } from '../support/database.ts'
import { insertPeople, insertRows } from './catalogue.ts'
import { randomStores, vocabulary } from './facts.ts'
import { modes, pageLimits, personFilters, storeConditions } from './random-filters.ts'
import { inResultOrder, matchesPerson, matchesStore, peopleInResultOrder } from './reference.ts'
import { numberOf, peopleRowsOf, rowOf } from './rows.ts'

/**
 * Random filters of people and stores over a random catalogue, every page walked, against a reference that reads the
 * attributes. Run once with a fixed seed and once with a new one, which is named when it finds a fault.
 */

let pool: Pool
let engine: SearchEngine
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'contacts model', maxConnections: 1 })
  engine = createPostgresEngine({ db: pool })
})
afterAll(() => pool.end())

type Query = Omit<ContactSearch, 'after' | 'limit'>

/** Keys of the contacts found, page by page; limits are taken in turn. */
async function walk(query: Query, limits: number[]): Promise<number[]> {
  const keys: number[] = []
  let after: ContactPosition | null = null
  for (let page = 0; ; page++) {
    const limit = limits[page % limits.length]!
    const found: ContactPosition[] = await engine.findContacts({ ...query, after, limit })
    expect(found.length).toBeLessThanOrEqual(limit)
    keys.push(...found.map(({ storeId, contact }) => contactKey(storeId, contact & 4095)))
    const last = found.at(-1)
    if (!last || found.length < limit) return keys
    after = last
  }
}

const storeCount = 250
/** Ids that a list of domains may lead to; most searches have no such list. */
const someStores = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: storeCount }), { maxLength: 50 }), { freq: 1 })
const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]

test.each(seeds)('every page of every filter is what the reference finds (seed %i)', async (seed) => {
  const stores = randomStores(seed, storeCount).map((store) => ({ ...store, id: store.place + 1 }))
  await pool.query('truncate stores, contacts restart identity')
  expect(await insertRows(pool, stores.map(rowOf))).toEqual(stores.map((store) => store.id))
  await insertPeople(
    pool,
    stores.flatMap((store) => peopleRowsOf(store, store.id)),
  )
  await pool.query('analyze stores, contacts')

  let walksOverPages = 0
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        mode: modes,
        conditions: storeConditions,
        filters: personFilters,
        storeIds: someStores,
        maxPerStore: fc.integer({ min: 1, max: 5 }),
        limits: pageLimits,
      }),
      async ({ mode, conditions, filters, storeIds, maxPerStore, limits }) => {
        const expected = inResultOrder(
          stores.filter(
            (store) =>
              store.mode === mode &&
              (storeIds === null || storeIds.includes(store.id)) &&
              matchesStore(store, conditions, 'all'),
          ),
        ).flatMap((store) =>
          peopleInResultOrder(
            store.people
              .map((person, index) => ({ person, number: numberOf(index) }))
              .filter(({ person }) => matchesPerson(person, filters)),
          )
            .slice(0, maxPerStore)
            .map(({ number }) => contactKey(store.id, number)),
        )
        const found = await walk(
          {
            mode,
            store: normalizeStoreConditions(vocabulary, conditions, 'store'),
            storeIds,
            person: normalizePersonFilters(vocabulary, filters),
            maxPerStore,
          },
          limits,
        )
        expect(found).toEqual(expected)
        if (found.length > limits[0]!) walksOverPages++
      },
    ),
    { seed, numRuns: 500 },
  )
  // A walk over nothing but empty results would prove nothing.
  expect(walksOverPages).toBeGreaterThan(100)
})
