import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/db/pool.ts'
import type { ContactPosition, ContactSearch, SearchEngine } from '../../src/search/engine.ts'
import type { PersonQuery } from '../../src/search/person.ts'
import { contactSearchStatement } from '../../src/search/postgres/contact-search.ts'
import { createPostgresEngine } from '../../src/search/postgres/engine.ts'
import type { StoreQuery } from '../../src/search/query.ts'
import { flagTokens } from '../../src/search/vocabulary.ts'
import { createTestDatabase } from '../support/database.ts'
import { insertPeople, insertRows, plainRow } from './catalogue.ts'

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

let pool: Pool
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
  // As an import ends: tokens that wait to be sorted into their index make it look dear.
  await pool.query("select gin_clean_pending_list('stores_by_token'::regclass)")
  await pool.query('analyze stores, contacts')
  return ids
}

test('a place in the order survives the person who stood there, and the store', async () => {
  const [first, second] = await replaceCatalogue(2, 3, () => [])
  await pool.query('update stores set negated_score = 0')
  const peopleAfter = async (after: ContactPosition) =>
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

test('what no store can meet is not looked for', async () => {
  await replaceCatalogue(1, 1, () => [])
  const found = (search: Partial<ContactSearch>) => engine.findContacts({ ...plainSearch, ...search })
  expect(await found({})).toHaveLength(1)
  expect(await found({ storeIds: [] })).toEqual([])
  expect(await found({ store: { ...everyStore, clauses: [[]] } })).toEqual([])
})

test('no value of a caller becomes part of the statement', () => {
  const { text, values } = contactSearchStatement({
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
  })
  expect(text).not.toMatch(/4\d\d\d|live/)
  expect(values).toHaveLength(19)
})

test('at twenty thousand stores no page reads a whole table', async () => {
  const common = (index: number) => 2000 + (index % 3)
  const rare = (index: number) => 3000 + (index % 2000)
  await replaceCatalogue(20_000, 1, (index) => [common(index), rare(index)])
  const indexUsed = async (search: Partial<ContactSearch>) => {
    const { text, values } = contactSearchStatement({ ...plainSearch, limit: 26, ...search })
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toContain('Seq Scan')
    return /stores_in_order|stores_by_token|stores_pkey/.exec(plan)?.[0]
  }
  const after = { negatedScore: -50, storeId: 10_000, contact: 1 }
  const person = (...storeTokens: number[]) => ({ roles: ['ceo'], roleTokens: [4016], traits: [1, 2], storeTokens })
  expect(await indexUsed({})).toBe('stores_in_order')
  expect(await indexUsed({ after })).toBe('stores_in_order')
  expect(await indexUsed({ after, person: person(2000, 2001) })).toBe('stores_in_order')
  expect(await indexUsed({ person: person(3001) })).toBe('stores_by_token')
  expect(await indexUsed({ person: person(3001, 3002), store: { ...everyStore, clauses: [[2001]] } })).toBe(
    'stores_by_token',
  )
  expect(await indexUsed({ storeIds: [5, 700, 9000] })).toBe('stores_pkey')
})
