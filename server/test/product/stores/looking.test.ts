import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { createMember, readLedger, readSpent, readViewed, setViewed, type TestMember } from '../../support/members.ts'

let app: TestApp
let member: TestMember
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores(
    Array.from({ length: 30 }, (_, index) => ({
      domain: `look-${index}.example`,
      aliases: [`alias-${index}.example`],
      name: `Look ${index}`,
      country: index < 20 ? 'DE' : 'FR',
      lead_fit_score: 100 - index,
    })),
  )
  await app.importContacts(
    Array.from({ length: 40 }, (_, index) => ({
      store_domain: `look-${Math.floor(index / 12)}.example`,
      external_id: `p${index}`,
      first_name: `Person ${index}`,
      emails: [{ email: `p${index}@post.example`, status: 'verified' }],
    })),
  )
  member = await createMember(app)
  key = await app.keyOf(member.account, {})
})

/** Another account with a member. */
const newMember = (limits: object = {}) =>
  createMember(app).then(async (each) => {
    await app.setAccount(each.account, { limits })
    return each
  })

/** Previews as the console shows them. */
const viewed = (previews: Json[], revealable = true) => previews.map((preview) => ({ ...preview, revealable }))

const comparable = ({ body }: { body: Json }) => ({ ...body, request_id: null })

describe('a search in the console', () => {
  test('finds what the API finds, in the same pages', async () => {
    const query = { filters: { countries: ['DE'] }, limit: 7 }
    const [mine, theirs] = [await member.ask('/stores/search', query), await key.post('/stores/search', query)]
    expect(mine.status).toBe(200)
    expect(mine.body.data).toEqual(theirs.body.data)
    const next = await member.ask('/stores/search', { ...query, cursor: mine.body.next_cursor })
    expect(next.body.data.map((store: Json) => store.domain)).toEqual(
      Array.from({ length: 7 }, (_, index) => `look-${index + 7}.example`),
    )
    const contacts = { person: { has_verified_email: true }, max_contacts_per_store: 3, limit: 5 }
    expect((await member.ask('/contacts/search', contacts)).body.data).toEqual(
      viewed((await key.post('/contacts/search', contacts)).body.data),
    )
  })

  test('is counted as the API counts it, for nothing, by a viewer too', async () => {
    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    const before = await readSpent(app, member.account)
    const counts = [
      ['/stores/count', { filters: { countries: ['DE'] } }],
      ['/stores/count', { filters: { countries: ['DE'] }, facets: ['countries', 'apps'] }],
      ['/contacts/count', { person: { has_verified_email: true }, max_contacts_per_store: 3 }],
      ['/contacts/count', { store: { domains: ['look-1.example'] } }],
      ['/contacts/count', { store: { countries: ['DE'] }, facets: ['seniorities'] }],
    ] as const
    for (const [path, body] of counts) {
      const [mine, theirs] = [await viewer.ask(path, body), await key.post(path, body)]
      // Facets are counted by the index in memory only.
      expect(mine.status).toBe(theirs.status)
      const known = ({ body: reply }: { body: Json }) => ({ ...reply, engine_ms: 0, request_id: null, error: null })
      expect(known(mine)).toEqual(known(theirs))
    }
    expect((await viewer.ask('/stores/count', { filters: { countries: ['DE'] } })).body.total).toBe(20)
    expect((await viewer.ask('/stores/count', { filters: { countries: ['nowhere'] } })).status).toBe(400)
    expect(await readSpent(app, member.account)).toEqual(before)
  })

  test('costs its rows and no exports, and the ledger names the person', async () => {
    const { account, ...viewer } = await newMember()
    const page = await viewer.ask('/stores/search', { filters: {}, limit: 9 })
    const people = await viewer.ask('/contacts/search', { limit: 4 })
    expect(people.headers.get('x-search-rows-remaining')).toBe(String(25_000 - 13))
    expect(people.headers.get('x-store-exports-remaining')).toBeNull()
    expect(await readSpent(app, account)).toEqual({ contact_credits: 0, store_exports: 0, search_rows: 13 })
    const entry = { meter: 'search_rows', key_id: null, person_id: viewer.number }
    expect(await readLedger(app, account)).toEqual([
      { ...entry, amount: 9, request_id: page.body.request_id },
      { ...entry, amount: 4, request_id: people.body.request_id },
    ])
    expect(await readViewed(app, { account, ...viewer })).toBe(13)
  })

  test('does not count to the minute and the day of the API', async () => {
    const other = await newMember({ requests_per_minute: 2, requests_per_day: 2 })
    for (let index = 0; index < 5; index++)
      expect((await other.ask('/stores/search', { filters: {}, limit: 1 })).status).toBe(200)
    const usage = await (await app.keyOf(other.account, {})).get('/usage')
    expect(usage.body.api_requests.used).toBe(1)
  })

  test('is open to a viewer, and works without exports left', async () => {
    const owner = await newMember({ store_exports: 0 })
    const viewer = await createMember(app, { account: owner.account, role: 'viewer' })
    expect((await viewer.ask('/stores/search', { filters: {}, limit: 3 })).body.data).toHaveLength(3)
    expect((await viewer.look('/stores/look-1.example')).status).toBe(200)
    expect((await viewer.ask('/contacts/search', { limit: 3 })).status).toBe(200)
  })

  test('with a limit above the rows left of the account, is refused before it runs', async () => {
    const other = await newMember({ search_rows: 10 })
    await other.ask('/stores/search', { filters: {}, limit: 8 })
    const refused = await other.ask('/stores/search', { filters: { countries: ['AQ'] }, limit: 3 })
    expect(refused.status).toBe(429)
    expect(refused.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'search_rows' })
    expect((await other.ask('/stores/search', { filters: {}, limit: 2 })).status).toBe(200)
    expect((await other.look('/stores/look-1.example')).body.error).toMatchObject({ param: 'search_rows' })
  })

  test('refuses what the API refuses', async () => {
    const misspelt = await member.ask('/stores/search', { filters: { contries: ['DE'] } })
    expect(misspelt.body.error).toMatchObject({ code: 'unknown_parameter', param: 'filters.contries' })
    const foreign = await (await newMember()).ask('/stores/search', { filters: {}, limit: 2 })
    const stolen = await member.ask('/stores/search', { filters: {}, limit: 2, cursor: foreign.body.next_cursor })
    expect(stolen.body.error.code).toBe('invalid_cursor')
  })
})

