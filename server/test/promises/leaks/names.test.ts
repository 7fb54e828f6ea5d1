import { beforeAll, describe, expect, test, vi } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { createMember, readSpent, type TestMember } from '../../support/members.ts'
import { operationsThatCanName, type ReplyDocument } from './support/naming.ts'

/** A shop and its buyer, with words that stand nowhere else. */
const [domain, alias] = ['quince-orchard.example', 'quinces.example']
const names = [domain, alias, 'Quince Orchard', 'Marigold']

let app: TestApp
let documents: Record<'api' | 'console', ReplyDocument>
/** The public ids of the shop and of its buyer. */
let ids: { store: string; contact: string }
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([{ domain, name: 'Quince Orchard', country: 'DE' }])
  await app.importStores([{ domain, name: 'Quince Orchard', country: 'DE', aliases: [alias] }])
  await app.importContacts([
    {
      store_domain: domain,
      first_name: 'Marigold',
      role: 'founder',
      emails: [{ email: 'marigold@mail.example', status: 'verified', type: 'work' }],
    },
  ])
  const [found] = (await (await app.key({ scopes })).post('/contacts/search', {})).body.data
  ids = { store: found.store.id, contact: found.id }
  const person = await app.person()
  documents = {
    api: (await app.anon.get('/openapi.json')).body,
    console: (await person.get('/openapi.json')).body,
  }
})

type Paid<Caller> = Record<string, (caller: Caller) => Promise<TestReply>>

/** Every reply of the API that can tell a name and is paid for: the call, by a caller who has paid for nothing yet. */
const paidByKeys: Paid<TestKey> = {
  'GET /stores/{domain}': (key) => key.get(`/stores/${domain}`),
  'GET /stores/{domain}/history': (key) => key.get(`/stores/${domain}/history`),
  'POST /stores/search': (key) => key.post('/stores/search', { filters: {} }),
  'POST /stores/enrich': (key) => key.post('/stores/enrich', { domains: [domain], contact_roles: ['founder'] }),
  'POST /contacts/search': (key) => key.post('/contacts/search', {}),
  'POST /contacts/reveal': (key) => key.post('/contacts/reveal', { contact_ids: [ids.contact] }),
  // The list tells the name; adding pays for it.
  'POST /lists/{id}/items': async (key) => {
    const { id } = (await key.post('/lists', { name: 'From a search', kind: 'stores' })).body
    const added = await key.post(`/lists/${id}/items`, { from: { filters: {} }, max: 1 })
    return added.status === 200 ? key.get(`/lists/${id}/items`) : added
  },
  'GET /exports/{id}/file': async (key) => {
    const request = { kind: 'stores', filters: {}, format: 'ndjson', max_rows: 1 }
    const { id } = (await key.post('/exports', request)).body
    const isReady = async () => (await key.get(`/exports/${id}`)).body.status === 'ready'
    await vi.waitUntil(isReady, { timeout: 60_000 })
    return key.get(`/exports/${id}/file`)
  },
}

/** The same of the console. */
const paidByPeople: Paid<TestMember> = {
  'POST /accounts/{account}/stores/search': (member) => member.ask('/stores/search', { filters: {} }),
  'POST /accounts/{account}/contacts/search': (member) => member.ask('/contacts/search', {}),
  'GET /accounts/{account}/stores/{domain}': (member) => member.look(`/stores/${domain}`),
  'GET /accounts/{account}/stores/{domain}/history': (member) => member.look(`/stores/${domain}/history`),
  'POST /accounts/{account}/stores/{domain}/copy': (member) => member.ask(`/stores/${domain}/copy`, { format: 'json' }),
  'POST /accounts/{account}/contacts/reveal': (member) =>
    member.ask('/contacts/reveal', { contact_ids: [ids.contact] }),
  'POST /accounts/{account}/lists/{id}/items': async (member) => {
    const { id } = (await member.ask('/lists', { name: 'From a search', kind: 'contacts' })).body
    const added = await member.ask(`/lists/${id}/items`, { from: {}, max: 1 })
    return added.status === 200 ? member.look(`/lists/${id}/items`) : added
  },
  'GET /accounts/{account}/exports/{id}/file': async (member) => {
    const request = { kind: 'stores', filters: {}, format: 'ndjson', max_rows: 1 }
    const { id } = (await member.ask('/exports', request)).body
    const isReady = async () => (await member.look(`/exports/${id}`)).body.status === 'ready'
    await vi.waitUntil(isReady, { timeout: 60_000 })
    return member.look(`/exports/${id}/file`)
  },
}

