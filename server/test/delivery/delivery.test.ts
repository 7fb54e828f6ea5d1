import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { noBudgets } from '../../src/auth/budgets.ts'
import { type ConnectionPool, createPool, type Queryable } from '../../src/db/pool.ts'
import { deliverPreviews, deliverStores, deliverStoresByHost } from '../../src/delivery/queries.ts'
import type { SharedDelivery } from '../../src/delivery/shared/delivery-queries.ts'
import { deliverSharedHosts } from '../../src/delivery/shared/host-queries.ts'
import { chargeKnownPreviews, deliverSharedPreviews } from '../../src/delivery/shared/preview-queries.ts'
import { deliverSharedStores } from '../../src/delivery/shared/store-queries.ts'
import { contactKey } from '../../src/kernel/ids.ts'
import { type DeliveryCharge, isAllowanceExceeded } from '../../src/ledger/charge-queries.ts'
import { insertPeople, insertRows, plainRow } from '../search/support/tables.ts'
import { createTestDatabase } from '../support/database.ts'

const storeCount = 20_000
const charge: DeliveryCharge = {
  accountId: 7,
  mode: 'live',
  now: new Date('2026-11-10T12:00:00.000Z'),
  requestId: 'req_1',
  keyId: 5,
  personId: null,
  counterKeyId: 5,
  budgets: noBudgets,
  periodStart: new Date('2026-11-01T00:00:00.000Z'),
  storeExportsAllowance: 10,
  searchRowsAllowance: 20,
  viewedPage: null,
}

const sharedDelivery: SharedDelivery = {
  accountId: 7,
  mode: 'live',
  accountVersion: '1',
  keyIds: [],
  keyVersions: [],
  minuteLimit: 10,
  dayLimit: 10,
  startedAt: charge.now,
  openAfter: charge.now,
  openUntil: charge.now,
  overUntil: charge.now,
  overAfter: charge.now,
  day: '2026-11-10',
  lastOpenDay: '2026-11-10',
  periodStart: charge.periodStart,
  storeExportsAllowance: 10,
  requestIds: [],
  spentAt: [],
  requestKeyIds: [],
  counterKeyIds: [],
  exportsBudgets: [],
  searchRowsAllowance: 20,
  rowsAsked: [],
  rowsBudgets: [],
  knownRows: [],
  catalogueVersion: null,
}

let pool: ConnectionPool
/** Live stores whose documents, previews and hosts contain their index; the last store is of the sandbox. */
let ids: number[]
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'delivery', maxConnections: 1 })
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
const documentsOf = async (storeIds: number[]) =>
  (await deliverStores(pool, charge, { storeIds, deliverEmails: 'all' })).items.join()

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
    const nothing = await deliverStores(pool, charge, { storeIds: [], deliverEmails: 'all' })
    expect(nothing).toMatchObject({ items: [], rows_taken: 3, exports_taken: 3 })
  })

  test.each([
    ['rows', { searchRowsAllowance: 1 }],
    ['exports', { storeExportsAllowance: 1 }],
  ])('a page that exceeds the allowance of %s fails as a whole', async (_, allowance) => {
    const request = { storeIds: storesAt(1, 2), deliverEmails: 'all' as const }
    const failure = await deliverStores(pool, { ...charge, ...allowance }, request).catch((error: unknown) => error)
    expect(isAllowanceExceeded(failure)).toBe(true)
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
    const { items } = await deliverPreviews(pool, charge, {
      contactIds: [revealed!, other!, foreign!],
      deliverEmails: 'all',
    })
    expect(items.join()).toBe('p8true,"store":s8},p3false,"store":s3},p5false,"store":s5}')
    expect(await chargedAmounts()).toEqual({ rows: 3, exports: 3, entries: 6, marked: 3 })
  })

  test('erased contacts and contacts of the other mode are left out, with their stores', async () => {
    const [first, sandbox] = peopleAt(1, storeCount - 1)
    const erased = contactKey(ids[2]!, 6)
    const { items } = await deliverPreviews(pool, charge, {
      contactIds: [erased, sandbox!, first!],
      deliverEmails: 'all',
    })
    expect(items.join()).toBe('p1false,"store":s1}')
    expect(await chargedAmounts()).toEqual({ rows: 1, exports: 1, entries: 2, marked: 1 })
  })
})

