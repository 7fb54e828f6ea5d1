import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestClient } from '../../support/client.ts'
import { addPeople, reveal, startSecondServer } from '../contacts/support/reveals.ts'
import {
  addMembers,
  contactIds,
  domainOf,
  everybody,
  fillShops,
  generous,
  namesIn,
  searchContacts,
  searchStores,
  shopCount,
  shopsIn,
  storeIds,
  writeList,
} from './support/shops.ts'

let app: TestApp
let ids: Record<string, string>
let stores: number[]
let otherServer: (key: TestKey) => TestClient
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await fillShops(app)
  ids = await contactIds(await app.key({ limits: generous }))
  stores = await storeIds(app)
  otherServer = await startSecondServer(app)
})

const shops = Array.from({ length: shopCount }, (_, shop) => shop)
const shopsWithout = (without: (shop: number) => boolean) => shops.filter((shop) => !without(shop))
const keyOf = (name: string): number => app.deps.ids.open(ids[name]!)!.value
const lookUp = (by: TestClient, shop: number) => by.get(`/stores/${domainOf(shop)}`)
const used = async (key: TestKey) => {
  const { body } = await key.get('/usage')
  return { exports: body.store_exports.used, rows: body.search_rows.used, credits: body.contact_credits.used }
}

describe('exported', () => {
  test('leaves out the stores of this period, which cost nothing, and fills pages with others', async () => {
    const key = await app.key({ limits: generous })
    for (const shop of [0, 1, 3]) await lookUp(key, shop)
    const reply = await searchStores(key, { exclude: { exported: true }, limit: 4 })
    expect(shopsIn(reply)).toEqual([2, 4, 5, 6])
    expect(await used(key)).toEqual({ exports: 7, rows: 4, credits: 0 })
    // What the page delivered is not in the next search.
    expect(shopsIn(await searchStores(key, { exclude: { exported: true }, limit: 4 }))).toEqual([7, 8, 9, 10])
    const people = await searchContacts(key, { exclude: { exported: true }, limit: 100 })
    expect(namesIn(people)).toEqual(everybody().flatMap(({ shop, name }) => (shop > 10 ? [name] : [])))
  })

  test('counts from before the first page: a store that a page cuts goes on, and a walk sees every store once', async () => {
    for (const limit of [1, 2, 5]) {
      const key = await app.key({ limits: generous })
      await lookUp(key, 3)
      const names: string[] = []
      let cursor: string | null = null
      do {
        const reply = await searchContacts(key, { exclude: { exported: true }, limit, cursor })
        names.push(...namesIn(reply))
        cursor = reply.body.next_cursor
        if (cursor) expect(reply.body.data).toHaveLength(limit)
        // Deliveries of others in the meantime change nothing either.
        app.clock.advance(1)
        await lookUp(otherServer(key), (names.length * 5) % shopCount)
      } while (cursor)
      expect(names).toEqual(everybody().flatMap(({ shop, name }) => (shop === 3 ? [] : [name])))
    }
  })

  test('ends with the period; a walk that lasts into the next one goes on as it began', async () => {
    const key = await app.key({ limits: generous, periodStart: '2026-11-10T12:00:00.000Z' })
    const now = app.clock.now()
    app.clock.set('2026-12-10T11:59:00.000Z')
    for (const shop of [1, 5]) await lookUp(key, shop)
    app.clock.advance(1_000)
    const exclude = { exported: true }
    const first = await searchStores(key, { exclude, limit: 3 })
    expect(shopsIn(first)).toEqual([0, 2, 3])
    app.clock.set('2026-12-10T12:00:00.000Z')
    const next = await searchStores(key, { exclude, limit: 3, cursor: first.body.next_cursor })
    expect(shopsIn(next)).toEqual([4, 6, 7])
    expect(shopsIn(await searchStores(key, { exclude, limit: 6 }))).toEqual([0, 1, 2, 3, 5, 8])
    app.clock.set(now)
  })
})

