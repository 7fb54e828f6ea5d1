import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { call, expectEnvelope } from '../../foundation/http/support/test-server.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { createTestProvider } from '../../support/billing-provider.ts'
import { methodsOf, operations } from './support/operations.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', billing: createTestProvider() })
  await app.importStores([{ domain: 'first.example', name: 'First' }])
})

const json = { 'content-type': 'application/json' }
const bearer = (key: TestKey) => ({ authorization: `Bearer ${key.secret}` })
const send = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  call(`${app.url}/api/v1${path}`, { method, headers, ...(body !== undefined && { body }) })

const posts = Object.values(operations).filter(({ method }) => method === 'POST')
const tooLarge = JSON.stringify({ filters: {}, domains: ['x'.repeat(1_000_000)] })

describe.each(posts)('$method $path', ({ path, body, scope, isBilling }) => {
  test('checks size and syntax of the body before the key', async () => {
    expectEnvelope(await send('POST', path, '{"filters":', json), 400, 'invalid_json')
    expectEnvelope(await send('POST', path, '{"a":1,"a":1}', json), 400, 'invalid_json')
    expectEnvelope(await send('POST', path, tooLarge, json), 413, 'payload_too_large')
    const madeUp = { ...json, authorization: 'Bearer nonsense' }
    expectEnvelope(await send('POST', path, '{', madeUp), 400, 'invalid_json')
    expectEnvelope(await send('POST', path, tooLarge, madeUp), 413, 'payload_too_large')
  })

  test("checks the key before the body's content", async () => {
    expectEnvelope(await send('POST', path, '{"nonsense":1}', json), 401, 'missing_api_key')
    expectEnvelope(await send('POST', path, '[]', json), 401, 'missing_api_key')
  })

  test("checks access if required, then the scope, then the body's content", async () => {
    const blind = await app.key({ scopes: ['usage:read'] })
    const nonsense = JSON.stringify({ ...body, nonsense: 1 })
    const sendNonsense = (key: TestKey) => send('POST', path, nonsense, { ...json, ...bearer(key) })
    expectEnvelope(await sendNonsense(blind), 403, 'insufficient_scope')
    await app.setAccount(blind.account, { status: 'unpaid' })
    expectEnvelope(await sendNonsense(blind), 403, isBilling ? 'insufficient_scope' : 'api_access_required')
    const seeing = await app.key({ scopes: [scope] })
    expect(expectEnvelope(await sendNonsense(seeing), 400, 'unknown_parameter').param).toBe('nonsense')
  })

  test('checks the rate limits before access and scope', async () => {
    const key = await app.key({ scopes: ['usage:read'], limits: { requests_per_minute: 1 } })
    expect((await key.get('/usage')).status).toBe(200)
    const spent = await send('POST', path, '{}', { ...json, ...bearer(key) })
    expectEnvelope(spent, 429, 'rate_limit_exceeded')
    await app.setAccount(key.account, { status: 'canceled' })
    // Without a plan the account's own limit still applies, and is checked first.
    const lapsed = await send('POST', path, '{}', { ...json, ...bearer(key) })
    expectEnvelope(lapsed, 429, 'rate_limit_exceeded')
  })
})

test.each(Object.values(operations))('$method $path tells another method and path before the key', async ({ path }) => {
  const noJson = { 'content-type': 'text/plain', authorization: 'Bearer nonsense' }
  for (const headers of [{}, noJson]) {
    const reply = await send('PUT', path, '{', headers)
    expectEnvelope(reply, 405, 'method_not_allowed')
    expect(reply.headers.get('allow')).toBe(methodsOf(path))
    expectEnvelope(await send('POST', `${path}/beyond/all/paths`, '{', headers), 404, 'route_not_found')
  }
})

test('a path parameter is checked after the scope', async () => {
  const blind = await app.key({ scopes: ['usage:read'] })
  expectEnvelope(await send('GET', '/stores/no..domain', undefined, bearer(blind)), 403, 'insufficient_scope')
  expectEnvelope(await send('GET', '/stores/no..domain'), 401, 'missing_api_key')
})

test.each([
  ['unknown_parameter', { filters: {}, limit: 100, more: 1 }],
  ['invalid_limit', { filters: {}, limit: 101 }],
  ['invalid_filter_value', { filters: { countries: ['nowhere'] }, limit: 100 }],
  ['invalid_filter_value', { filters: { first_discovered_at: { from: '2026-11-01' } }, limit: 100 }],
  ['invalid_cursor', { filters: {}, limit: 100, cursor: 'cur_AAAA' }],
])('quotas are checked after validation (%s)', async (code, body) => {
  const key = await app.key({ limits: { search_rows: 0, store_exports: 0 } })
  const search = (request: object) =>
    send('POST', '/stores/search', JSON.stringify(request), { ...json, ...bearer(key) })
  expectEnvelope(await search(body), 400, code)
  expect(expectEnvelope(await search({ filters: {} }), 429, 'rate_limit_exceeded').param).toBe('search_rows')
})

test('rows are checked before exports, and a rejected request spends neither', async () => {
  const key = await app.key({ scopes, limits: { search_rows: 1, store_exports: 0 } })
  expect((await key.post('/stores/search', { filters: {}, limit: 2 })).body.error.param).toBe('search_rows')
  expect((await key.post('/stores/search', { filters: {}, limit: 1 })).body.error.param).toBe('store_exports')
  const usage = (await key.get('/usage')).body
  expect([usage.search_rows.used, usage.store_exports.used]).toEqual([0, 0])
})
