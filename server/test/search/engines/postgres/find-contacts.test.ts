import type { ContactSortKey, PersonQuery, StoreQuery } from '@storedex/search-index'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type ConnectionPool, createPool } from '../../../../src/foundation/db/pool.ts'
import type { ContactSearch, SearchEngine } from '../../../../src/search/engines/engine.ts'
import { createPostgresEngine } from '../../../../src/search/engines/postgres/engine.ts'
import { planLookup, planSearch } from '../../../../src/search/engines/postgres/plan.ts'
import {
  contactSearchStatement,
  type Statement,
  storeQueryOf,
} from '../../../../src/search/engines/postgres/statements.ts'
import { readStatistics } from '../../../../src/search/engines/postgres/statistics.ts'
import { flagTokens } from '../../../../src/search/query/vocabulary.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { executedScans, insertPeople, insertRows, plainRow } from '../../support/tables.ts'

const everyStore: StoreQuery = {
  clauses: [],
  noneOf: [],
  minActiveAds: null,
  createdBetween: null,
  discoveredBetween: null,
}
const everybody: PersonQuery = { roles: null, roleTokens: null, traits: null, storeTokens: [flagTokens.contacts] }
const plainSearch: ContactSearch = {
  mode: 'live',
  store: everyStore,
  storeIds: null,
  person: everybody,
  maxPerStore: 10,
  after: null,
  limit: 100,
}

let pool: ConnectionPool
let engine: SearchEngine
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'find contacts', maxConnections: 1 })
  engine = createPostgresEngine({ db: pool })
})
afterAll(() => pool.end())

async function replaceCatalogue(
  stores: number,
  people: number,
  tokens: (index: number) => number[],
): Promise<number[]> {
  await pool.query('truncate stores, contacts restart identity')
  const ids = await insertRows(
    pool,
    Array.from({ length: stores }, (_, index) => ({
      ...plainRow,
      negatedScore: index % 20 === 0 ? Number.POSITIVE_INFINITY : -((index * 7919) % 1000) / 10,
      tokens: [flagTokens.contacts, ...tokens(index)],
    })),
  )
  const numbers = Array.from({ length: people }, (_, number) => number)
  const person = { role: null, traits: 20 }
  await insertPeople(
    pool,
    ids.flatMap((storeId) =>
      numbers.map((number) => ({ ...person, storeId, number, preview: `${storeId}.${number}` })),
    ),
  )
  // Like the end of an import: a pending list makes the token index look expensive.
  await pool.query("select gin_clean_pending_list('stores_by_token'::regclass)")
  await pool.query('analyze stores, contacts')
  return ids
}

test('a cursor stays valid when its contact or store is removed', async () => {
  const [first, second] = await replaceCatalogue(2, 3, () => [])
  await pool.query('update stores set negated_score = 0')
  const peopleAfter = async (after: ContactSortKey) =>
    (await engine.findContacts({ ...plainSearch, after })).map(({ storeId, contact }) => `${storeId}.${contact & 4095}`)
  const [, middle] = await engine.findContacts(plainSearch)
  const after = { negatedScore: 0, storeId: first!, contact: middle!.contact }
  const rest = [`${first}.2`, `${second}.0`, `${second}.1`, `${second}.2`]
  expect(await peopleAfter(after)).toEqual(rest)
  await pool.query('delete from contacts where store_id = $1::bigint and number = 1', [first])
  expect(await peopleAfter(after)).toEqual(rest)
  await pool.query('delete from stores where id = $1::bigint', [first])
  expect(await peopleAfter(after)).toEqual(rest.slice(1))
})

test('a query that no store can match runs no statement', async () => {
  await replaceCatalogue(1, 1, () => [])
  const found = (search: Partial<ContactSearch>) => engine.findContacts({ ...plainSearch, ...search })
  expect(await found({})).toHaveLength(1)
  expect(await found({ storeIds: [] })).toEqual([])
  expect(await found({ store: { ...everyStore, clauses: [[]] } })).toEqual([])
})

test('no value of a caller becomes part of the statement', () => {
  const search: ContactSearch = {
    mode: 'live',
    store: {
      clauses: [[4001], [4002, 4003]],
      noneOf: [4005],
      minActiveAds: 4006,
      createdBetween: { from: 4007, to: 4008 },
      discoveredBetween: { from: 4009, to: 4010 },
    },
    storeIds: [4011],
    person: { roles: ['role_4012'], roleTokens: [4012], traits: [4013], storeTokens: [4014, 4015] },
    maxPerStore: 4016,
    after: { negatedScore: -4017, storeId: 4018, contact: 4019 },
    limit: 4020,
  }
  const { text, values } = contactSearchStatement(search, planLookup(storeQueryOf(search)))
  expect(text).not.toMatch(/4\d\d\d|live/)
  expect(values).toHaveLength(20)
})

// A coordinator of Citus shows no indexes in its plans.
describe.skipIf(inject('citusNodes'))('at twenty thousand stores no page reads a whole table', () => {
  const common = (index: number) => 2000 + (index % 3)
  const rare = (index: number) => 3000 + (index % 2000)
  beforeAll(async () => {
    await replaceCatalogue(20_000, 1, (index) => [common(index), rare(index)])
  })

  const after = { negatedScore: -50, storeId: 10_000, contact: 1 }
  const person = (...storeTokens: number[]) => ({ roles: ['ceo'], roleTokens: [4016], traits: [1, 2], storeTokens })
  const walk = ['stores_in_order']
  const walkAndCollect = [...walk, 'stores_by_token']
  /** Either unique index finds the contacts of a store. */
  const scansOfStores = async (statement: Statement) =>
    (await executedScans(pool, statement)).filter((scan) => !scan.startsWith('contacts_'))
  test.each<[string, string[], Partial<ContactSearch>]>([
    ['everybody', walk, {}],
    ['everybody, deep', walk, { after }],
    ['common people, deep', walk, { after, person: person(2000, 2001) }],
    ['rare people', walkAndCollect, { person: person(3001) }],
    [
      'rare people at common stores',
      walkAndCollect,
      { person: person(3001, 3002), store: { ...everyStore, clauses: [[2001]] } },
    ],
    [
      'a role and a seniority that nobody has both of',
      walkAndCollect,
      { person: person(2000), store: { ...everyStore, clauses: [[2001]] } },
    ],
  ])('%s', async (_, expected, asked) => {
    const search = { ...plainSearch, limit: 26, ...asked }
    const plan = planSearch(await readStatistics(pool), storeQueryOf(search), search.limit)
    expect(await scansOfStores(contactSearchStatement(search, plan))).toEqual(expected)
  })

  test('named stores', async () => {
    const search = { ...plainSearch, storeIds: [5, 700, 9000] }
    const statement = contactSearchStatement(search, planLookup(storeQueryOf(search)))
    expect(await scansOfStores(statement)).toEqual(['stores_pkey'])
  })
})
