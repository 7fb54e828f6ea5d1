import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CallerContext } from '../../../src/customers/auth/caller.ts'
import { Charges } from '../../../src/customers/ledger/charges.ts'
import { KnownExports } from '../../../src/customers/ledger/exports-cache.ts'
import { hashViewedPage } from '../../../src/customers/ledger/spending.ts'
import { expireViewedPages } from '../../../src/customers/ledger/window-queries.ts'
import { type ConnectionPool, createPool } from '../../../src/foundation/db/pool.ts'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import { type DeliveredPage, deliverHosts, deliverStores } from '../../../src/product/delivery/deliver.ts'
import { Documents } from '../../../src/product/delivery/documents.ts'
import type { CatalogueContext } from '../../../src/product/delivery/paid-reply.ts'
import { insertPeople, insertRows, plainRow } from '../../search/support/tables.ts'
import { createTestDatabase } from '../../support/database.ts'

const noon = '2026-11-10T12:00:00.000Z'
const at = (time: string) => new Date(`2026-11-10T${time}Z`)

let pool: ConnectionPool
let services: Pick<CatalogueContext, 'charges' | 'documents' | 'deliverEmails'>
let ids: number[]
let users: number[]
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'viewing', maxConnections: 8 })
  services = {
    charges: new Charges({ pool, knownExports: new KnownExports({ maxBytes: 0 }) }),
    documents: new Documents({ pool, maxBytes: 0, deliverEmails: 'all' }),
    deliverEmails: 'all',
  }
  ids = await insertRows(
    pool,
    Array.from({ length: 20 }, (_, index) => ({ ...plainRow, document: `d${index}`, preview: `s${index}` })),
  )
  await insertPeople(pool, [{ storeId: ids[0]!, number: 3, role: null, traits: 20, preview: 'p0' }])
  await pool.query(
    "insert into store_domains (mode, host, store_id, canonical) values ('live', 'shop.example', $1, true)",
    [ids[0]],
  )
})
afterAll(() => pool.end())
beforeEach(async () => {
  await pool.query('truncate store_exports, usage_counters, ledger, viewed_pages, people cascade')
  const { rows } = await pool.query<{ id: number }>(
    "insert into people (email, name, created_at) values ('ada@one.example', 'Ada', $1), ('bo@one.example', 'Bo', $1) returning id",
    [noon],
  )
  users = rows.map(({ id }) => id)
})

interface Viewer {
  person?: number
  account?: number
  now?: Date
  rowsAllowed?: number
}

function contextOf({ person: user = users[0]!, account = 7, now = new Date(noon), rowsAllowed = 25_000 }: Viewer) {
  const period = { start: new Date('2026-11-01T00:00:00Z'), end: new Date('2026-12-01T00:00:00Z') }
  const entitlement = {
    limits: { store_exports: 0, search_rows: rowsAllowed, contact_credits: 0 },
    period,
    creditsPeriod: period,
  } as unknown as CallerContext['caller']['entitlement']
  const caller = { accountId: account, mode: 'live' as const, key: null, userId: user, entitlement, rate: {} }
  const ctx = { ...services, db: pool, now, requestId: 'req_1', caller: { ...caller, scopes: null } }
  return ctx as unknown as CatalogueContext
}

const pageOf = (name: string) => hashViewedPage({ userId: 1 }, [name])!
let pages = 0

/** Shows the first `count` stores, on a page of its own. */
const view = (count: number, viewer: Viewer = {}) =>
  show(ids.slice(0, count), `page ${++pages}`, viewer).then(({ items }) => items.join())

/** Shows these stores on a page, of a search with a limit. */
function show(storeIds: number[], page: string, viewer: Viewer = {}, limit = 0): Promise<DeliveredPage> {
  return deliverStores(contextOf(viewer), storeIds, { limit, viewedPage: pageOf(page) })
}

const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error) => {
      expect(error).toBeInstanceOf(Refusal)
      return error
    },
  )

/** Sets the hour of a person as if they had looked at so many rows since `startedAt`. */
async function setWindow(rowsViewed: number, startedAt: Date, user = users[0]!): Promise<void> {
  await pool.query(
    `insert into person_windows values ($1, $2, $3, 3000)
     on conflict (person_id) do update set started_at = excluded.started_at, rows_viewed = excluded.rows_viewed`,
    [user, startedAt, rowsViewed],
  )
}

