import { beforeAll, describe, expect, test, vi } from 'vitest'
import { knownStatuses } from '../../../src/customers/accounts/account.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { FailedKeyCounter } from '../../../src/customers/auth/key-directory.ts'
import { newApiKey } from '../../../src/foundation/kernel/api-key.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { createTestProvider } from '../../support/billing-provider.ts'
import type { TestClient, TestReply } from '../../support/client.ts'
import { watchStatements } from '../../support/statements/watch.ts'
import {
  knownContact,
  knownDomain,
  knownExport,
  knownList,
  newName,
  type OperationCase,
  operations,
} from './support/operations.ts'

let app: TestApp
/** A key with every scope, of an account with access. */
let key: TestKey
let contactId: string
let listId: string
let exportId: string
/** One that may be deleted. */
let waitingExportId: string
let lists = 0
beforeAll(async () => {
  // Refused keys slow their address down; `made-up-keys.test.ts` is about that.
  vi.spyOn(FailedKeyCounter.prototype, 'recordFailure').mockReturnValue(0)
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', billing: createTestProvider() })
  await app.importStores([{ domain: knownDomain, name: 'Open Door' }])
  await app.importContacts([{ store_domain: knownDomain, first_name: 'Dora', profile_url: 'https://people.example/d' }])
  key = await app.key({ scopes, limits: { requests_per_minute: 1_000, billing_links_per_hour: 1_000 } })
  await giveCustomer(key)
  listId = await newList()
  exportId = await newExport()
  const isReady = async () => (await key.get(`/exports/${exportId}`)).body.status === 'ready'
  await vi.waitUntil(isReady, { timeout: 60_000 })
  // Those that the tests ask for wait: one that ran would send statements beside the requests.
  await app.exportRunner.close()
  waitingExportId = await newExport()
  contactId = (await key.post('/contacts/search', {})).body.data[0].id
})

const cases = Object.entries(operations).map(([name, operation]) => ({ name, operation }))
const each = describe.each(cases)
const eachOfData = test.each(cases.filter(({ operation }) => !operation.isBilling))
const eachOfBilling = test.each(cases.filter(({ operation }) => operation.isBilling))

/** A key of an account with a customer at the payment provider. */
async function giveCustomer({ account }: TestKey): Promise<void> {
  await app.db.query(`update accounts set customer_id = 'cus_' || id where id = $1`, [app.accountNumber(account)])
}

async function newList(): Promise<string> {
  return (await key.post('/lists', { name: `List ${++lists}`, kind: 'stores' })).body.id
}

/** A file of one store, which is one JSON document. Once nothing runs exports it waits. */
async function newExport(): Promise<string> {
  const request = { kind: 'stores', filters: {}, format: 'ndjson', max_rows: 1 }
  return (await key.post('/exports', request)).body.id
}

async function call(client: TestClient, operation: OperationCase, headers: Record<string, string> = {}) {
  const { method, body } = operation
  const path = operation.path
    .replace(knownList, listId)
    .replace(knownExport, method === 'DELETE' ? waitingExportId : exportId)
  if (method === 'GET') return client.get(path, headers)
  if (method === 'DELETE') {
    const reply = await client.delete(path, headers)
    if (reply.status === 200 && path.includes(listId)) listId = await newList()
    if (reply.status === 200 && path.includes(waitingExportId)) waitingExportId = await newExport()
    return reply
  }
  const text = JSON.stringify(body)?.replace(knownContact, contactId).replace(newName, `New ${++lists}`)
  const sent = text && JSON.parse(text)
  return method === 'PATCH' ? client.patch(path, sent, headers) : client.post(path, sent, headers)
}

