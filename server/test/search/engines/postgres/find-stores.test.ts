import type { StoreQuery, StoreSortKey } from '@storedex/search-index'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type ConnectionPool, createPool } from '../../../../src/foundation/db/pool.ts'
import type { SearchEngine, StoreSearch } from '../../../../src/search/engines/engine.ts'
import { createPostgresEngine } from '../../../../src/search/engines/postgres/engine.ts'
import { planSearch } from '../../../../src/search/engines/postgres/plan.ts'
import { storeSearchStatement } from '../../../../src/search/engines/postgres/statements.ts'
import { readStatistics } from '../../../../src/search/engines/postgres/statistics.ts'
import type { StoreSearchFilters } from '../../../../src/search/query/filters.ts'
import { normalizeStoreFilters } from '../../../../src/search/query/store-query.ts'
import { flagTokens } from '../../../../src/search/query/vocabulary.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { vocabularyOf } from '../../support/random-catalogue.ts'
import { executedScans, insertRows, plainRow, type SearchRow } from '../../support/tables.ts'

const vocabulary = vocabularyOf({ category: ['home', 'candles/home'], app: ['klaviyo', 'klarna', 'gorgias'] })
const appToken = (value: string) => vocabulary.find('app', value)!.token
const everything: StoreQuery = normalizeStoreFilters(vocabulary, {}, 'all')

let pool: ConnectionPool
let engine: SearchEngine
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'find stores test', maxConnections: 1 })
  engine = createPostgresEngine({ db: pool })
})
afterAll(() => pool.end())

const named = (document: string, row: Partial<SearchRow>): SearchRow => ({ ...plainRow, ...row, document })

async function replaceCatalogue(rows: SearchRow[]): Promise<void> {
  await pool.query('truncate stores restart identity')
  await insertRows(pool, rows)
  documents.splice(0, documents.length, ...rows.map((row) => row.document))
}

/** By id, counted from one. */
const documents: string[] = []

const documentAt = ({ storeId }: StoreSortKey) => documents[storeId - 1]!

const plainSearch: StoreSearch = { mode: 'live', query: everything, after: null, limit: 1000 }

/** Documents of a page; by default all that match. */
async function findDocuments(search: Partial<StoreSearch>): Promise<string[]> {
  return (await engine.findStores({ ...plainSearch, ...search })).map(documentAt)
}

describe('order and pages', () => {
  beforeAll(() =>
    replaceCatalogue([
      named('none, first', { negatedScore: Number.POSITIVE_INFINITY }),
      named('50.5', { negatedScore: -50.5 }),
      named('0', { negatedScore: -0 }),
      named('sandbox', { negatedScore: -99, mode: 'test' }),
      named('90', { negatedScore: -90 }),
      named('50.5 again', { negatedScore: -50.5 }),
      named('none, second', { negatedScore: Number.POSITIVE_INFINITY }),
    ]),
  )
  const inOrder = ['90', '50.5', '50.5 again', '0', 'none, first', 'none, second']

  test('the best score comes first, equal scores by id, stores without a score last', async () => {
    expect(await findDocuments({})).toEqual(inOrder)
  })

  test.each([1, 2, 3, 4, 5, 6])('pages of %i return every store once', async (limit) => {
    const walked: string[] = []
    for (let after: StoreSortKey | null = null; ; ) {
      const page: StoreSortKey[] = await engine.findStores({ ...plainSearch, after, limit })
      walked.push(...page.map(documentAt))
      const last = page.at(-1)
      if (!last) break
      after = last
    }
    expect(walked).toEqual(inOrder)
  })

  test('a cursor stays valid when its store is removed', async () => {
    const [, second] = await engine.findStores({ ...plainSearch, limit: 2 })
    await pool.query('delete from stores where id = $1::bigint', [second!.storeId])
    expect(await findDocuments({ after: second! })).toEqual(inOrder.slice(2))
  })

  test('each mode has its own catalogue', async () => {
    expect(await findDocuments({ mode: 'test' })).toEqual(['sandbox'])
  })
})