describe('a store’s page', () => {
  test('has the facts of the store and its first ten people, and is one row', async () => {
    const { account, ...viewer } = await newMember()
    const reply = await viewer.look('/stores/look-0.example')
    expect(reply.status).toBe(200)
    const { contact_previews, history, ...store } = reply.body
    expect(comparable({ body: store })).toEqual(comparable(await key.get('/stores/look-0.example')))
    const found = await key.post('/contacts/search', {
      store: { domains: ['look-0.example'] },
      max_contacts_per_store: 10,
      limit: 10,
    })
    expect(contact_previews).toEqual(viewed(found.body.data))
    expect(contact_previews).toHaveLength(10)
    const { data, has_more, next_cursor } = (await key.get('/stores/look-0.example/history')).body
    expect(history).toEqual({ data, has_more, next_cursor })
    expect(await readSpent(app, account)).toEqual({ contact_credits: 0, store_exports: 0, search_rows: 1 })
  })

  test('is found by alias and by URL, and a store without people has none', async () => {
    for (const address of ['alias-9.example', encodeURIComponent('https://www.LOOK-9.example/pages?a=b')]) {
      const { body } = await member.look(`/stores/${address}`)
      expect(body).toMatchObject({ domain: 'look-9.example', contact_previews: [] })
    }
  })

  test('of an unknown store is not found and costs nothing', async () => {
    const { account, ...viewer } = await newMember()
    expect((await viewer.look('/stores/nobody.example')).body.error).toMatchObject({ code: 'store_not_found' })
    expect((await viewer.look('/stores/not-a-domain')).body.error).toMatchObject({ code: 'invalid_domain' })
    expect(await readLedger(app, account)).toEqual([])
  })
})