async function windowOf(user = users[0]!): Promise<{ rows_viewed: number; started_at: Date } | undefined> {
  const { rows } = await pool.query('select rows_viewed, started_at from person_windows where person_id = $1', [user])
  return rows[0]
}

async function ledgerRows() {
  const { rows } = await pool.query(
    'select account_id, meter, amount, key_id, person_id from ledger order by account_id, entry',
  )
  return rows
}

async function charged(): Promise<{ rows: number; exports: number; marked: number }> {
  const { rows } = await pool.query(
    `select coalesce(sum(used) filter (where meter = 'search_rows'), 0) as rows,
            coalesce(sum(used) filter (where meter = 'store_exports'), 0) as exports
     from usage_counters`,
  )
  const exported = await pool.query('select from store_exports')
  return { ...rows[0], marked: exported.rows.length }
}

describe('looking', () => {
  test('a page costs search rows and no exports, counts in the hour of the person, and names them in the ledger', async () => {
    expect(await view(3)).toBe('d0,d1,d2')
    expect(await view(3)).toBe('d0,d1,d2')
    expect(await charged()).toEqual({ rows: 6, exports: 0, marked: 0 })
    const entry = { account_id: 7, meter: 'search_rows', amount: 3, key_id: null, person_id: users[0] }
    expect(await ledgerRows()).toEqual([entry, entry])
    expect(await windowOf()).toEqual({ rows_viewed: 6, started_at: new Date(noon) })
    expect(await windowOf(users[1])).toBeUndefined()
  })

  test('a store’s page is one row with its people, and an unknown one costs nothing', async () => {
    const contactIds = [ids[0]! * 4096 + 3]
    const show = (host: string) => deliverHosts(contextOf({}), [host], { contactIds, viewedPage: pageOf('store') })
    const found = { host: 'shop.example', document: 'd0', previews: 'p0false,"revealable":true,"store":s0}' }
    expect((await show('shop.example')).stores).toMatchObject([found])
    expect(await show('nobody.example')).toMatchObject({ stores: [], rowsCharged: 0, balance: { search_rows: 24_999 } })
    expect(await charged()).toEqual({ rows: 1, exports: 0, marked: 0 })
    expect(await windowOf()).toMatchObject({ rows_viewed: 1 })
  })

  test('an empty page costs nothing and opens no hour', async () => {
    expect(await view(0)).toBe('')
    expect(await ledgerRows()).toEqual([])
    expect(await windowOf()).toBeUndefined()
  })
})

describe('the hour of a person', () => {
  test('a page beyond 3,000 rows delivers and charges nothing, and says when to come back', async () => {
    await setWindow(2_995, at('11:30:30'))
    const refusal = await refusalOf(view(6))
    expect(refusal).toMatchObject({
      code: 'rate_limit_exceeded',
      param: 'person_rows',
      retryAfterSeconds: 1_830,
      message: '5 of 3,000 rows that a person may look at in an hour are left for the next 31 minutes.',
    })
    expect(await charged()).toEqual({ rows: 0, exports: 0, marked: 0 })
    expect(await ledgerRows()).toEqual([])
    expect(await view(5)).toBe('d0,d1,d2,d3,d4')
    expect(await windowOf()).toMatchObject({ rows_viewed: 3_000 })
  })

  test('a limit above the rows left is refused whatever the page has', async () => {
    await setWindow(2_995, at('11:30:00'))
    await show([], 'new', {}, 5)
    expect(await refusalOf(show([], 'new', {}, 6))).toMatchObject({ param: 'person_rows' })
    // Another person, and the same one when the hour is over.
    await show([], 'new', { person: users[1]! }, 100)
    await show([], 'new', { now: at('12:30:00') }, 100)
  })

  test('it begins with the first row, ends an hour later, and the next one counts from zero', async () => {
    await view(2)
    await view(3, { now: at('12:59:59.999') })
    expect(await windowOf()).toEqual({ rows_viewed: 5, started_at: new Date(noon) })
    await view(4, { now: at('13:00:00') })
    expect(await windowOf()).toEqual({ rows_viewed: 4, started_at: at('13:00:00') })
  })

  test('an hour that a wrong clock started in the future is replaced', async () => {
    await setWindow(3_000, new Date('2027-01-01T00:00:00Z'))
    await view(2)
    expect(await windowOf()).toEqual({ rows_viewed: 2, started_at: new Date(noon) })
  })

  test('it counts over all accounts, and each person has their own', async () => {
    await setWindow(2_990, at('11:59:00'))
    await view(6, { account: 7 })
    await refusalOf(view(6, { account: 8 }))
    await view(4, { account: 8 })
    await refusalOf(view(1, { account: 9 }))
    await view(6, { account: 8, person: users[1]! })
    expect((await ledgerRows()).map(({ account_id, amount }) => [account_id, amount])).toEqual([
      [7, 6],
      [8, 4],
      [8, 6],
    ])
  })

  test('concurrent pages in several accounts never exceed it, and all that were delivered are counted', async () => {
    await setWindow(2_900, at('11:59:00'))
    const pages = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => view(7, { account: 7 + (index % 3) })),
    )
    const delivered = pages.filter(({ status }) => status === 'fulfilled').length
    expect(delivered).toBe(14)
    expect(await windowOf()).toMatchObject({ rows_viewed: 2_998 })
    expect(await charged()).toMatchObject({ rows: 98, exports: 0 })
  })

  test('the rows of the account are refused as for a key', async () => {
    await view(8, { rowsAllowed: 10 })
    expect(await refusalOf(view(3, { rowsAllowed: 10 }))).toMatchObject({
      code: 'rate_limit_exceeded',
      param: 'search_rows',
    })
    expect(await windowOf()).toMatchObject({ rows_viewed: 8 })
  })

  test('an account without exports left may still be looked at', async () => {
    await pool
      .query("insert into usage_counters values (7, 'live', 'store_exports', '2026-11-01', 5, 0, 5)")
      .catch(() => {})
    expect(await view(2)).toBe('d0,d1')
  })
})

