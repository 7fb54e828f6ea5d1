import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { noBudgets } from '../../../src/customers/auth/budgets.ts'
import { Charges } from '../../../src/customers/ledger/charges.ts'
import { KnownExports } from '../../../src/customers/ledger/exports-cache.ts'
import { type ConnectionPool, createPool, type Queryable } from '../../../src/foundation/db/pool.ts'
import { contactKey } from '../../../src/foundation/kernel/ids.ts'
import { deliverHosts, deliverPreviews, deliverStores } from '../../../src/product/delivery/deliver.ts'
import { Documents } from '../../../src/product/delivery/documents.ts'
import { fetchDocuments, fetchHosts, fetchPreviews } from '../../../src/product/delivery/fetch-queries.ts'
import type { CatalogueContext } from '../../../src/product/delivery/paid-reply.ts'
import { insertPeople, insertRows, plainRow } from '../../search/support/tables.ts'
import { createTestDatabase } from '../../support/database.ts'

const storeCount = 20_000
const period = { start: new Date('2026-11-01T00:00:00.000Z'), end: new Date('2026-12-01T00:00:00.000Z') }

/** A request with a key that was counted before; what it left is in `balance`. */
function contextOf({ exports = 10, rows = 20 }: { exports?: number; rows?: number } = {}): CatalogueContext {
  const limits = { store_exports: exports, search_rows: rows, contact_credits: 0 }
  const key = { id: 5, name: 'k', counterKeyId: 5, budgets: noBudgets }
  const entitlement = { limits, period, creditsPeriod: period }
  const caller = { accountId: 7, mode: 'live', key, userId: null, scopes: null, entitlement, rate: {} }
  const now = new Date('2026-11-10T12:00:00.000Z')
  return { db: pool, now, requestId: 'req_1', caller, ...services } as unknown as CatalogueContext
}

let services: Pick<CatalogueContext, 'charges' | 'documents'>
const taken = { limit: 0, viewedPage: null }

let pool: ConnectionPool
/** Live stores whose documents, previews and hosts contain their index; the last store is of the sandbox. */
let ids: number[]
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'delivery', maxConnections: 1 })
  services = {
    charges: new Charges({ pool, knownExports: new KnownExports({ maxBytes: 0 }) }),
    documents: new Documents({ pool, maxBytes: 0, deliverEmails: 'all' }),
  }
  ids = await insertRows(
    pool,
    Array.from({ length: storeCount }, (_, index) => ({
      ...plainRow,
      mode: index === storeCount - 1 ? 'test' : 'live',
      document: `d${index}`,
      preview: `s${index}`,
    })),
  )
  await insertPeople(
    pool,
    ids.flatMap((storeId, index) =>
      [3, 4, 5].map((number) => ({ storeId, number, role: null, traits: 20, preview: `p${index}` })),
    ),
  )
  await pool.query(
    `insert into store_domains (mode, host, store_id, canonical)
     select mode, host || id || '.example', id, host = 'shop-'
     from stores, unnest('{shop-,alias-}'::text[]) as host`,
  )
  await pool.query('analyze stores, contacts, store_domains')
})
afterAll(() => pool.end())
beforeEach(() => pool.query('truncate store_exports, usage_counters, ledger, reveals').then(() => {}))

const storesAt = (...indexes: number[]) => indexes.map((index) => ids[index]!)
const peopleAt = (...indexes: number[]) => storesAt(...indexes).map((id) => contactKey(id, 3))
const documentsOf = async (storeIds: number[]) => (await deliverStores(contextOf(), storeIds, taken)).items.join()

async function chargedAmounts() {
  const { rows } = await pool.query<{ rows: number; exports: number; entries: number; marked: number }>(
    `with counted as materialized (
       select coalesce(sum(used) filter (where meter = 'search_rows'), 0) as rows,
              coalesce(sum(used) filter (where meter = 'store_exports'), 0) as exports
       from usage_counters
     ), spent as materialized (
       select coalesce(sum(amount), 0) as entries from ledger
     ), exported as materialized (
       select count(*) as marked from store_exports
     )
     select * from counted, spent, exported`,
  )
  return rows[0]
}