describe('the history of a store', () => {
  test('begins with the store; its cursor reads on without cost, and without one it is a row', async () => {
    for (let step = 1; step <= 14; step++) await app.importStores([{ domain: 'look-29.example', name: `Name ${step}` }])
    const { account, ...viewer } = await createMember(app, { role: 'viewer' })
    const rows = async () => (await readSpent(app, account)).search_rows
    const { history } = (await viewer.look('/stores/alias-29.example')).body
    expect(history.data).toHaveLength(10)
    const older = await viewer.look(`/stores/alias-29.example/history?cursor=${history.next_cursor}`)
    expect([...history.data, ...older.body.data].map(({ after }) => after)).toEqual([
      ...Array.from({ length: 14 }, (_, index) => `Name ${14 - index}`),
      null,
    ])
    expect(older.body).toMatchObject({ has_more: false, next_cursor: null })
    expect(await rows()).toBe(1)
    const direct = await viewer.look('/stores/look-29.example/history?limit=3')
    expect(direct.headers.get('x-search-rows-charged')).toBe('1')
    expect(await rows()).toBe(2)
    const again = await viewer.look('/stores/look-29.example/history?limit=3')
    expect(again.headers.get('x-search-rows-charged')).toBe('0')
    expect(direct.body.data).toEqual(history.data.slice(0, 3))
    expect(direct.headers.get('x-search-rows-remaining')).toBe(String(25_000 - 2))
    expect(await readSpent(app, account)).toEqual({ contact_credits: 0, store_exports: 0, search_rows: 2 })
    expect(await readViewed(app, { account, ...viewer })).toBe(2)
    // A cursor opens only the store that it came with.
    for (const path of ['look-29.example', 'look-28.example'])
      expect((await viewer.look(`/stores/${path}/history?cursor=${history.next_cursor}`)).body.error.code).toBe(
        'invalid_cursor',
      )
    expect((await viewer.look('/stores/nobody.example/history')).body.error.code).toBe('store_not_found')
    await setViewed(app, { account, ...viewer }, 3_000)
    expect((await viewer.look('/stores/look-28.example/history')).body.error.param).toBe('person_rows')
  })
})

