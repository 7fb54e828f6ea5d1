import { tmpdir } from 'node:os'
import { beforeAll, describe, expect, test } from 'vitest'
import { countSuppressionsByKind, peopleAt, tryImportContacts } from '../../../catalogue/erasure/support/people.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'
import type { TestUser } from '../../../support/user.ts'

const now = '2026-11-21T12:00:00.000Z'
let app: TestApp
let operator: TestUser

beforeAll(async () => {
  app = await startTestApp({ now, environment: { DATA_DIR: tmpdir() } })
  operator = await app.person({ operator: true, account: null })
})

let shops = 0
async function newShop(): Promise<string> {
  const domain = `operated-${++shops}.example`
  await app.importStores([{ domain, name: 'A shop' }])
  return domain
}

const person = (store_domain: string, name: string) => ({
  store_domain,
  external_id: name,
  first_name: 'Somebody',
  emails: [{ email: `${name}@mail.example`, status: 'verified', type: 'work' }],
})

async function newestEntries(count: number): Promise<Json[]> {
  const { rows } = await app.db.query(
    'select action, person_id, details, target from audit_log where account_id = 0 order by entry desc limit $1',
    [count],
  )
  return rows
}

/** Signs in anew, as far as the clock is concerned. */
const freshOperator = () => app.person({ operator: true, account: null, email: operator.email })

describe('erasing', () => {
  test('by address erases at every store; the audit log has the number and not the address', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    await app.importContacts([person(shop, 'anna'), person(other, 'anna'), person(shop, 'bert')])
    const { body } = await operator.post('/operator/erasures', { email: 'Anna@mail.example' })
    expect(body).toMatchObject({ object: 'erasure', erased: 2 })
    const entries = await newestEntries(1)
    expect(entries).toMatchObject([{ action: 'contacts.erased', details: { by: 'email', erased: 2 }, target: null }])
    expect(JSON.stringify(entries)).not.toMatch(/anna/i)
    expect(await tryImportContacts(app, [person(shop, 'anna')])).toMatchObject({ inserted: 0, rejected: 1 })
  })

  test('by contact id, and what cannot be erased is said without an entry', async () => {
    const shop = await newShop()
    await app.importContacts([person(shop, 'cleo')])
    const [contact] = (await peopleAt(app, shop)).map(({ id }) => id)
    expect((await operator.post('/operator/erasures', { contact })).body.erased).toBe(1)
    const before = await newestEntries(1)
    for (const body of [
      { contact },
      { contact: 'ct_live_x' },
      { email: 'nobody' },
      {},
      { contact, email: 'a@b.example' },
    ]) {
      const reply = await operator.post('/operator/erasures', body)
      expect(reply.body.error.code, JSON.stringify(body)).toBe('invalid_request')
    }
    expect(await newestEntries(1)).toEqual(before)
  })

  test('needs a sign-in of the last ten minutes', async () => {
    const stale = await freshOperator()
    app.clock.advance(10 * 60_000)
    for (const [path, body] of [
      ['/operator/erasures', { email: 'dora@mail.example' }],
      ['/operator/suppressions', { text: 'dora@mail.example' }],
    ] as const)
      expect((await stale.post(path, body)).body.error.code).toBe('fresh_sign_in_required')
    const reply = await (await freshOperator()).post('/operator/erasures', { email: 'dora@mail.example' })
    expect(reply.body.erased).toBe(0)
  })
})

describe('suppressions', () => {
  test('are added as text: people, phones and sites; those on file are erased', async () => {
    const someone = await freshOperator()
    const [shop, closed] = [await newShop(), await newShop()]
    await app.importContacts([person(shop, 'emil'), person(closed, 'fred')])
    const before = await countSuppressionsByKind(app)
    const text = `# a list\nemil@mail.example\r\n\n+49 30 5550188\n${closed}\nnot a thing\n030 555\nemil@mail.example`
    const { body } = await someone.post('/operator/suppressions', { text })
    expect(body).toMatchObject({
      object: 'suppressions_added',
      read: 6,
      added: 3,
      unchanged: 1,
      rejected: 2,
      rejects: [
        { line: 6, reason: expect.any(String) },
        { line: 7, reason: expect.stringContaining('country code') },
      ],
      erased: 2,
    })
    const after = await countSuppressionsByKind(app)
    for (const kind of ['email', 'phone', 'domain']) expect(after[kind]).toBe((before[kind] ?? 0) + 1)
    const entries = await newestEntries(2)
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['contacts.erased', { by: 'suppression', erased: 2 }],
      ['suppressions.added', { added: 3 }],
    ])
    expect((await someone.post('/operator/suppressions', { text })).body).toMatchObject({ added: 0, erased: 0 })
    expect(await newestEntries(2)).toEqual(entries)
  })

  test('are counted by kind', async () => {
    const { body } = await operator.get('/operator/suppressions')
    const counted = Object.fromEntries(body.kinds.map(({ kind, total }: Json) => [kind, total]))
    expect(counted).toEqual(await countSuppressionsByKind(app))
  })
})

test('the catalogue is shown with its sizes, last batches and the state of search', async () => {
  const shop = await newShop()
  await app.importContacts([person(shop, 'gerda')])
  app.clock.advance(60_000)
  const { body } = await operator.get('/operator/catalogue')
  const { rows } = await app.db.query(`
    select (select count(*) from stores where mode = 'live') as live, (select count(*) from contacts) as contacts,
           (select batch from catalogue_state) as batch`)
  const [{ live, contacts, batch }] = rows
  expect(body).toMatchObject({
    object: 'catalogue',
    counted_at: app.clock.now().toISOString(),
    live: { stores: live, contacts },
    test: { stores: 0, contacts: 0 },
    search: { engine: app.deps.search.status().engine },
  })
  expect(body.batches[0]).toMatchObject({ batch, stores: 1, written_at: expect.stringMatching(/^2026-11-21T/) })
  expect(body.batches.length).toBeLessThanOrEqual(10)
})

