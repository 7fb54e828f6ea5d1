import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json, TestReply } from '../../support/client.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([
    ...Array.from({ length: 30 }, (_, index) => ({
      domain: `shop-${index}.example`,
      name: `Shop ${index}`,
      country: index < 20 ? 'DE' : 'FR',
      lead_fit_score: 100 - index,
      ...(index === 0 && { aliases: ['first-shop.example'] }),
    })),
  ])
  await app.importContacts(
    Array.from({ length: 6 }, (_, index) => ({
      store_domain: `shop-${index % 3}.example`,
      first_name: `Person ${index}`,
      last_name: 'Listed',
      emails: [{ email: `person-${index}@mail.example`, status: 'verified', type: 'work' }],
    })),
  )
  key = await newKey()
})

const every = ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal', 'lists:manage'] as const
const newKey = (traits: Parameters<TestApp['key']>[0] = {}) =>
  app.key({ scopes: every, limits: { requests_per_minute: 100_000, requests_per_day: 1_000_000 }, ...traits })

let names = 0
async function newList(owner: TestKey, kind: 'stores' | 'contacts' = 'stores'): Promise<string> {
  const { status, body } = await owner.post('/lists', { name: `List ${++names}`, kind })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

function expectError(reply: TestReply, status: number, code: string, param?: string): void {
  expect([reply.status, reply.body.error?.code, reply.body.error?.param]).toEqual([status, code, param])
}

async function everyItem(owner: TestKey, list: string, limit = 100): Promise<Json[]> {
  const found: Json[] = []
  let cursor: string | null = null
  do {
    const { status, body }: TestReply = await owner.get(
      `/lists/${list}/items?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
    )
    expect(status).toBe(200)
    expect(body.data.length).toBeLessThanOrEqual(limit)
    found.push(...body.data)
    cursor = body.next_cursor
    expect(body.has_more).toBe(cursor !== null)
  } while (cursor)
  return found
}

const domainsOf = (items: Json[]): string[] => items.map((item) => item.domain)
const usageOf = async (owner: TestKey) => {
  const { search_rows, store_exports, contact_credits } = (await owner.get('/usage')).body
  return [search_rows.used, store_exports.used, contact_credits.used]
}

describe('a list', () => {
  test('is created, read, changed and deleted', async () => {
    const created = await key.post('/lists', { name: '  Spring  ', kind: 'stores', description: 'Shops to call' })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.stringMatching(/^lst_live_[A-Za-z]{16}$/),
      object: 'list_of_stores',
      name: 'Spring',
      kind: 'stores',
      description: 'Shops to call',
      items: 0,
      pending: 0,
      created_at: '2026-11-10T12:00:00.000Z',
      updated_at: '2026-11-10T12:00:00.000Z',
      request_id: created.headers.get('x-request-id'),
    })
    const { id, request_id: _, ...list } = created.body
    app.clock.advance(60_000)
    const changed = await key.patch(`/lists/${id}`, { name: 'Summer' })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ ...list, name: 'Summer', updated_at: '2026-11-10T12:01:00.000Z' })
    expect((await key.patch(`/lists/${id}`, { description: null })).body).toMatchObject({
      name: 'Summer',
      description: null,
    })
    expect((await key.get(`/lists/${id}`)).body).toMatchObject({ id, name: 'Summer', description: null })
    expect((await key.post('/lists', { name: 'Faces', kind: 'contacts' })).body).toMatchObject({
      object: 'list_of_contacts',
      kind: 'contacts',
      description: null,
    })
    const deleted = await key.delete(`/lists/${id}`)
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { object: 'deleted', id, request_id: deleted.headers.get('x-request-id') },
    ])
    for (const reply of [await key.get(`/lists/${id}`), await key.delete(`/lists/${id}`)])
      expectError(reply, 404, 'list_not_found', 'id')
  })

  test('lists come newest first, in pages, of one kind or of both', async () => {
    const owner = await newKey()
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      // Two of them at the same time.
      if (index !== 3) app.clock.advance(1_000)
      ids.unshift(await newList(owner, index % 2 === 0 ? 'stores' : 'contacts'))
    }
    const first = (await owner.get('/lists?limit=2')).body
    expect(first).toMatchObject({ object: 'list', has_more: true })
    const second = (await owner.get(`/lists?limit=2&cursor=${first.next_cursor}`)).body
    const third = (await owner.get(`/lists?limit=2&cursor=${second.next_cursor}`)).body
    expect([first, second, third].flatMap((page) => page.data.map(({ id }: { id: string }) => id))).toEqual(ids)
    expect(third).toMatchObject({ has_more: false, next_cursor: null })
    const contacts = (await owner.get('/lists?kind=contacts')).body
    expect(contacts.data.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[3]])
    expectError(await owner.get(`/lists?kind=contacts&cursor=${first.next_cursor}`), 400, 'invalid_cursor', 'cursor')
    expectError(await key.get(`/lists?cursor=${first.next_cursor}`), 400, 'invalid_cursor', 'cursor')
    expectError(await owner.get('/lists?limit=101'), 400, 'invalid_limit', 'limit')
  })

  test('has a name that no other list of the account has, whatever its case', async () => {
    const owner = await newKey()
    const test = await app.keyOf(owner.account, { scopes: every, mode: 'test' })
    const list = (await owner.post('/lists', { name: 'Übersicht', kind: 'stores' })).body.id
    for (const name of ['Übersicht', 'ÜBERSICHT', ' übersicht ', 'U\u0308bersicht'])
      expectError(await owner.post('/lists', { name, kind: 'contacts' }), 409, 'list_name_taken', 'name')
    const other = await newList(owner)
    expectError(await owner.patch(`/lists/${other}`, { name: 'übersicht' }), 409, 'list_name_taken', 'name')
    expect((await owner.patch(`/lists/${list}`, { name: 'ÜBERSICHT' })).body.name).toBe('ÜBERSICHT')
    expect((await key.post('/lists', { name: 'Übersicht', kind: 'stores' })).status).toBe(201)
    expect((await test.post('/lists', { name: 'Übersicht', kind: 'stores' })).status).toBe(201)
    await owner.delete(`/lists/${list}`)
    expect((await owner.post('/lists', { name: 'Übersicht', kind: 'stores' })).status).toBe(201)
  })

  test('belongs to one account and mode', async () => {
    const list = await newList(key)
    const others = [await newKey(), await app.keyOf(key.account, { scopes: every, mode: 'test' })]
    for (const other of others) {
      const replies = [
        await other.get(`/lists/${list}`),
        await other.patch(`/lists/${list}`, { name: 'Mine' }),
        await other.delete(`/lists/${list}`),
        await other.get(`/lists/${list}/items`),
        await other.post(`/lists/${list}/items`, { domains: ['shop-1.example'] }),
        await other.post(`/lists/${list}/items/remove`, { domains: ['shop-1.example'] }),
      ]
      for (const reply of replies) expectError(reply, 404, 'list_not_found', 'id')
    }
    for (const id of ['spring', 'lst_live_short', list.toUpperCase(), `${list}x`, 'st_live_KqWvTzHbNcRyLpXm'])
      expectError(await key.get(`/lists/${id}`), 400, 'invalid_list_id', 'id')
    expectError(await key.get('/lists/lst_live_KqWvTzHbNcRyLpXm'), 404, 'list_not_found', 'id')
  })

  test('a request with a fault is refused', async () => {
    const list = await newList(key)
    expectError(await key.post('/lists', { name: '', kind: 'stores' }), 400, 'invalid_request', 'name')
    expectError(await key.post('/lists', { name: ' \u0000 ', kind: 'stores' }), 400, 'invalid_request', 'name')
    expectError(await key.post('/lists', { name: 'x'.repeat(121), kind: 'stores' }), 400, 'invalid_request', 'name')
    expectError(await key.post('/lists', { name: 'Kind', kind: 'shops' }), 400, 'invalid_request', 'kind')
    expectError(await key.post('/lists', { name: 'Kind' }), 400, 'missing_parameter', 'kind')
    expectError(
      await key.post('/lists', { name: 'Long', kind: 'stores', description: 'x'.repeat(1_001) }),
      400,
      'invalid_request',
      'description',
    )
    expectError(await key.patch(`/lists/${list}`, {}), 400, 'missing_parameter', 'name')
    expectError(await key.patch(`/lists/${list}`, { kind: 'contacts' }), 400, 'unknown_parameter', 'kind')
  })

  test('an account has at most 200, exactly, whoever asks at once', async () => {
    const owner = await newKey()
    const { account } = owner
    const number = app.accountNumber(account)
    await app.db.query("insert into list_counts values ($1, 'live', 197)", [number])
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => owner.post('/lists', { name: `Race ${index}`, kind: 'stores' })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409])
    for (const reply of replies.filter(({ status }) => status === 409)) expectError(reply, 409, 'list_limit_reached')
    const created = replies.find(({ status }) => status === 201)!.body.id
    // A name that is taken uses nothing up, and a deleted list makes room.
    await owner.delete(`/lists/${created}`)
    const left = (await owner.get('/lists')).body.data[0].name
    expectError(await owner.post('/lists', { name: left, kind: 'stores' }), 409, 'list_name_taken', 'name')
    expect((await owner.post('/lists', { name: 'Again', kind: 'stores' })).status).toBe(201)
    expectError(await owner.post('/lists', { name: 'More', kind: 'stores' }), 409, 'list_limit_reached')
  })

  test('of requests for the same name at once, one gets it', async () => {
    const owner = await newKey()
    const created = await Promise.all(
      ['Same', 'SAME', 'same', 'sAme'].map((name) => owner.post('/lists', { name, kind: 'stores' })),
    )
    expect(created.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    const [one, two] = [await newList(owner), await newList(owner)]
    const renamed = await Promise.all([one, two].map((id) => owner.patch(`/lists/${id}`, { name: 'Wanted' })))
    expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409])
    const { rows } = await app.db.query('select lists from list_counts where account_id = $1', [
      app.accountNumber(owner.account),
    ])
    expect(rows).toEqual([{ lists: 3 }])
  })
})

describe('items', () => {
  test('stores are added by domain, URL, alias and id, each once, and cost nothing', async () => {
    const before = await usageOf(key)
    const [first] = (await key.post('/stores/search', { filters: {}, limit: 1 })).body.data
    const spent = await usageOf(key)
    expect(spent).not.toEqual(before)
    const list = await newList(key)
    const added = await key.post(`/lists/${list}/items`, {
      domains: [
        'https://www.shop-1.example/about',
        'SHOP-1.example',
        'first-shop.example',
        ' https://WWW.Unheard-of.example/shop',
      ],
      store_ids: [first.id, 'st_live_KqWvTzHbNcRyLpXm', first.id.replace('live', 'test')],
    })
    expect(added.status).toBe(200)
    expect(added.body).toEqual({
      added: 2,
      already: 0,
      unknown: ['unheard-of.example', 'st_live_KqWvTzHbNcRyLpXm', first.id.replace('live', 'test')],
      items: 2,
      pending: 1,
      request_id: added.headers.get('x-request-id'),
    })
    app.clock.advance(1_000)
    const again = await key.post(`/lists/${list}/items`, {
      domains: ['shop-1.example', 'shop-2.example', 'unheard-of.example'],
    })
    expect(again.body).toMatchObject({ added: 1, already: 1, unknown: ['unheard-of.example'], items: 3, pending: 1 })
    const items = await everyItem(key, list)
    expect(domainsOf(items)).toEqual(['shop-2.example', 'shop-1.example', 'shop-0.example', 'unheard-of.example'])
    expect(items[2]).toEqual({
      store_id: first.id,
      domain: 'shop-0.example',
      name: 'Shop 0',
      pending: false,
      added_at: items[1].added_at,
    })
    expect(items[3]).toMatchObject({ store_id: null, name: null, pending: true })
    expect((await key.get(`/lists/${list}`)).body).toMatchObject({
      items: 3,
      pending: 1,
      updated_at: items[0].added_at,
    })
    const removed = await key.post(`/lists/${list}/items/remove`, {
      domains: ['first-shop.example', 'shop-0.example', 'unheard-of.example', 'shop-9.example', 'nowhere.example'],
      store_ids: [first.id],
    })
    expect(removed.body).toEqual({
      removed: 2,
      absent: 2,
      items: 2,
      pending: 0,
      request_id: removed.headers.get('x-request-id'),
    })
    expect(domainsOf(await everyItem(key, list))).toEqual(['shop-2.example', 'shop-1.example'])
    expect(await usageOf(key)).toEqual(spent)
  })

  test('contacts are added by id, and show no more than parts of their names', async () => {
    const list = await newList(key, 'contacts')
    const found = (await key.post('/contacts/search', { max_contacts_per_store: 2, limit: 6 })).body.data
    const ids = found.map(({ id }: { id: string }) => id)
    const sent = { contact_ids: [...ids, ids[0], 'ct_live_KqWvTzHbNcRyLpXm'] }
    expect((await key.post(`/lists/${list}/items`, sent)).body).toMatchObject({
      added: 6,
      already: 0,
      unknown: ['ct_live_KqWvTzHbNcRyLpXm'],
      items: 6,
      pending: 0,
    })
    const items = await everyItem(key, list)
    expect(items).toHaveLength(6)
    const preview = found.find(({ id }: { id: string }) => id === items[0].contact_id)
    expect(items[0]).toEqual({
      contact_id: preview.id,
      first_name: preview.first_name,
      last_name_obfuscated: 'L***',
      store_id: preview.store.id,
      domain: preview.store.domain,
      added_at: expect.any(String),
    })
    expect(
      (await key.post(`/lists/${list}/items/remove`, { contact_ids: [ids[0], 'ct_live_KqWvTzHbNcRyLpXm', ids[0]] }))
        .body,
    ).toMatchObject({ removed: 1, absent: 1, items: 5 })
  })

  test('what can be no domain and no id is refused with its place, and nothing changes', async () => {
    const [stores, contacts] = [await newList(key), await newList(key, 'contacts')]
    const id = 'st_live_KqWvTzHbNcRyLpXm'
    const cases: [string, object, string, string][] = [
      [stores, { domains: ['shop-1.example', 'nonsense', 'localhost'] }, 'invalid_domain', 'domains[1]'],
      [stores, { domains: ['shop-1.example', ''] }, 'invalid_domain', 'domains[1]'],
      [stores, { domains: ['mailto:mara@shop-1.example'] }, 'invalid_domain', 'domains[0]'],
      [stores, { domains: ['shop-1.example'], store_ids: [id, 'x'] }, 'invalid_store_id', 'store_ids[1]'],
      [stores, { store_ids: ['ct_live_KqWvTzHbNcRyLpXm'] }, 'invalid_store_id', 'store_ids[0]'],
      [stores, { store_ids: [`${id}\n`] }, 'invalid_store_id', 'store_ids[0]'],
      [contacts, { contact_ids: ['ct_live_KqWvTzHbNcRyLpXm', id, ''] }, 'invalid_contact_id', 'contact_ids[1]'],
    ]
    for (const [list, body, code, param] of cases)
      for (const path of [`/lists/${list}/items`, `/lists/${list}/items/remove`]) {
        const reply = await key.post(path, body)
        expect([reply.status, reply.body.error.code, reply.body.error.param], JSON.stringify(body)).toEqual([
          400,
          code,
          param,
        ])
      }
    const many = await key.post(`/lists/${stores}/items`, { store_ids: Array(1_000).fill('x') })
    expect(many.body.error.message).toMatch(/store_ids\[9\] and 990 more are not ids of a store: st_live_ or st_test_/)
    const domains = await key.post(`/lists/${stores}/items`, { domains: Array(1_000).fill('x') })
    expect(domains.body.error.message).toMatch(/domains\[24\] and 975 more are not domains or a URL with one\.$/)
    for (const list of [stores, contacts])
      expect((await key.get(`/lists/${list}`)).body).toMatchObject({ items: 0, pending: 0 })
  })

  test('the first results of a search are added at a search row each, by a key that may run it', async () => {
    const stores = await newList(key)
    const contacts = await newList(key, 'contacts')
    const spent = await usageOf(key)
    const german = { from: { filters: { countries: ['DE'] } } }
    expect((await key.post(`/lists/${stores}/items`, { ...german, max: 7 })).body).toMatchObject({
      added: 7,
      unknown: [],
      items: 7,
    })
    expect(new Set(domainsOf(await everyItem(key, stores)))).toEqual(
      new Set(Array.from({ length: 7 }, (_, index) => `shop-${index}.example`)),
    )
    expect((await key.post(`/lists/${stores}/items`, { ...german, max: 10_000 })).body).toMatchObject({
      added: 13,
      already: 7,
      items: 20,
    })
    expect((await key.post(`/lists/${stores}/items/remove`, { ...german, max: 5 })).body).toMatchObject({
      removed: 5,
      absent: 0,
      items: 15,
    })
    const rest = await newList(key)
    const others = { from: { filters: { countries: ['DE'] }, exclude: { lists: [stores] } }, max: 100 }
    expect((await key.post(`/lists/${rest}/items`, others)).body).toMatchObject({ added: 5, already: 0 })
    const atFirst = { person: {}, store: { domains: ['first-shop.example'] }, max_contacts_per_store: 10 }
    expect((await key.post(`/lists/${contacts}/items`, { from: atFirst, max: 10 })).body).toMatchObject({ added: 2 })
    expect((await key.post(`/lists/${contacts}/items`, { from: {}, max: 10 })).body).toMatchObject({
      added: 2,
      already: 1,
    })
    const [rows, ...otherMeters] = spent
    expect(await usageOf(key)).toEqual([rows! + 7 + 13 + 5 + 2 + 2, ...otherMeters])
    const narrow = await app.keyOf(key.account, { scopes: ['lists:manage'] })
    const refused = [
      [stores, { ...german, max: 1 }, 'stores:read'],
      [contacts, { from: {}, max: 1 }, 'contacts:search'],
    ] as const
    for (const [list, body, scope] of refused)
      expectError(await narrow.post(`/lists/${list}/items`, body), 403, 'insufficient_scope', scope)
    expect((await narrow.post(`/lists/${stores}/items`, { domains: ['shop-29.example'] })).body.added).toBe(1)
  })

  test('a request with a fault changes nothing', async () => {
    const stores = await newList(key)
    const contacts = await newList(key, 'contacts')
    const many = Array.from({ length: 1_001 }, (_, index) => `many-${index}.example`)
    const faults: [string, object, string, string][] = [
      [stores, {}, 'missing_parameter', 'domains'],
      [contacts, {}, 'missing_parameter', 'domains'],
      [stores, { domains: many }, 'invalid_request', 'domains'],
      [contacts, { contact_ids: many }, 'invalid_request', 'contact_ids'],
      [stores, { domains: ['shop-1.example'], contact_ids: [] }, 'invalid_request', 'contact_ids'],
      [contacts, { domains: ['shop-1.example'] }, 'invalid_request', 'domains'],
      [contacts, { store_ids: [] }, 'invalid_request', 'store_ids'],
      [stores, { from: { filters: {} } }, 'missing_parameter', 'max'],
      [stores, { max: 10 }, 'missing_parameter', 'from'],
      [stores, { from: { filters: {} }, max: 10_001 }, 'invalid_request', 'max'],
      [stores, { from: { filters: {} }, max: 1, domains: [] }, 'invalid_request', 'from'],
      [stores, { from: {}, max: 1 }, 'missing_parameter', 'from.filters'],
      [stores, { from: { filters: {}, person: {} }, max: 1 }, 'invalid_request', 'from.person'],
      [contacts, { from: { filters: {} }, max: 1 }, 'invalid_request', 'from.filters'],
      [stores, { from: { filters: {}, limit: 5 }, max: 1 }, 'unknown_parameter', 'from.limit'],
      [
        stores,
        { from: { filters: { countries: ['Utopia'] } }, max: 1 },
        'invalid_filter_value',
        'from.filters.countries[0]',
      ],
      [contacts, { from: { store: { domains: ['no domain'] } }, max: 1 }, 'invalid_domain', 'from.store.domains[0]'],
    ]
    for (const [list, body, code, param] of faults)
      for (const path of ['items', 'items/remove'])
        expectError(await key.post(`/lists/${list}/${path}`, body), 400, code, param)
    for (const list of [stores, contacts])
      expect((await key.get(`/lists/${list}`)).body).toMatchObject({ items: 0, pending: 0 })
  })

  test('pages hold every item once, newest first, also of those that were added at the same time', async () => {
    const list = await newList(key)
    for (const group of [0, 1, 2]) {
      app.clock.advance(1_000)
      const numbers = Array.from({ length: 8 }, (_, index) => group * 8 + index)
      await key.post(`/lists/${list}/items`, {
        domains: numbers.map((number) => (number % 2 === 0 ? `shop-${number}.example` : `new-${number}.example`)),
      })
    }
    const whole = await everyItem(key, list)
    expect(whole).toHaveLength(24)
    expect(whole.map(({ added_at }) => added_at)).toEqual(
      whole
        .map(({ added_at }) => added_at)
        .sort()
        .reverse(),
    )
    for (const limit of [1, 3, 5, 7]) expect(await everyItem(key, list, limit)).toEqual(whole)
    const other = await newList(key)
    const { next_cursor } = (await key.get(`/lists/${list}/items?limit=3`)).body
    expectError(await key.get(`/lists/${other}/items?cursor=${next_cursor}`), 400, 'invalid_cursor', 'cursor')
  })

  test('a list has at most 100,000 items and pending domains, exactly, whoever adds at once', async () => {
    const list = await newList(key)
    const { rows } = await app.db.query<{ id: number }>(
      'update lists set items = 99990, pending = 5 where account_id = $1 and id = (select max(id) from lists) returning id',
      [app.accountNumber(key.account)],
    )
    const replies = await Promise.all(
      [0, 2, 4, 6].map((from) =>
        key.post(`/lists/${list}/items`, { domains: [`shop-${from}.example`, `waits-${from}.example`] }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409])
    for (const reply of replies.filter(({ status }) => status === 409)) expectError(reply, 409, 'list_limit_reached')
    expect((await key.get(`/lists/${list}`)).body).toMatchObject({ items: 99_992, pending: 7 })
    expect(await everyItem(key, list)).toHaveLength(4)
    // What the list has already fits, and removing makes room.
    const [kept] = await everyItem(key, list)
    expect((await key.post(`/lists/${list}/items`, { domains: [kept.domain] })).body.already).toBe(1)
    expect((await key.post(`/lists/${list}/items`, { domains: ['shop-20.example'] })).status).toBe(200)
    expectError(await key.post(`/lists/${list}/items`, { domains: ['late.example'] }), 409, 'list_limit_reached')
    await key.post(`/lists/${list}/items/remove`, { domains: [kept.domain] })
    expect((await key.post(`/lists/${list}/items`, { domains: ['late.example'] })).status).toBe(200)
    await app.db.query('delete from lists where id = $1', [rows[0]!.id])
  })

  test('what several requests add at once is counted once', async () => {
    const list = await newList(key)
    const domains = Array.from({ length: 20 }, (_, index) => `shop-${index}.example`)
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, (_, index) =>
        key.post(`/lists/${list}/items`, { domains: [...domains.slice(index * 3), 'together.example'] }),
      ),
      key.post(`/lists/${list}/items`, { from: { filters: { countries: ['DE'] } }, max: 10 }),
    ])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const added = replies.reduce((sum, { body }) => sum + body.added, 0)
    const already = replies.reduce((sum, { body }) => sum + body.already, 0)
    expect([added, already]).toEqual([20, 20 + 17 + 14 + 11 + 10 - 20])
    expect((await key.get(`/lists/${list}`)).body).toMatchObject({ items: 20, pending: 1 })
    const removals = await Promise.all(
      Array.from({ length: 3 }, () => key.post(`/lists/${list}/items/remove`, { domains: domains.slice(0, 12) })),
    )
    expect(removals.map(({ body }) => body.removed).sort((a, b) => a - b)).toEqual([0, 0, 12])
  })

  test('nothing is left of a list that is deleted while requests add to it', async () => {
    const { rows: before } = await app.db.query('select count(*) as n from list_stores')
    for (let round = 0; round < 5; round++) {
      const list = await newList(key)
      const replies = await Promise.all([
        key.post(`/lists/${list}/items`, { domains: ['shop-1.example', 'deleted-1.example'] }),
        key.delete(`/lists/${list}`),
        key.post(`/lists/${list}/items`, { domains: ['shop-2.example', 'deleted-2.example'] }),
        key.delete(`/lists/${list}`),
      ])
      expect(replies.map(({ status }) => status).every((status) => status === 200 || status === 404)).toBe(true)
      expect([replies[1]!.status, replies[3]!.status].sort()).toEqual([200, 404])
    }
    expect((await app.db.query('select count(*) as n from list_stores')).rows).toEqual(before)
    expect((await app.db.query("select from list_pending where host like 'deleted-%'")).rows).toEqual([])
  })
})
