import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/db/pool.ts'
import type { DeliverEmails } from '../../src/search/delivery.ts'
import type { SearchEngine, StorePosition } from '../../src/search/engine.ts'
import { createPostgresEngine } from '../../src/search/postgres/engine.ts'
import { normalizeStoreFilters, type StoreQuery } from '../../src/search/query.ts'
import { createTestDatabase } from '../support/database.ts'
import { insertRows } from './catalogue.ts'
import { randomStores, vocabulary } from './facts.ts'
import { modes, pageLimits, storeFilters } from './random-filters.ts'
import { inResultOrder, matchesStore } from './reference.ts'
import { rowOf } from './rows.ts'

/**
 * Random filters over a random catalogue, every page walked, against a reference that reads the attributes of the stores
 * and knows nothing of tokens, normal forms or SQL. Run once with a fixed seed and once with a new one, which is named
 * when it finds a fault.
 */

let pool: Pool
let engine: SearchEngine
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'random model test', maxConnections: 1 })
  engine = createPostgresEngine({ db: pool })
})
afterAll(() => pool.end())

/** Places of the stores found, page by page; limits are taken in turn. */
async function walk(mode: 'live' | 'test', query: StoreQuery, limits: number[]): Promise<number[]> {
  const places: number[] = []
  let after: StorePosition | null = null
  for (let page = 0; ; page++) {
    const limit = limits[page % limits.length]!
    const found: StorePosition[] = await engine.findStores({ mode, query, after, limit })
    expect(found.length).toBeLessThanOrEqual(limit)
    places.push(...found.map(({ storeId }) => storeId - 1))
    const last = found.at(-1)
    if (!last || found.length < limit) return places
    after = last
  }
}

const seeds = [20_261_101, Math.floor(Math.random() * 2 ** 31)]

test.each(seeds)('every page of every filter is what the reference finds (seed %i)', async (seed) => {
  const stores = randomStores(seed, 300)
  await pool.query('truncate stores restart identity')
  await insertRows(pool, stores.map(rowOf))
  await pool.query('analyze stores')

  let pagesWithStores = 0
  await fc.assert(
    fc.asyncProperty(
      modes,
      storeFilters,
      fc.constantFrom<DeliverEmails>('all', 'verified'),
      pageLimits,
      async (mode, filters, deliverEmails, limits) => {
        const expected = inResultOrder(
          stores.filter((store) => store.mode === mode && matchesStore(store, filters, deliverEmails)),
        )
        const found = await walk(mode, normalizeStoreFilters(vocabulary, filters, deliverEmails), limits)
        expect(found).toEqual(expected.map((store) => store.place))
        if (found.length > 0) pagesWithStores++
      },
    ),
    { seed, numRuns: 1000 },
  )
  // A walk over nothing but empty results would prove nothing.
  expect(pagesWithStores).toBeGreaterThan(450)
})