describe('the same page within ten minutes', () => {
  /** What each of these requests was charged, by its reply. */
  const chargedOf = async (viewer: TestMember, path: string, body?: object) => {
    const reply = await (body ? viewer.ask(path, body) : viewer.look(path))
    expect(reply.status).toBe(200)
    return Number(reply.headers.get('x-search-rows-charged'))
  }

  test('costs nothing again: a page of stores, one after it, people, a store', async () => {
    const viewer = await newMember()
    const query = { filters: { countries: ['DE'] }, limit: 7 }
    const { body: first } = await viewer.ask('/stores/search', query)
    const next = { ...query, cursor: first.next_cursor }
    const people = { person: { has_verified_email: true }, max_contacts_per_store: 3, limit: 5 }
    const pages = [
      ['/stores/search', next, 7],
      ['/contacts/search', people, 5],
      ['/stores/look-1.example', undefined, 1],
    ] as const
    for (const [path, body, rows] of pages) expect(await chargedOf(viewer, path, body)).toBe(rows)
    app.clock.advance(9 * 60_000)
    // Filters in another order and by their defaults are the same question, and the next page of a page again is the same page.
    const again = await viewer.ask('/stores/search', { limit: 7, filters: { countries: ['DE', 'de'] }, cursor: null })
    expect([again.headers.get('x-search-rows-charged'), again.headers.get('x-search-rows-remaining')]).toEqual([
      '0',
      String(25_000 - 20),
    ])
    expect(again.body.data).toEqual(first.data)
    expect(await chargedOf(viewer, '/stores/search', { ...query, cursor: again.body.next_cursor })).toBe(0)
    for (const [path, body] of pages) expect(await chargedOf(viewer, path, body)).toBe(0)
    for (const other of [
      { ...query, limit: 8 },
      { ...query, filters: { countries: ['FR'] } },
    ])
      expect(await chargedOf(viewer, '/stores/search', other)).toBe(other.limit)
    expect(await readSpent(app, viewer.account)).toMatchObject({ search_rows: 35 })
    expect(await readViewed(app, viewer)).toBe(35)
    expect((await readLedger(app, viewer.account)).map(({ amount }) => amount)).toEqual([7, 7, 5, 1, 8, 7])
    app.clock.advance(60_001)
    for (const [path, body, rows] of pages) expect(await chargedOf(viewer, path, body)).toBe(rows)
  })

  test('is paid once by two reloads at once', async () => {
    const viewer = await newMember()
    const query = { filters: {}, limit: 20 }
    const rows = await Promise.all(Array.from({ length: 8 }, () => chargedOf(viewer, '/stores/search', query)))
    expect(rows.sort((a, b) => b - a)).toEqual([20, 0, 0, 0, 0, 0, 0, 0])
    expect(await readSpent(app, viewer.account)).toMatchObject({ search_rows: 20 })
    expect(await readLedger(app, viewer.account)).toHaveLength(1)
  })

  test('is no way round what rows cost: stores that a changed list lets in are paid', async () => {
    const viewer = await newMember()
    const { body: list } = await viewer.ask('/lists', { name: 'Seen', kind: 'stores' })
    const query = { filters: {}, exclude: { lists: [list.id] }, limit: 10 }
    const { body } = await viewer.ask('/stores/search', query)
    const domains = body.data.slice(0, 6).map(({ domain }: Json) => domain)
    expect((await viewer.ask(`/lists/${list.id}/items`, { domains })).body.added).toBe(6)
    expect(await chargedOf(viewer, '/stores/search', query)).toBe(6)
    expect(await chargedOf(viewer, '/stores/search', query)).toBe(0)
    expect(await readViewed(app, viewer)).toBe(16)
  })

  test('is shown also when no row is left, and only then', async () => {
    const viewer = await newMember({ search_rows: 12 })
    const query = { filters: {}, limit: 12 }
    expect(await chargedOf(viewer, '/stores/search', query)).toBe(12)
    expect(await chargedOf(viewer, '/stores/search', query)).toBe(0)
    const refused = await viewer.ask('/stores/search', { ...query, limit: 1 })
    expect(refused.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'search_rows' })
    app.clock.advance(600_000)
    expect((await viewer.ask('/stores/search', query)).body.error.param).toBe('search_rows')
  })

  test('is a matter of the console: a key pays each time', async () => {
    const own = await newMember()
    const other = await app.keyOf(own.account, {})
    for (let page = 0; page < 2; page++) {
      const reply = await other.post('/stores/search', { filters: {}, limit: 5 })
      expect(reply.headers.get('x-search-rows-charged')).toBeNull()
    }
    expect(await readSpent(app, own.account)).toMatchObject({ search_rows: 10 })
    expect(await chargedOf(own, '/stores/search', { filters: {}, limit: 5 })).toBe(5)
  })
})

describe('a preview without a channel', () => {
  test('says whether there is one to be revealed, and nothing more', async () => {
    await app.importStores([{ domain: 'quiet.example', name: 'Quiet' }])
    const email = (status: string) => [{ email: `${status}@quiet.example`, status }]
    const given = {
      unverified: email('unverified'),
      accept_all: email('accept_all'),
      bounced: email('bounced'),
      nothing: [],
    }
    await app.importContacts(
      Object.entries(given).map(([first_name, emails]) => ({
        store_domain: 'quiet.example',
        external_id: first_name,
        first_name,
        emails,
      })),
    )
    const query = { store: { domains: ['quiet.example'] }, max_contacts_per_store: 10 }
    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    const { body } = await viewer.ask('/contacts/search', query)
    const page = await viewer.look('/stores/quiet.example')
    for (const previews of [body.data, page.body.contact_previews]) {
      expect(Object.fromEntries(previews.map((each: Json) => [each.first_name, each.revealable]))).toEqual({
        unverified: true,
        accept_all: true,
        bounced: false,
        nothing: false,
      })
      expect(JSON.stringify(previews)).not.toContain('@')
    }
    // What the API says stays as it is.
    expect(JSON.stringify((await key.post('/contacts/search', query)).body)).not.toContain('"revealable"')
    const enriched = await key.post('/stores/enrich', { domains: ['quiet.example'], include: ['contact_previews'] })
    expect(enriched.body.data[0].contact_previews).toHaveLength(1)
    expect(JSON.stringify(enriched.body)).not.toContain('"revealable"')
  })
})

