import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { hashQuotedBody } from '../../../src/foundation/kernel/quote.ts'
import { pruneFiles } from '../../../src/product/exports/expire.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { download, endOf, findUnsound, linesOf, run } from './support.ts'

const count = 60
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores(
    Array.from({ length: count }, (_, i) => ({
      domain: `shop-${i}.example`,
      name: `Shop ${i}`,
      country: i % 2 === 0 ? 'DE' : 'FR',
      ...(i % 7 === 0 ? {} : { lead_fit_score: i % 5 }),
    })),
  )
  // Two people at each of the first thirty stores; every fifth store's second person has no channel.
  await app.importContacts(
    Array.from({ length: 60 }, (_, i) => ({
      store_domain: `shop-${i >> 1}.example`,
      first_name: `Name ${i}`,
      last_name: `Family ${i}`,
      seniority: i % 2 === 0 ? 'executive' : 'other',
      ...(i % 10 === 1 ? {} : { emails: [{ email: `p${i}@shop-${i >> 1}.example`, status: 'verified' }] }),
    })),
  )
})

const allScopes = ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal', 'exports:manage'] as const
const newKey = (limits = {}) =>
  app.key({ scopes: allScopes, limits: { requests_per_minute: 100_000, requests_per_day: 100_000, ...limits } })
const stores = { kind: 'stores', filters: {}, format: 'ndjson', max_rows: 1000 }
const contacts = { kind: 'contacts', format: 'ndjson', max_rows: 1000, max_credits: 1000 }
const usageOf = async (key: TestKey) => (await key.get('/usage')).body