describe('revealed', () => {
  test('leaves out the contacts, before the cut of max_contacts_per_store, and stores with one of them', async () => {
    const key = await app.key({ limits: generous })
    await reveal(key, [ids['P3-0'], ids['P1-0'], ids['P7-2']])
    const exclude = { revealed: true }
    const oneEach = await searchContacts(key, { exclude, max_contacts_per_store: 1, limit: 100 })
    const left = everybody(1).filter(({ shop }) => shop !== 1)
    expect(namesIn(oneEach)).toEqual(left.map(({ name }) => (name === 'P3-0' ? 'P3-1' : name)))
    expect(shopsIn(await searchStores(key, { exclude, limit: 100 }))).toEqual(
      shopsWithout((shop) => [1, 3, 7].includes(shop)),
    )
  })

  test('counts from before the first page, so what is revealed on the way neither vanishes nor shifts the cut', async () => {
    const key = await app.key({ limits: generous })
    await reveal(key, [ids['P3-1']])
    app.clock.advance(1)
    const query = { exclude: { revealed: true }, max_contacts_per_store: 2, limit: 2 }
    const expected = everybody()
      .filter(({ name }) => name !== 'P3-1')
      .filter(({ shop }, at, all) => all.slice(0, at).filter((other) => other.shop === shop).length < 2)
      .map(({ name }) => name)
    const names: string[] = []
    let cursor: string | null = null
    do {
      const reply = await searchContacts(key, { ...query, cursor })
      names.push(...namesIn(reply))
      cursor = reply.body.next_cursor
      app.clock.advance(1)
      await reveal(otherServer(key), [reply.body.data.at(-1).id, ids['P15-2']])
    } while (cursor)
    expect(names).toEqual(expected)
  })

  test('still fills pages when the people of many stores are left out', async () => {
    const key = await app.key({ limits: generous })
    const early = everybody().filter(({ shop }) => shop < 20)
    for (let at = 0; at < early.length; at += 10) {
      const names = early.slice(at, at + 10).map(({ name }) => ids[name]!)
      expect((await reveal(key, names)).status).toBe(200)
    }
    const late = everybody().filter(({ shop }) => shop >= 20)
    const reply = await searchContacts(key, { exclude: { revealed: true }, limit: 2 })
    expect(namesIn(reply)).toEqual(late.slice(0, 2).map(({ name }) => name))
    const rest = await searchContacts(key, {
      ...{ exclude: { revealed: true }, limit: 100, cursor: reply.body.next_cursor },
    })
    expect(namesIn(rest)).toEqual(late.slice(2).map(({ name }) => name))
  })
})