describe('a page of stores', () => {
  test('a page of stores has the requested order, and each store is exported once', async () => {
    const indexes = [9, 2, 5, 700]
    expect(await documentsOf(storesAt(...indexes))).toBe('d9,d2,d5,d700')
    expect(await documentsOf(storesAt(5, 6))).toBe('d5,d6')
    expect(await chargedAmounts()).toEqual({ rows: 6, exports: 5, entries: 11, marked: 5 })
  })

  test('missing stores and stores of the other mode are neither delivered nor charged', async () => {
    const missing = 999_999_999
    expect(await documentsOf([missing, ...storesAt(4, storeCount - 1), missing + 1])).toBe('d4')
    expect(await chargedAmounts()).toEqual({ rows: 1, exports: 1, entries: 2, marked: 1 })
  })

  test('an empty page costs nothing and returns the counters', async () => {
    await documentsOf(storesAt(1, 2, 3))
    const nothing = await deliverStores(contextOf(), [], taken)
    expect(nothing).toMatchObject({ items: [], balance: { search_rows: 17, store_exports: 7 } })
  })

  test.each([
    ['search_rows', { rows: 1 }],
    ['store_exports', { exports: 1 }],
  ])('a page that exceeds the allowance of %s fails as a whole', async (param, allowance) => {
    const failure = await deliverStores(contextOf(allowance), storesAt(1, 2), taken).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'rate_limit_exceeded', param })
    expect(await chargedAmounts()).toEqual({ rows: 0, exports: 0, entries: 0, marked: 0 })
  })
})

describe('a page of previews', () => {
  test('previews say whether this account has revealed each contact, in the requested order', async () => {
    const [revealed, other, foreign] = peopleAt(8, 3, 5)
    await pool.query(
      `insert into reveals (account_id, mode, contact_id, revealed_at)
       values (7, 'live', $1, now()), (8, 'live', $2, now()), (7, 'test', $2, now())`,
      [revealed, foreign],
    )
    const { items } = await deliverPreviews(contextOf(), [revealed!, other!, foreign!], taken)
    expect(items.join()).toBe('p8true,"store":s8},p3false,"store":s3},p5false,"store":s5}')
    expect(await chargedAmounts()).toEqual({ rows: 3, exports: 3, entries: 6, marked: 3 })
  })

  test('erased contacts and contacts of the other mode are left out, with their stores', async () => {
    const [first, sandbox] = peopleAt(1, storeCount - 1)
    const erased = contactKey(ids[2]!, 6)
    const { items } = await deliverPreviews(contextOf(), [erased, sandbox!, first!], taken)
    expect(items.join()).toBe('p1false,"store":s1}')
    expect(await chargedAmounts()).toEqual({ rows: 1, exports: 1, entries: 2, marked: 1 })
  })
})

test('a delivery by host finds a store under domain and alias, exports it once, and costs no row', async () => {
  const [one, other] = storesAt(1, 2)
  const hosts = [`shop-${one}.example`, `alias-${one}.example`, `shop-${other}.example`, 'nobody.example']
  const contactIds = [...peopleAt(1), contactKey(one!, 99)]
  const { stores, balance } = await deliverHosts(contextOf(), hosts, { contactIds })
  const person = 'p1false,"store":s1}'
  expect(Object.fromEntries(stores.map(({ host, document, previews }) => [host, [document, previews]]))).toEqual({
    [hosts[0]!]: ['d1', person],
    [hosts[1]!]: ['d1', person],
    [hosts[2]!]: ['d2', ''],
  })
  expect(balance).toEqual({ store_exports: 8 })
  expect(await chargedAmounts()).toEqual({ rows: 0, exports: 2, entries: 2, marked: 2 })
})

// A coordinator of Citus shows no indexes in its plans.
test.skipIf(inject('citusNodes'))('at 20,000 stores, the generic plans of all fetches use primary keys', async () => {
  const sent: pg.QueryConfig[] = []
  const recorder = {
    query: async (statement: pg.QueryConfig) => {
      sent.push(statement)
      return { rows: [{ version: '1:' }] }
    },
  } as unknown as Queryable
  await fetchDocuments(recorder, 'live', [], 'all')
  await fetchPreviews(recorder, 'live', [], 'all')
  await fetchHosts(recorder, 'live', [], 'all')
  await pool.query('set plan_cache_mode = force_generic_plan')
  for (const { name, text, values } of sent) {
    await pool.query(`prepare ${name}_plan as ${text}`)
    const given = values!.map((value) =>
      Array.isArray(value)
        ? "'{}'"
        : value === null
          ? 'null'
          : pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value)),
    )
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain execute ${name}_plan (${given.join(', ')})`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    const tables = ['stores', 'contacts', 'store_domains']
    for (const table of tables) expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}\\b`))
    expect(plan).toContain('stores_pkey')
    if (name === 'fetch_previews') expect(plan).toContain('contacts_pkey')
    if (name === 'fetch_hosts') expect(plan).toContain('store_domains_pkey')
  }
})