describe('an export', () => {
  test('of stores has the rows of a search in its order, and costs each store once and no search rows', async () => {
    const key = await newKey()
    const created = await key.post('/exports', { ...stores, filters: { countries: ['DE'] } })
    expect(created).toMatchObject({ status: 201, body: { status: 'queued', file: null, stopped_by: null } })
    const ended = await endOf(key, created.body.id)
    const cost = { store_exports: 30, contact_credits: 0 }
    expect(ended).toMatchObject({ status: 'ready', stopped_by: 'end', progress: { rows: 30, of: 30 }, cost })
    const file = await download(app, key, created.body.id)
    expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(ended.file!.sha256)
    const found = await key.post('/stores/search', { filters: { countries: ['DE'] }, limit: 100 })
    expect(linesOf(file.text)).toEqual(found.body.data)
    expect(await usageOf(key)).toMatchObject({
      store_exports: { used: 30, reserved: 0 },
      search_rows: { used: 30 },
      contact_credits: { used: 0 },
    })
    // The same again is free: the stores were exported in this period.
    expect(await run(key, stores)).toMatchObject({ cost: { store_exports: 30 }, progress: { rows: count } })
    expect(await run(key, stores)).toMatchObject({ cost: { store_exports: 0 }, progress: { rows: count } })
    const spent = await app.db.query('select distinct request_id from ledger where account_id = $1 and meter = $2', [
      app.accountNumber(key.account),
      'store_exports',
    ])
    expect(spent.rows).toContainEqual({ request_id: created.body.request_id })
  })

  test('of previews is what a contact search gives, and of contacts what a reveal gives', async () => {
    const key = await newKey()
    const previews = await run(key, { kind: 'previews', format: 'ndjson', max_rows: 1000, max_contacts_per_store: 1 })
    expect(previews).toMatchObject({ status: 'ready', cost: { store_exports: 30, contact_credits: 0 } })
    const found = (await key.post('/contacts/search', { limit: 100 })).body.data
    expect(linesOf((await download(app, key, previews.id)).text)).toEqual(found)

    const [first] = found
    const revealed = (await key.post('/contacts/reveal', { contact_ids: [first.id] })).body.data[0]
    const ended = await run(key, contacts)
    expect(ended).toMatchObject({ stopped_by: 'end', progress: { rows: 54 }, cost: { contact_credits: 53 } })
    const rows = linesOf((await download(app, key, ended.id)).text)
    expect(rows.find(({ id }) => id === first.id)).toEqual({
      ...revealed,
      reveal_status: 'already_revealed',
      charged: false,
    })
    expect(rows.filter(({ charged }) => charged)).toHaveLength(53)
    expect(rows.every(({ emails }) => emails.length === 1)).toBe(true)
    const again = linesOf((await download(app, key, (await run(key, { ...contacts, max_credits: 0 })).id)).text)
    expect(again.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    // Nothing about a person is readable in the database.
    const { rows: sealed } = await app.db.query(
      "select from export_chunks where position('@shop-'::bytea in bytes) > 0",
    )
    expect(sealed).toEqual([])
  })

  test.each([
    ['rows', { max_rows: 7 }, {}, { stopped_by: 'max_rows', progress: { rows: 7, of: 7 } }],
    ['credits that it may spend', { max_credits: 5 }, {}, { stopped_by: 'max_credits', cost: { contact_credits: 5 } }],
    ['credits', {}, { contact_credits: 4 }, { stopped_by: 'credits', cost: { contact_credits: 4 } }],
    ['store exports', {}, { store_exports: 3 }, { stopped_by: 'exports', cost: { store_exports: 3 } }],
    ['anything left', {}, { contact_credits: 0 }, { stopped_by: 'credits', progress: { rows: 0 } }],
  ])('stops at the end of its %s, with what was paid', async (_what, request, limits, expected) => {
    const key = await newKey(limits)
    const ended = await run(key, { ...contacts, ...request })
    expect(ended).toMatchObject({ status: 'ready', ...expected })
    const { text } = await download(app, key, ended.id)
    expect(linesOf(text)).toHaveLength(ended.progress.rows)
    const usage = await usageOf(key)
    expect(usage.contact_credits.used).toBe(ended.cost.contact_credits)
    expect(usage.store_exports).toMatchObject({ used: ended.cost.store_exports, reserved: 0 })
  })

  test('without rows is a file with a header, also in gzip', async () => {
    const key = await newKey({ store_exports: 0 })
    const ended = await run(key, { ...stores, format: 'csv', columns: ['domain', 'name'], gzip: true })
    expect(ended).toMatchObject({ status: 'ready', stopped_by: 'exports', file: { rows: 0 } })
    const file = await download(app, key, ended.id)
    expect(gunzipSync(file.bytes).toString()).toBe('domain,name\r\n')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="storedex-stores-2026-11-10.csv.gz"')
  })

  test('runs alone in its account: others queue, twenty at most, and a canceled one makes room', async () => {
    const key = await newKey()
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => key.post('/exports', { ...stores, max_rows: 1 })),
    )
    const accepted = replies.filter(({ status }) => status === 201)
    expect(accepted.length).toBeGreaterThanOrEqual(20)
    for (const { status, body } of replies.filter(({ status }) => status !== 201))
      expect({ status, error: body.error }).toMatchObject({ status: 429, error: { param: 'exports' } })
    for (const { body } of accepted) expect(await endOf(key, body.id)).toMatchObject({ status: 'ready' })
  })
})