describe('conditions', () => {
  const day = (text: string) => new Date(`${text}T00:00:00Z`)
  beforeAll(() =>
    replaceCatalogue([
      named('bare', {}),
      named('all apps', { tokens: ['klaviyo', 'klarna', 'gorgias'].map(appToken), activeAds: 0 }),
      named('klaviyo', { tokens: [appToken('klaviyo')], activeAds: 5, createdEstimate: day('2019-01-01') }),
      named('candles', {
        tokens: [vocabulary.find('category', 'candles')!.token],
        firstDiscoveredAt: day('2021-01-01'),
      }),
      named('plus', { tokens: [flagTokens.platformPlus], activeAds: 6, createdEstimate: day('2020-01-01') }),
    ]),
  )

  test.each([
    [['all apps', 'klaviyo'], { apps: { any: ['klaviyo'] } }],
    [['all apps', 'klaviyo'], { apps: { any: ['klaviyo', 'gorgias'] } }],
    [['all apps'], { apps: { all: ['klaviyo', 'gorgias'] } }],
    [['klaviyo'], { apps: { all: ['klaviyo'], none: ['klarna'] } }],
    [['bare', 'candles', 'plus'], { apps: { none: ['klaviyo'] } }],
    [[], { apps: { any: ['klarna'], none: ['klarna'] } }],
    [['candles'], { categories: ['home'] }],
    [['plus'], { platform_plus: true }],
    [['bare', 'all apps', 'klaviyo', 'candles'], { platform_plus: false }],
    [['klaviyo', 'plus'], { meta_ads: { active_ads_min: 5 } }],
    [['klaviyo'], { store_created_at: { to: '2019-01-01T00:00:00Z' } }],
    [['klaviyo', 'plus'], { store_created_at: { from: '2019-01-01T00:00:00Z', to: '2020-01-01T00:00:00Z' } }],
    [['plus'], { store_created_at: { from: '2019-01-01T00:00:00.001Z', to: '9999-12-31T23:59:59.999Z' } }],
    [['candles'], { first_discovered_at: { from: '0001-01-01T00:00:00Z' } }],
    [[], { store_created_at: { from: '2019-01-01T00:00:00Z' }, first_discovered_at: { to: '2030-01-01T00:00:00Z' } }],
  ] satisfies [string[], StoreSearchFilters][])('%j answer %j', async (expected, filters) => {
    expect(await findDocuments({ query: normalizeStoreFilters(vocabulary, filters, 'all') })).toEqual(expected)
  })
})

test('no value of a caller becomes part of the statement', () => {
  const query: StoreQuery = {
    clauses: [[4001], [4002, 4003], [4004]],
    noneOf: [4005],
    minActiveAds: 4006,
    createdBetween: { from: 4007, to: 4008 },
    discoveredBetween: { from: 4009, to: 4010 },
  }
  const after = { negatedScore: -4011, storeId: 4012 }
  const plan = {
    walkedRows: 4013,
    collectedBy: query.clauses.slice(0, 2),
    checked: query.clauses.slice(2),
    noneOf: query.noneOf,
  }
  const { text, values } = storeSearchStatement({ mode: 'live', query, after, limit: 4014 }, plan)
  expect(text).not.toMatch(/4\d\d\d|live/)
  expect(values).toHaveLength(14)
})

// A coordinator of Citus shows no indexes in its plans.
describe.skipIf(inject('citusNodes'))('at twenty thousand stores no page reads the whole table', () => {
  const common = (index: number) => 2000 + (index % 3)
  const rare = (index: number) => 3000 + (index % 2000)
  const minute = (index: number) => new Date(Date.UTC(2020, 0, 1, 0, index))
  beforeAll(async () => {
    await replaceCatalogue(
      Array.from({ length: 20_000 }, (_, index) =>
        named(`{"pad":"${'x'.repeat(400)}"}`, {
          negatedScore: index % 20 === 0 ? Number.POSITIVE_INFINITY : -((index * 7919) % 1000) / 10,
          tokens: [common(index), rare(index)],
          activeAds: index % 4 === 0 ? null : index % 5000,
          createdEstimate: minute(index),
          firstDiscoveredAt: minute(index),
        }),
      ),
    )
    // Like the end of an import: a pending list makes the token index look expensive.
    await pool.query("select gin_clean_pending_list('stores_by_token'::regclass)")
    await pool.query('analyze stores')
  })

  const walk = ['stores_in_order']
  const walkAndCollect = ['stores_in_order', 'stores_by_token']
  const hour = { from: minute(600).getTime(), to: minute(659).getTime() }
  const deep = { negatedScore: -50, storeId: 10_000 }
  test.each<[string, string[], Partial<StoreQuery>, StoreSortKey | null]>([
    ['everything', walk, {}, null],
    ['everything, deep', walk, {}, deep],
    ['a common token without a rare one', walk, { clauses: [[2001]], noneOf: [3001] }, null],
    ['common tokens, deep', walk, { clauses: [[2001], [2000, 2001, 2002]] }, deep],
    ['a rare token', walkAndCollect, { clauses: [[3001]] }, null],
    ['rare tokens and a common one', walkAndCollect, { clauses: [[3001, 3002], [2001]] }, null],
    ['common tokens that no store has both of', walkAndCollect, { clauses: [[2000], [2001]] }, null],
    ['an hour of openings', ['stores_in_order', 'stores_by_created'], { createdBetween: hour }, null],
    ['an hour of finds', ['stores_in_order', 'stores_by_discovered'], { discoveredBetween: hour }, null],
    ['very many ads', ['stores_in_order', 'stores_by_ads'], { minActiveAds: 4_990 }, null],
  ])('%s', async (_, expected, asked, after) => {
    const search: StoreSearch = { mode: 'live', query: { ...everything, ...asked }, after, limit: 26 }
    const plan = planSearch(await readStatistics(pool), search.query, search.limit)
    expect(await executedScans(pool, storeSearchStatement(search, plan))).toEqual(expected)
  })
})