describe('the same page again', () => {
  const rowsCharged = async (...work: Parameters<typeof show>) => (await show(...work)).rowsCharged

  test('costs nothing for ten minutes from when it was paid, and is paid again afterwards', async () => {
    const page = ids.slice(0, 5)
    expect(await show(page, 'a')).toMatchObject({ rowsCharged: 5, balance: { search_rows: 24_995 } })
    const again = await show(page, 'a', { now: at('12:09:59.999') })
    expect(again).toMatchObject({
      rowsCharged: 0,
      balance: { search_rows: 24_995 },
      items: ['d0', 'd1', 'd2', 'd3', 'd4'],
    })
    expect(await ledgerRows()).toHaveLength(1)
    expect(await windowOf()).toMatchObject({ rows_viewed: 5 })
    // Looking again does not make the ten minutes longer.
    expect(await rowsCharged(page, 'a', { now: at('12:10:00') })).toBe(5)
    expect(await rowsCharged(page, 'a', { now: at('12:19:59') })).toBe(0)
    expect(await charged()).toEqual({ rows: 10, exports: 0, marked: 0 })
  })

  test('is another page for another person, another account and another question', async () => {
    const page = ids.slice(0, 4)
    await show(page, 'a')
    expect(await rowsCharged(page, 'a', { person: users[1]! })).toBe(4)
    expect(await rowsCharged(page, 'a', { account: 8 })).toBe(4)
    expect(await rowsCharged(page, 'b')).toBe(4)
    expect(await rowsCharged(page, 'a')).toBe(0)
  })

  test('costs the rows that are new on it: rows cannot be had for nothing by changing what a page leaves out', async () => {
    await show(ids.slice(0, 6), 'a')
    expect(await rowsCharged(ids.slice(3, 9), 'a')).toBe(3)
    expect(await rowsCharged(ids.slice(9, 15), 'a')).toBe(6)
    expect(await rowsCharged(ids.slice(9, 15).reverse(), 'a')).toBe(0)
    expect(await rowsCharged([], 'a')).toBe(0)
    expect(await windowOf()).toMatchObject({ rows_viewed: 15 })
    expect((await ledgerRows()).map(({ amount }) => amount)).toEqual([6, 3, 6])
  })

  test('is shown when no row is left, but no row that is new on it', async () => {
    const page = ids.slice(0, 5)
    await show(page, 'a', { rowsAllowed: 5 })
    const spent = { rowsAllowed: 5 }
    expect(await show(page, 'a', spent, 100)).toMatchObject({ rowsCharged: 0 })
    expect(await refusalOf(show([], 'b', spent, 5))).toMatchObject({ param: 'search_rows' })
    const changed = [...page.slice(1), ids[9]!]
    expect(await refusalOf(show(changed, 'a', spent))).toMatchObject({ param: 'search_rows' })
    await setWindow(3_000, new Date(noon))
    expect(await show(page, 'a', {}, 5)).toMatchObject({ rowsCharged: 0 })
    expect(await refusalOf(show([], 'b', {}, 5))).toMatchObject({ param: 'person_rows' })
    expect(await refusalOf(show(changed, 'a'))).toMatchObject({ param: 'person_rows' })
    const later = { now: at('12:10:00') }
    expect(await refusalOf(show(page, 'a', later, 5))).toMatchObject({ param: 'person_rows' })
  })

  test('is paid once when it is asked for many times at once, and each reply has its rows', async () => {
    const page = ids.slice(0, 7)
    const replies = await Promise.all(Array.from({ length: 40 }, () => show(page, 'a')))
    expect(new Set(replies.map(({ items }) => items.join())).size).toBe(1)
    expect(replies.map(({ rowsCharged }) => rowsCharged).filter((rows) => rows !== 0)).toEqual([7])
    expect(await charged()).toEqual({ rows: 7, exports: 0, marked: 0 })
    expect(await ledgerRows()).toHaveLength(1)
    expect(await windowOf()).toMatchObject({ rows_viewed: 7 })
  })

  test('and others at once: each distinct page is paid once, and none waits for another in a circle', async () => {
    const parts = [ids.slice(0, 5), ids.slice(2, 9), ids.slice(9, 20)]
    const work = Array.from({ length: 60 }, (_, index) => show(parts[index % 3]!, `page ${index % 3}`))
    await Promise.all([...work, ...Array.from({ length: 20 }, () => expireViewedPages(pool, new Date(noon)))])
    expect(await charged()).toEqual({ rows: 23, exports: 0, marked: 0 })
    expect(await windowOf()).toMatchObject({ rows_viewed: 23 })
  })

  test('at once with the last rows: as many are charged as are allowed, and what is paid stays free', async () => {
    await setWindow(2_990, at('11:59:00'))
    const work = Array.from({ length: 30 }, (_, index) => show(ids.slice(0, 4), `page ${index % 5}`))
    const replies = await Promise.allSettled(work)
    const rows = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value.rowsCharged!] : []))
    expect(rows.reduce((sum, each) => sum + each, 0)).toBe(8)
    expect(await windowOf()).toMatchObject({ rows_viewed: 2_998 })
    expect(await charged()).toMatchObject({ rows: 8 })
  })

  test('is remembered with its charge or not at all', async () => {
    await setWindow(2_999, at('11:59:00'))
    await refusalOf(show(ids.slice(0, 5), 'a'))
    expect((await pool.query('select from viewed_pages')).rows).toHaveLength(0)
    await setWindow(0, at('11:59:00'))
    expect(await rowsCharged(ids.slice(0, 5), 'a')).toBe(5)
  })

  test('is forgotten once it is over, also one that a wrong clock opened in the future', async () => {
    await show(ids.slice(0, 2), 'old', { now: at('11:30:00') })
    await show(ids.slice(0, 2), 'open', { now: at('11:55:00') })
    await show(ids.slice(0, 2), 'future', { now: new Date('2027-01-01T00:00:00Z') })
    expect(await rowsCharged(ids.slice(0, 2), 'future')).toBe(2)
    await show(ids.slice(0, 2), 'other future', { now: new Date('2027-01-01T00:00:00Z') })
    await expireViewedPages(pool, new Date(noon))
    const { rows } = await pool.query('select page_hash from viewed_pages order by opened_at')
    expect(rows.map(({ page_hash }) => page_hash)).toEqual([pageOf('open'), pageOf('future')])
  })

  test('over the edge of a period is paid in the period in which it was seen first', async () => {
    const lastMoment = new Date('2026-11-30T23:59:30Z')
    await show(ids.slice(0, 3), 'a', { now: lastMoment })
    const ctx = contextOf({ now: new Date('2026-12-01T00:00:10Z') })
    const period = { start: new Date('2026-12-01T00:00:00Z'), end: new Date('2027-01-01T00:00:00Z') }
    const entitlement = { ...ctx.caller.entitlement, period }
    const inNextPeriod = { ...ctx, caller: { ...ctx.caller, entitlement } }
    const { rowsCharged, balance } = await deliverStores(inNextPeriod, ids.slice(0, 3), {
      limit: 3,
      viewedPage: pageOf('a'),
    })
    expect([rowsCharged, balance.search_rows]).toEqual([0, 25_000])
    expect(await charged()).toMatchObject({ rows: 3 })
  })
})