/** What can tell a name, or is described too loosely to know, and moves no meter; why. */
const exceptions: Record<'api' | 'console', { operation: string | RegExp; because: string }[]> = {
  api: [
    {
      operation: 'GET /lists/{id}/items',
      because: 'An item was paid for when a search added it; the caller named the others.',
    },
    { operation: 'POST /quotes', because: 'Repeats the ids of contacts that the caller sent, now or for the quote.' },
  ],
  console: [
    {
      operation: 'GET /accounts/{account}/lists/{id}/items',
      because: 'An item was paid for when a search added it; the caller named the others.',
    },
    {
      operation: 'POST /accounts/{account}/quotes',
      because: 'Repeats the ids of contacts that the caller sent, now or for the quote.',
    },
    {
      operation: /^(GET|POST) \/accounts\/\{account\}\/revealed(\/find|\/file)?$/,
      because: 'Holds only whom the account has revealed, at a credit each.',
    },
    { operation: /^\w+ \/operator\//, because: 'The operator owns the catalogue, and imports it.' },
    { operation: /^POST \/privacy\/(open|file)$/, because: 'People see what is held about themselves.' },
    {
      operation: 'GET /accounts/{account}/ledger/file',
      because: 'Has amounts, times and who spent, as the ledger does.',
    },
    {
      operation: 'GET /accounts/{account}/audit',
      because: 'Its details are roles, counts and names that members chose.',
    },
    {
      operation: /^(GET \/session|POST \/sign-in|POST \/passkeys\/sign-in)$/,
      because: "The settings are what the person's own pages have stored.",
    },
    {
      operation: /^POST \/passkeys\/(sign-in|registration)-options$/,
      because: 'The options are those of the browser for passkeys.',
    },
  ],
}

const matches = (operation: string | RegExp, name: string) =>
  typeof operation === 'string' ? operation === name : operation.test(name)
const namesIn = (reply: TestReply) => names.filter((name) => JSON.stringify(reply.body ?? '').includes(name))
const nothing = { search_rows: 0, store_exports: 0, contact_credits: 0 }
const total = (spent: typeof nothing) => Object.values(spent).reduce((sum, used) => sum + used, 0)

describe.each([
  ['api', paidByKeys],
  ['console', paidByPeople],
] as const)('of the document of the %s', (which, paid) => {
  test('every operation that can tell whom it is about is paid, or an exception with its reason', () => {
    const naming = operationsThatCanName(documents[which])
    const excepted = (name: string) => exceptions[which].some(({ operation }) => matches(operation, name))
    expect(naming.filter((name) => !(name in paid) && !excepted(name))).toEqual([])
    // Neither list has what is not there, or both.
    expect(Object.keys(paid).filter((name) => !naming.includes(name) || excepted(name))).toEqual([])
    const unused = exceptions[which].filter(({ operation }) => !naming.some((name) => matches(operation, name)))
    expect(unused).toEqual([])
  })
})

describe('a reply that names a store or person', () => {
  test.each(Object.entries(paidByKeys))('to a key moves a meter: %s', async (_name, call) => {
    const key = await app.key({ scopes })
    expect(total(await readSpent(app, key.account))).toBe(0)
    expect(namesIn(await call(key))).not.toEqual([])
    expect(total(await readSpent(app, key.account))).toBeGreaterThan(0)
  })

  test.each(Object.entries(paidByPeople))('to a person moves a meter: %s', async (_name, call) => {
    const member = await createMember(app)
    expect(total(await readSpent(app, member.account))).toBe(0)
    expect(namesIn(await call(member))).not.toEqual([])
    expect(total(await readSpent(app, member.account))).toBeGreaterThan(0)
  })

  test.each(Object.entries(paidByKeys))('is not sent to a key that has nothing left: %s', async (_name, call) => {
    const key = await app.key({ scopes, limits: nothing })
    // A refused lookup repeats the domain that was asked for, no more.
    expect(namesIn(await call(key)).filter((name) => name !== domain)).toEqual([])
    expect(await readSpent(app, key.account)).toEqual(nothing)
  })

  test.each(Object.entries(paidByPeople))('is not sent to a person who has nothing left: %s', async (_name, call) => {
    const member = await createMember(app)
    await app.setAccount(member.account, { limits: nothing })
    expect(namesIn(await call(member)).filter((name) => name !== domain)).toEqual([])
    expect(await readSpent(app, member.account)).toEqual(nothing)
  })
})

describe('what costs nothing tells no more than it was given', () => {
  test('a count of named stores has no facets, by keys and in the console', async () => {
    const [key, member] = [await app.key({ scopes }), await createMember(app)]
    const named = { store: { domains: [domain] } }
    for (const ask of [
      (body: object) => key.post('/contacts/count', body),
      (body: object) => member.ask('/contacts/count', body),
    ]) {
      for (const facets of [['countries'], ['roles', 'apps']]) {
        const refused = await ask({ ...named, facets })
        expect([refused.status, refused.body.error?.code, refused.body.error?.param]).toEqual([
          400,
          'invalid_request',
          'facets',
        ])
      }
      for (const body of [named, { ...named, facets: [] }])
        expect(await ask(body)).toMatchObject({ status: 200, body: { contacts: 1, facets: {} } })
    }
    expect(await readSpent(app, key.account)).toEqual(nothing)
  })

  test('a store that is added to a list by its id or domain is shown by name, and by nothing else', async () => {
    const key = await app.key({ scopes })
    const list = (await key.post('/lists', { name: 'Named', kind: 'stores' })).body.id
    await key.post(`/lists/${list}/items`, { domains: [alias], store_ids: [ids.store] })
    const { data } = (await key.get(`/lists/${list}/items`)).body
    expect(data).toEqual([
      { store_id: ids.store, domain, name: 'Quince Orchard', pending: false, added_at: expect.any(String) },
    ])
    expect(await readSpent(app, key.account)).toEqual(nothing)
  })
})

test('a planted reply is seen: an id, a domain under another name, a file, what no schema describes', () => {
  const json = (schema: object) => ({ 200: { content: { 'application/json': { schema } } } })
  const replies = {
    id: json({ type: 'object', properties: { best: { type: 'string', pattern: '^st_[A-Za-z]+_[A-Za-z]{16}$' } } }),
    domain: json({ type: 'array', items: { type: 'string', maxLength: 253 } }),
    nested: json({ anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Shop' }] }),
    open: json({ type: 'object', additionalProperties: { type: 'string' } }),
    file: { 200: { content: { 'text/csv': { schema: { type: 'string' } } } } },
    undescribed: { 400: { content: {} } },
    figures: json({ type: 'object', properties: { items: { type: 'integer' }, added: { type: 'integer' } } }),
  }
  const paths = Object.fromEntries(
    Object.entries(replies).map(([name, responses]) => [`/${name}`, { get: { responses } }]),
  )
  const Shop = { type: 'object', properties: { first_name: { type: ['string', 'null'] } } }
  const planted = { paths, components: { schemas: { Shop } } } as ReplyDocument
  expect(operationsThatCanName(planted)).toEqual(
    ['id', 'domain', 'nested', 'open', 'file', 'undescribed'].map((name) => `GET /${name}`),
  )
})