describe('lists', () => {
  test('of stores leave their stores out of both searches, those of contacts the people, or their stores', async () => {
    const key = await app.key({ limits: generous })
    const ofStores = await writeList(app, key, { stores: [stores[1]!, stores[2]!, stores[7]!] })
    const ofContacts = await writeList(app, key, { contacts: [keyOf('P3-1'), keyOf('P7-0'), keyOf('P6-0')] })
    const exclude = { lists: [ofStores, ofContacts] }
    expect(shopsIn(await searchStores(key, { exclude, limit: 100 }))).toEqual(
      shopsWithout((shop) => [1, 2, 7, 3, 6].includes(shop)),
    )
    expect(namesIn(await searchContacts(key, { exclude, limit: 100 }))).toEqual(
      everybody().flatMap(({ shop, name }) => ([1, 2, 7].includes(shop) || /^P(3-1|6-0)$/.test(name) ? [] : [name])),
    )
  })

  test('are excluded as they are now, whichever server changes them', async () => {
    const key = await app.key({ limits: generous })
    const list = await writeList(app, key, { stores: [stores[0]!] })
    const { value: id } = app.deps.ids.open(list)!
    const search = async () => shopsIn(await searchStores(key, { exclude: { lists: [list] }, limit: 2 }))
    expect(await search()).toEqual([1, 2])
    await addMembers(app, key, { id, kind: 'stores', members: [stores[1]!] })
    await app.db.query('update lists set items = items + 1 where id = $1', [id])
    expect(await search()).toEqual([2, 3])
    await app.db.query('delete from list_stores where list_id = $1 and store_id = $2', [id, stores[0]])
    app.clock.advance(1)
    await app.db.query('update lists set items = items - 1, updated_at = $2 where id = $1', [id, app.clock.now()])
    expect(await search()).toEqual([0, 2])
  })

  test('that the account does not have are refused with their place: deleted, of the other mode, of others', async () => {
    const key = await app.key({ limits: generous })
    const mine = await writeList(app, key, {})
    const foreign = await writeList(app, await app.key({}), {})
    const { value } = app.deps.ids.open(mine)!
    const sandbox = await app.keyOf(key.account, { mode: 'test' })
    for (const unknown of [foreign, app.deps.ids.seal('list', value, 'test'), `lst_live_${'A'.repeat(16)}`])
      for (const search of [searchStores, searchContacts]) {
        const reply = await search(key, { exclude: { lists: [mine, unknown] } })
        expect(reply.body.error).toMatchObject({ code: 'list_not_found', param: 'exclude.lists[1]' })
        expect(reply.status).toBe(404)
      }
    expect((await searchStores(sandbox, { exclude: { lists: [mine] } })).status).toBe(404)
    await searchStores(key, { exclude: { lists: [mine] } })
    await app.db.query('delete from lists where id = $1', [value])
    expect((await searchStores(key, { exclude: { lists: [mine] } })).body.error.param).toBe('exclude.lists[0]')
  })

  test.each([
    [{ lists: ['lst_live_short'] }, 'invalid_list_id', 'exclude.lists[0]'],
    [{ lists: Array.from({ length: 11 }, () => `lst_live_${'A'.repeat(16)}`) }, 'invalid_request', 'exclude.lists'],
    [{ exported: false }, 'invalid_request', 'exclude.exported'],
    [{ everything: true }, 'unknown_parameter', 'exclude.everything'],
  ])('an exclusion like %j is refused', async (exclude, code, param) => {
    const key = await app.key({})
    for (const search of [searchStores, searchContacts]) {
      const reply = await search(key, { exclude })
      expect(reply.body.error).toMatchObject({ code, param })
      expect(reply.status).toBe(400)
    }
  })
})