describe('a file', () => {
  test('is delivered in ranges, which are those of the whole', async () => {
    const key = await newKey()
    const { id, file } = await run(key, { ...stores, format: 'csv' })
    const whole = await download(app, key, id)
    expect(whole.status).toBe(200)
    const etag = whole.headers.get('etag')!
    expect(etag).toBe(`"${file!.sha256}"`)
    expect(whole.headers.get('cache-control')).toBe('no-store')
    const size = whole.bytes.length
    for (const [range, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=5-', 5, size - 1],
      ['bytes=-7', size - 7, size - 1],
      [`bytes=100-${size + 50}`, 100, size - 1],
    ] as const) {
      const part = await download(app, key, id, { range, 'if-range': etag })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${first}-${last}/${size}`])
      expect(part.bytes.equals(whole.bytes.subarray(first, last + 1))).toBe(true)
    }
    for (const headers of [
      { range: 'bytes=0-1,3-4' },
      { range: 'lines=1-2' },
      { range: 'bytes=0-1', 'if-range': '"x"' },
    ])
      expect((await download(app, key, id, headers)).status).toBe(200)
    const beyond = await download(app, key, id, { range: `bytes=${size}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
    expect(JSON.parse(beyond.text).error).toMatchObject({ code: 'invalid_range' })
  })

  test('is refused before it is ready, to other accounts and modes, and to keys that may not have its rows', async () => {
    const key = await newKey()
    const { id } = await run(key, { ...contacts, max_credits: 1 })
    const narrow = await app.keyOf(key.account, { scopes: ['exports:manage'] })
    const codeOf = async (owner: TestKey, text: string) =>
      JSON.parse((await download(app, owner, text)).text).error?.code
    expect(await codeOf(narrow, id)).toBe('insufficient_scope')
    expect(await codeOf(await newKey(), id)).toBe('export_not_found')
    expect(await codeOf(await app.keyOf(key.account, { scopes: allScopes, mode: 'test' }), id)).toBe('export_not_found')
    expect(await codeOf(key, 'exp_live_short')).toBe('invalid_export_id')
    const refused = await narrow.post('/exports', stores)
    expect(refused).toMatchObject({ status: 403, body: { error: { param: 'stores:read' } } })
  })

  test('lives for 72 hours', async () => {
    const key = await newKey()
    const { id } = await run(key, stores)
    const ended = new Date(app.clock.now())
    app.clock.advance(72 * 3_600_000)
    try {
      expect((await key.get(`/exports/${id}`)).body).toMatchObject({ status: 'expired', file: null })
      expect((await download(app, key, id)).status).toBe(410)
      await pruneFiles(app.db, app.clock.now())
      const { rows } = await app.db.query('select from export_chunks where account_id = $1', [
        app.accountNumber(key.account),
      ])
      expect(rows).toEqual([])
    } finally {
      app.clock.set(ended)
    }
  })

  test('is removed with the erasure of a person whom it holds, and only then', async () => {
    const key = await newKey()
    const holding = await run(key, { ...contacts, store: { domains: ['shop-20.example'] } })
    const preview = await run(key, { kind: 'previews', max_rows: 10, store: { domains: ['shop-20.example'] } })
    const other = await run(key, { ...contacts, store: { domains: ['shop-22.example'] } })
    await eraseContacts(app.operator, { email: 'p40@shop-20.example' })
    for (const { id } of [holding, preview]) {
      expect((await key.get(`/exports/${id}`)).body).toMatchObject({ status: 'expired', file: null })
      expect((await download(app, key, id)).status).toBe(410)
    }
    expect((await download(app, key, other.id)).status).toBe(200)
  })
})

test('what the account has can be left out, and the export does not leave out what it delivers itself', async () => {
  const key = await newKey()
  await run(key, { ...stores, filters: { countries: ['DE'] } })
  const rest = await run(key, { ...stores, exclude: { exported: true } })
  expect(rest).toMatchObject({ progress: { rows: 30 }, cost: { store_exports: 30 } })
  const rows = linesOf((await download(app, key, rest.id)).text)
  expect(new Set(rows.map(({ country }) => country))).toEqual(new Set(['FR']))
  expect(await run(key, { ...stores, exclude: { exported: true } })).toMatchObject({ file: { rows: 0 } })
})

test('a list is exported in the order of a search, as it was when the export was asked for', async () => {
  const key = await newKey()
  const found = (await key.post('/stores/search', { filters: {}, limit: 20 })).body.data
  const wanted = [found[11], found[3], found[17]].map(({ id }) => app.deps.ids.open(id)!.value)
  const account = app.accountNumber(key.account)
  const insert = await app.db.query(
    `insert into lists (account_id, mode, name, folded_name, kind, items, created_at, updated_at)
     values ($1, 'live', 'Spring', 'spring', 'stores', 3, $2, $2) returning id`,
    [account, app.clock.now()],
  )
  const listId = insert.rows[0].id
  await app.db.query(
    'insert into list_stores (account_id, list_id, store_id, added_at) select $1, $2, unnest($3::bigint[]), $4',
    [account, listId, wanted, app.clock.now()],
  )
  const list = app.deps.ids.seal('list', listId, 'live')
  const created = await key.post('/exports', { kind: 'stores', list, format: 'ndjson', max_rows: 10 })
  await app.db.query('delete from list_stores where list_id = $1', [listId])
  const ended = await endOf(key, created.body.id)
  expect(ended).toMatchObject({ stopped_by: 'end', file: { rows: 3 } })
  expect(linesOf((await download(app, key, ended.id)).text)).toEqual([found[3], found[11], found[17]])
  const again = await key.post('/exports', { kind: 'previews', list, exclude: { lists: [list] }, max_rows: 10 })
  expect(await endOf(key, again.body.id)).toMatchObject({ file: { rows: 0 } })
})

test('a quote bounds what an export spends', async () => {
  const key = await newKey()
  const quoteFor = (body: object, credits: number, storeExports: number) =>
    app.deps.quotes.seal({
      accountId: app.accountNumber(key.account),
      mode: 'live',
      bodyHash: hashQuotedBody(body),
      credits,
      storeExports,
      expiresAtMs: app.clock.now().getTime() + 1_000,
      contactIds: [],
    })
  const body = { ...stores, gzip: false, max_contacts_per_store: null }
  const refused = await key.post('/exports', { ...body, quote: quoteFor(body, 0, 59) })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'quote_exceeded', param: 'quote' } } })
  const ended = await run(key, { ...body, quote: quoteFor(body, 0, count) })
  expect(ended).toMatchObject({ stopped_by: 'end', cost: { store_exports: count } })
  const other = await key.post('/exports', { ...body, max_rows: 5, quote: quoteFor(body, 0, count) })
  expect(other.body.error.code).toBe('invalid_quote')
})