describe('3,000 rows an hour', () => {
  test('a person who has looked at them gets no more until the hour is over, in any account', async () => {
    const viewer = await newMember()
    const elsewhere = await createMember(app, { email: viewer.email, role: 'viewer' })
    await setViewed(app, viewer, 2_990)
    expect((await viewer.ask('/stores/search', { filters: {}, limit: 8 })).status).toBe(200)
    app.clock.advance(40 * 60_000)
    const refused = await elsewhere.ask('/contacts/search', { limit: 3 })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1200')
    expect(refused.body.error).toMatchObject({
      code: 'rate_limit_exceeded',
      param: 'person_rows',
      message: '2 of 3,000 rows that a person may look at in an hour are left for the next 20 minutes.',
    })
    expect(await readLedger(app, elsewhere.account)).toEqual([])
    expect((await elsewhere.look('/stores/look-1.example')).status).toBe(200)
    expect((await viewer.look('/stores/look-1.example')).status).toBe(200)
    expect((await viewer.look('/stores/look-2.example')).body.error.param).toBe('person_rows')
    // Others go on, and keys have no such limit.
    const colleague = await createMember(app, { account: viewer.account })
    expect((await colleague.ask('/stores/search', { filters: {}, limit: 20 })).status).toBe(200)
    app.clock.advance(20 * 60_000)
    expect((await viewer.ask('/stores/search', { filters: {}, limit: 20 })).status).toBe(200)
    expect(await readViewed(app, viewer)).toBe(20)
  })

  test('a refused page does not tell whether there is a match', async () => {
    const viewer = await newMember()
    await setViewed(app, viewer, 3_000)
    const [match, none] = [
      await viewer.ask('/stores/search', { filters: { countries: ['DE'] }, limit: 1 }),
      await viewer.ask('/stores/search', { filters: { countries: ['AQ'] }, limit: 1 }),
    ]
    expect(match.status).toBe(429)
    expect({ ...match.body.error, request_id: null }).toEqual({ ...none.body.error, request_id: null })
  })
})

describe('the taxonomy', () => {
  test('is that of the API, for anybody who is signed in', async () => {
    const somebody = await app.person({ account: null })
    const reply = await somebody.get('/taxonomy')
    expect(comparable(reply)).toEqual(comparable(await key.get('/taxonomy')))
    const again = await somebody.get('/taxonomy', { 'if-none-match': reply.headers.get('etag')! })
    expect(again).toMatchObject({ status: 304, body: undefined })
  })
})

describe('an account without access', () => {
  test.each([
    ['stores/search', (each: TestMember) => each.ask('/stores/search', { filters: {} })],
    ['contacts/search', (each: TestMember) => each.ask('/contacts/search', {})],
    ['a store', (each: TestMember) => each.look('/stores/look-1.example')],
    ['a copy', (each: TestMember) => each.ask('/stores/look-1.example/copy', { format: 'csv' })],
    [
      'a quote',
      (each: TestMember) => each.ask('/quotes', { for: 'reveal', contact_ids: ['ct_live_PqLmXzTbVnRwKdHc'] }),
    ],
    ['a reveal', (each: TestMember) => each.ask('/contacts/reveal', { contact_ids: ['ct_live_PqLmXzTbVnRwKdHc'] })],
  ])('%s is refused with the reason', async (_, send) => {
    const lapsed = await newMember()
    await app.setAccount(lapsed.account, { status: 'past_due' })
    const reply = await send(lapsed)
    expect(reply.status).toBe(403)
    expect(reply.body.error.code).toBe('api_access_required')
    expect(await readLedger(app, lapsed.account)).toEqual([])
  })
})