test('webhook events are listed in pages, the newest first', async () => {
  await app.db.query(`
    insert into billing_events (id, type, received_at, handled_at, outcome)
    select 'evt_' || n, 'customer.subscription.updated', timestamptz '2026-11-01 00:00Z' + (n / 2) * interval '1 minute',
           case when n > 1 then timestamptz '2026-11-01 01:00Z' end, case when n > 1 then 'synced' end
    from generate_series(1, 5) as n`)
  const seen: Json[] = []
  let cursor = ''
  for (let page = 0; page < 3; page++) {
    const { body } = await operator.get(`/operator/webhooks?limit=2${cursor}`)
    seen.push(...body.data)
    expect(body.has_more).toBe(page < 2)
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(seen.map(({ id }) => id)).toEqual(['evt_5', 'evt_4', 'evt_3', 'evt_2', 'evt_1'])
  expect(seen[4]).toEqual({
    id: 'evt_1',
    type: 'customer.subscription.updated',
    received_at: '2026-11-01T00:00:00.000Z',
    handled_at: null,
    outcome: null,
  })
  for (const wrong of ['cur_x', `cur_${Buffer.from('9999999999999999 evt').toString('base64url')}`])
    expect((await operator.get(`/operator/webhooks?cursor=${wrong}`)).body.error.code, wrong).toBe('invalid_cursor')
  const { body: system } = await operator.get('/operator/system')
  expect(system.billing).toMatchObject({ last_event_at: '2026-11-01T00:02:00.000Z', open_events: 1 })
})

test('privacy requests are listed with how they ended, and never whose they were', async () => {
  const requestedAt = app.clock.now()
  await app.db.query(
    `insert into privacy_requests (token_hash, sealed_email, requested_at, expires_at, opened_at, ended_at, outcome, erased)
     values ('\\x01', '\\x00', $1, $1::timestamptz + interval '1 hour', null, null, null, null),
            ('\\x02', '\\x00', $1, $1::timestamptz + interval '1 hour', $1, null, 'kept', null),
            ('\\x03', null, $1, $1::timestamptz + interval '1 hour', $1, $1, 'erased', 3)`,
    [requestedAt],
  )
  const outcomes = async () =>
    (await operator.get('/operator/privacy-requests')).body.data.map((row: Json) => row.outcome)
  expect(await outcomes()).toEqual(['erased', 'opened', 'waiting'])
  app.clock.advance(3_600_000)
  expect(await outcomes()).toEqual(['erased', 'kept', 'expired'])
  const { body } = await operator.get('/operator/privacy-requests?limit=1')
  expect(Object.keys(body.data[0]).sort()).toEqual(
    ['ended_at', 'entry', 'erased', 'expires_at', 'opened_at', 'outcome', 'requested_at'].sort(),
  )
  const next = await operator.get(`/operator/privacy-requests?limit=1&cursor=${body.next_cursor}`)
  expect(next.body.data[0].outcome).toBe('kept')
})

test('the state of the system is shown', async () => {
  const { status, body } = await operator.get('/operator/system')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    object: 'system',
    problem: null,
    database: { version: expect.stringMatching(/^\d+\./), is_embedded: false, connections: { max: 16 } },
    billing: { provider: 'closed', address: null },
    versions: { node: process.versions.node },
    mail: false,
  })
  expect(body.database.size_bytes).toBeGreaterThan(1_000_000)
  expect(body.disk.free_bytes).toBeLessThanOrEqual(body.disk.total_bytes)
  expect(typeof body.clock_skew_seconds).toBe('number')
})

describe('people who are no operators', () => {
  const calls: [string, string, object?][] = [
    ['POST', '/operator/accounts/search', {}],
    ['POST', '/operator/accounts', { name: 'X' }],
    ['GET', '/operator/accounts/:id'],
    ['PATCH', '/operator/accounts/:id', { plan: 'enterprise' }],
    ['POST', '/operator/accounts/:id/suspend'],
    ['POST', '/operator/accounts/:id/resume'],
    ['POST', '/operator/see-as', { account: ':id' }],
    ['DELETE', '/operator/see-as'],
    ['GET', '/operator/catalogue'],
    ['POST', '/operator/erasures', { email: 'anna@mail.example' }],
    ['GET', '/operator/suppressions'],
    ['POST', '/operator/suppressions', { text: 'anna@mail.example' }],
    ['GET', '/operator/privacy-requests'],
    ['GET', '/operator/webhooks'],
    ['GET', '/operator/system'],
  ]

  test.each(calls)(
    '%s %s answers 403 to an owner and 401 to strangers, and changes nothing',
    async (method, path, body) => {
      const owner = await app.person({})
      const send = (cookie: string | null) =>
        fetch(`${app.url}/console/api${path.replace(':id', owner.account)}`, {
          method,
          headers: { ...(cookie && { cookie }), ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body).replace(':id', owner.account) }),
        })
      const before = await newestEntries(1)
      for (const [cookie, status, code] of [
        [owner.cookie, 403, 'insufficient_role'],
        [null, 401, 'not_signed_in'],
      ] as const) {
        const reply = await send(cookie)
        expect(reply.status).toBe(status)
        expect(((await reply.json()) as Json).error.code).toBe(code)
      }
      expect(await newestEntries(1)).toEqual(before)
    },
  )
})