function expectRefusal(reply: TestReply, status: number, code: string) {
  expect({ status: reply.status, code: reply.body.error?.code }).toEqual({ status, code })
  expect(reply.body.error.request_id).toBe(reply.headers.get('x-request-id'))
  expect(reply.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
  return reply.body.error
}

const withoutChecksum = () => `${newApiKey('live').slice(0, -6)}000000`

test('every operation of the published document has a case here, and no other', async () => {
  const document = (await app.anon.get('/openapi.json')).body
  const published = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(Object.keys(operations).sort()).toEqual(published.sort())
})

each('$name', ({ operation }) => {
  test('requires a key', async () => {
    expectRefusal(await call(app.anon, operation), 401, 'missing_api_key')
    for (const authorization of ['', 'Bearer', 'Bearer '])
      expectRefusal(await call(app.anon, operation, { authorization }), 401, 'missing_api_key')
  })

  test('accepts a key only in its header', async () => {
    const elsewhere = `?api_key=${key.secret}&access_token=${key.secret}`
    const reply = await call(app.anon, { ...operation, path: operation.path + elsewhere }, { 'x-api-key': key.secret })
    expectRefusal(reply, 401, 'missing_api_key')
  })

  test.each([
    ['of another scheme', () => `Basic ${btoa(`${key.secret}:`)}`],
    ['without its scheme', () => key.secret],
    ['of another shape', () => 'Bearer sdx_live_short'],
    ['with a word after it', () => `Bearer ${key.secret} more`],
    ['with a letter after it', () => `Bearer ${key.secret}x`],
    ['in other letters', () => `Bearer ${key.secret.toUpperCase()}`],
    ['with a wrong checksum', () => `Bearer ${withoutChecksum()}`],
    ['in the other mode', () => `Bearer ${key.secret.replace('_live_', '_test_')}`],
    ['given twice', () => `Bearer ${key.secret}, Bearer ${key.secret}`],
  ])('rejects a key %s without a query', async (_what, authorization) => {
    const statements = watchStatements(app.deps.db)
    expectRefusal(await call(app.anon, operation, { authorization: authorization() }), 401, 'invalid_api_key')
    expect(statements()).toEqual([])
  })

  test('rejects a well-formed unknown key', async () => {
    const reply = await call(app.anon, operation, { authorization: `Bearer ${newApiKey('live')}` })
    expectRefusal(reply, 401, 'invalid_api_key')
  })

  test('rejects an ended key from the next request on', async () => {
    const own = await app.key({ scopes })
    await app.suspendKey(own)
    expectRefusal(await call(own, operation), 401, 'suspended_api_key')
    await app.revokeKey(own)
    expectRefusal(await call(own, operation), 401, 'revoked_api_key')
    const brief = await app.keyOf(own.account, { scopes, expires: new Date(app.clock.now().getTime() + 1) })
    app.clock.advance(1)
    expectRefusal(await call(brief, operation), 401, 'expired_api_key')
  })

  test('rejects a key with every scope except the required one', async () => {
    const others = await app.keyOf(key.account, { scopes: scopes.filter((scope) => scope !== operation.scope) })
    const error = expectRefusal(await call(others, operation), 403, 'insufficient_scope')
    expect(error).toMatchObject({ type: 'permission_error', param: operation.scope })
  })

  test.each(['Bearer', 'bearer', 'BEARER'])('accepts the right key after %s', async (scheme) => {
    const only = await app.keyOf(key.account, { scopes: [operation.scope, ...(operation.moreScopes ?? [])] })
    const reply = await call(app.anon, operation, { authorization: `${scheme} ${only.secret}` })
    expect(reply.status).toBe(operation.status ?? 200)
    if (!operation.isFile) expect(reply.body.request_id).toBe(reply.headers.get('x-request-id'))
  })

  test('accepts a test key', async () => {
    const scopesOfKey = [operation.scope, ...(operation.moreScopes ?? [])]
    const sandbox = await app.keyOf(key.account, { scopes: scopesOfKey, mode: 'test' })
    // The store, its contacts, the list and the export exist only in live mode.
    const { path, status = 200 } = operation
    const asksForThem =
      [knownDomain, knownList, knownExport].some((known) => path.includes(known)) || path === '/contacts/reveal'
    expect((await call(sandbox, operation)).status).toBe(asksForThem ? 404 : status)
  })
})

eachOfData('$name tells a lapsed account how to come back, whatever the scopes of its key', async ({ operation }) => {
  const lapsed = await app.key({ scopes })
  const blind = await app.keyOf(lapsed.account, { scopes: [] })
  for (const [subscription, status, action, endpoint] of [
    ['sub_lapsed', 'past_due', 'manage_billing', '/api/v1/billing/portal-link'],
    ['sub_lapsed', 'unpaid', 'manage_billing', '/api/v1/billing/portal-link'],
    // The plan was granted by hand, so there is no subscription to recover.
    [null, 'unpaid', 'create_subscription_link', '/api/v1/billing/subscription-link'],
    ['sub_lapsed', 'canceled', 'create_subscription_link', '/api/v1/billing/subscription-link'],
    [null, 'none', 'create_subscription_link', '/api/v1/billing/subscription-link'],
  ] as const) {
    await app.setAccount(lapsed.account, { status })
    const number = app.accountNumber(lapsed.account)
    await app.db.query('update accounts set subscription_id = $1 where id = $2', [subscription, number])
    for (const caller of [lapsed, blind]) {
      const error = expectRefusal(await call(caller, operation), 403, 'api_access_required')
      // A page that a person can open, not the endpoint, which answers only a POST.
      const { origin } = new URL(error.billing.url)
      expect(error.billing).toEqual({ action, endpoint, url: `${origin}/billing?account=${lapsed.account}` })
    }
  }
})

eachOfBilling('$name answers a lapsed account', async ({ operation }) => {
  const lapsed = await app.key({ scopes: [operation.scope] })
  await giveCustomer(lapsed)
  for (const status of knownStatuses) {
    if (status !== 'trialing') await app.setAccount(lapsed.account, { status })
    expect((await call(lapsed, operation)).status, status).toBe(200)
    await app.db.query('delete from billing_windows')
  }
})

test('a rejected caller changes nothing', async () => {
  const lapsed = await app.key({ scopes })
  await app.setAccount(lapsed.account, { status: 'past_due' })
  const blind = await app.keyOf(key.account, { scopes: [] })
  const traces = async () => {
    const tables = ['request_windows', 'billing_windows', 'usage_counters', 'store_exports', 'ledger']
    return Promise.all(tables.map(async (table) => (await app.db.query(`select * from ${table} order by 1, 2`)).rows))
  }
  const before = await traces()
  for (const operation of Object.values(operations))
    for (const caller of [app.anon, ...(operation.isBilling ? [] : [lapsed]), blind])
      expect((await call(caller, operation)).status).toBeGreaterThan(400)
  expect(await traces()).toEqual(before)
})