test('a delivery by host finds a store under domain and alias, exports it once, and costs no row', async () => {
  const [one, other] = storesAt(1, 2)
  const hosts = [`shop-${one}.example`, `alias-${one}.example`, `shop-${other}.example`, 'nobody.example']
  const contactIds = [...peopleAt(1), contactKey(one!, 99)]
  const { stores, ...meters } = await deliverStoresByHost(pool, charge, { hosts, contactIds, deliverEmails: 'all' })
  const person = 'p1false,"store":s1}'
  expect(Object.fromEntries(stores.map(({ host, document, previews }) => [host, [document, previews]]))).toEqual({
    [hosts[0]!]: ['d1', person],
    [hosts[1]!]: ['d1', person],
    [hosts[2]!]: ['d2', null],
  })
  expect(meters).toMatchObject({ rows_taken: 0, exports_taken: 2 })
  expect(await chargedAmounts()).toEqual({ rows: 0, exports: 2, entries: 2, marked: 2 })
})

// A coordinator of Citus shows no indexes in its plans.
test.skipIf(inject('citusNodes'))(
  'at 20,000 stores, the generic plans of all deliveries use primary keys',
  async () => {
    await pool.query(
      `insert into reveals (account_id, mode, contact_id, revealed_at)
     select 7, 'live', store_id * 4096 + number, now() from contacts`,
    )
    await pool.query('analyze reveals')
    const sent: pg.QueryConfig[] = []
    const recorder = {
      query: async (statement: pg.QueryConfig) => {
        sent.push(statement)
        return { rows: [{ item_id: null }] }
      },
    } as unknown as Queryable
    for (const each of [charge, { ...charge, viewedPage: Buffer.from('page') }]) {
      await deliverStores(recorder, each, { storeIds: [], deliverEmails: 'all' })
      await deliverPreviews(recorder, each, { contactIds: [], deliverEmails: 'all' })
      await deliverStoresByHost(recorder, each, { hosts: [], contactIds: [], deliverEmails: 'all' })
    }
    const stores = { requests: [], storeIds: [], exportedIds: [], fetchIds: [] }
    const hosts = { requests: [], hosts: [], knownIds: [], exportedIds: [], known: { requests: [], storeIds: [] } }
    const contacts = { contactIds: [], requests: [], requestedIds: [], exportedStoreIds: [], fetchIds: [] }
    for (const requestIds of [['one'], ['one', 'another']]) {
      const shared = { ...sharedDelivery, requestIds }
      await deliverSharedStores(recorder, shared, stores, 'all')
      await deliverSharedPreviews(recorder, shared, contacts)
      await deliverSharedHosts(recorder, shared, hosts, 'all')
    }
    await chargeKnownPreviews(recorder, sharedDelivery, [])
    const rows = ['stores', 'previews', 'hosts']
    expect(sent.map(({ name }) => name)).toEqual([
      ...['deliver', 'view'].flatMap((way) => rows.map((what) => `${way}_${what}`)),
      ...['_alone', ''].flatMap((suffix) => rows.map((what) => `deliver_shared_${what}${suffix}`)),
      'charge_known_previews',
    ])
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
      const tables = ['stores', 'contacts', 'store_domains', 'reveals']
      for (const table of tables) expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}\\b`))
      const fetches = name !== 'charge_known_previews'
      const hasPreviews = !/_stores(_alone)?$|^deliver_shared_hosts/.test(name!)
      if (fetches) expect(plan).toContain('stores_pkey')
      if (fetches && hasPreviews) expect(plan).toContain('contacts_pkey')
      if (hasPreviews) expect(plan).toContain('reveals_pkey')
      if (/_hosts(_alone)?$/.test(name!)) expect(plan).toContain('store_domains_pkey')
    }
  },
)