test('a repeated request with an Idempotency-Key is the same export', async () => {
  const key = await newKey()
  const send = () => key.post('/exports', stores, { 'idempotency-key': 'once' })
  const [first, second] = [await send(), await send()]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  await endOf(key, first.body.id)
  expect((await key.get('/exports')).body.data).toHaveLength(1)
  const other = await key.post('/exports', { ...stores, max_rows: 1 }, { 'idempotency-key': 'once' })
  expect(other.body.error.code).toBe('idempotency_conflict')
})

test('exports are listed newest first, in pages', async () => {
  const key = await newKey()
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift((await run(key, { ...stores, max_rows: 1 })).id)
  const first = (await key.get('/exports?limit=2')).body
  const second = (await key.get(`/exports?limit=2&cursor=${first.next_cursor}`)).body
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids)
  expect([first.has_more, second.has_more]).toEqual([true, false])
})

test('canceling one that has ended changes nothing; one that waits ends empty', async () => {
  const key = await newKey()
  const ended = await run(key, stores)
  const { request_id: _id, ...unchanged } = (await key.post(`/exports/${ended.id}/cancel`, undefined)).body
  expect(unchanged).toEqual(expect.objectContaining({ status: 'ready', file: ended.file }))
})

test('a request that does not fit is refused with its place', async () => {
  const key = await newKey()
  for (const [body, code, param] of [
    [{ ...stores, filters: undefined }, 'missing_parameter', 'filters'],
    [{ ...stores, person: {} }, 'unknown_parameter', 'person'],
    [{ ...stores, max_credits: 1 }, 'unknown_parameter', 'max_credits'],
    [{ ...contacts, max_credits: undefined }, 'missing_parameter', 'max_credits'],
    [{ ...contacts, filters: {} }, 'unknown_parameter', 'filters'],
    [{ ...stores, max_rows: 1_000_001 }, 'invalid_request', 'max_rows'],
    [{ ...stores, format: 'csv', columns: ['domain', 'nonsense'] }, 'invalid_column', 'columns[1]'],
    [{ ...stores, filters: { countries: ['DE', 'nowhere'] } }, 'invalid_filter_value', 'filters.countries[1]'],
    [{ ...stores, filters: undefined, list: 'lst_live_QmWvTzHbNcRyLpXk' }, 'list_not_found', 'list'],
    [{ ...stores, filters: undefined, list: 'nothing' }, 'invalid_list_id', 'list'],
    [{ ...stores, quote: 'quo_nothing' }, 'invalid_quote', 'quote'],
  ] as const) {
    const { body: reply } = await key.post('/exports', body)
    expect({ code: reply.error?.code, param: reply.error?.param }).toEqual({ code, param })
  }
})

test('no counter differs from the ledger and the exports, and nothing is left reserved', async () => {
  expect(await findUnsound(app)).toEqual([])
})