describe('an exclusion', () => {
  test('is part of the query: a cursor goes on only with the same one, however it is written', async () => {
    const key = await app.key({ limits: generous })
    const [a, b] = [await writeList(app, key, {}), await writeList(app, key, {})]
    const first = await searchStores(key, { exclude: { exported: true, lists: [a, b] }, limit: 2 })
    const goOn = (exclude?: object) =>
      searchStores(key, { ...(exclude && { exclude }), limit: 2, cursor: first.body.next_cursor })
    expect(shopsIn(await goOn({ lists: [b, a, b], exported: true }))).toEqual([2, 3])
    for (const other of [undefined, {}, { exported: true }, { exported: true, revealed: true, lists: [a, b] }])
      expect((await goOn(other)).body.error.code).toBe('invalid_cursor')
    const plain = await searchStores(key, { exclude: {}, limit: 2 })
    expect(shopsIn(await searchStores(key, { limit: 2, cursor: plain.body.next_cursor }))).toEqual([2, 3])
  })

  test('does not narrow a search', async () => {
    const bounded = await startTestApp({
      now: '2026-11-10T12:00:00.000Z',
      plans: { search: { max_rows_walked: 10_000, max_rows_walked_unfiltered: 2 } },
    })
    await fillShops(bounded)
    const key = await bounded.key({})
    const first = await searchStores(key, { exclude: { exported: true }, limit: 2 })
    expect(first.body).toMatchObject({ has_more: false, next_cursor: null })
    expect(first.headers.get('x-search-end')).toMatch(/^This search has returned 2 rows/)
  })

  test('of a test key is of what test keys were given', async () => {
    const key = await app.key({ limits: generous })
    const sandbox = await app.keyOf(key.account, { mode: 'test' })
    const exclude = { exported: true }
    await addPeople(app, 'test')
    await app.searchFollows()
    await searchStores(key, { limit: 5 })
    const found = async (by: TestKey) => (await searchStores(by, { exclude, limit: 1 })).body.data.length
    // By another key of the account and mode it was exported, too.
    expect([await found(sandbox), await found(await app.keyOf(key.account, { mode: 'test' }))]).toEqual([1, 0])
    expect(shopsIn(await searchStores(key, { exclude, limit: 2 }))).toEqual([5, 6])
  })

  test('holds for people of the console too', async () => {
    const person = await app.person()
    const account = person.account
    const key = await app.keyOf(account, {})
    await lookUp(key, 0)
    const path = `/accounts/${account}/stores/search`
    const reply = await person.post(path, { filters: {}, exclude: { exported: true }, limit: 2 })
    expect(shopsIn(reply)).toEqual([1, 2])
    const unknown = await person.post(path, { filters: {}, exclude: { lists: [`lst_live_${'A'.repeat(16)}`] } })
    expect(unknown.body.error.code).toBe('list_not_found')
  })
})

describe('on several servers', () => {
  test('what one delivers or reveals is left out by the next request to another', async () => {
    const [key, revealer] = [await app.key({ limits: generous }), await app.key({ limits: generous })]
    const names = everybody().map(({ name }) => name)
    for (let turn = 0; turn < 6; turn++) {
      const [here, there] = turn % 2 ? [key, otherServer(key)] : [otherServer(key), key]
      expect(shopsIn(await searchStores(here, { exclude: { exported: true }, limit: 1 }))).toEqual([2 * turn])
      expect(shopsIn(await searchStores(there, { exclude: { exported: true }, limit: 1 }))).toEqual([2 * turn + 1])
      await reveal(turn % 2 ? revealer : otherServer(revealer), [ids[names[turn]!]])
      const left = await searchContacts(turn % 2 ? otherServer(revealer) : revealer, {
        ...{ exclude: { revealed: true }, limit: 1 },
      })
      expect(namesIn(left)).toEqual([names[turn + 1]])
    }
  })

  test('with clocks that differ, nothing is found twice and a store that a page cuts goes on', async () => {
    const behind = await startSecondServer(app, {}, { now: () => new Date(app.clock.now().getTime() - 5_000) })
    const key = await app.key({ limits: generous, periodStart: '2026-11-01T00:00:00.000Z' })
    const names: string[] = []
    await lookUp(key, 2)
    let cursor: string | null = null
    for (let page = 0; page === 0 || cursor; page++) {
      const server = page % 2 === 0 ? behind(key) : key
      const reply = await searchContacts(server, { exclude: { exported: true }, limit: 2, cursor })
      names.push(...namesIn(reply))
      cursor = reply.body.next_cursor
      app.clock.advance(100)
    }
    expect(names).toEqual(everybody().flatMap(({ shop, name }) => (shop === 2 ? [] : [name])))
    expect(namesIn(await searchContacts(behind(key), { exclude: { exported: true } }))).toEqual([])
  })

  test('searches at once, with and without the index in memory, exclude what was committed before', async () => {
    const key = await app.key({ limits: generous })
    await Promise.all(shops.map((shop) => lookUp(shop % 2 ? key : otherServer(key), shop)))
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        searchStores(at % 2 ? key : otherServer(key), { exclude: { exported: true } }),
      ),
    )
    for (const reply of replies) expect(shopsIn(reply)).toEqual([])
  })
})
