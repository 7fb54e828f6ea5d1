import { beforeAll, expect, test } from 'vitest'
import { defaultScopes, type Scope, scopes } from '../../../src/customers/auth/caller.ts'
import { setKeyLimits } from '../../../src/customers/keys/change-key.ts'
import { startSecondServer } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestClient } from '../../support/client.ts'
import { commandsOf } from '../../support/deps.ts'

let app: TestApp
let atSecondServer: (key: TestKey) => TestClient
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-20T10:00:00.000Z' })
  await app.importStores([{ domain: 'shop.example', name: 'Shop' }])
  atSecondServer = await startSecondServer(app)
})

const setScopes = (key: TestKey, held: readonly Scope[]) => setKeyLimits(commandsOf(app.deps), key.id, { scopes: held })
const search = { filters: {}, limit: 1 }

test('a key loses a scope with its next request, on every server, and gets it back', async () => {
  const key = await app.key({ scopes: ['stores:read', 'usage:read', 'billing:read'] })
  const servers = [key, atSecondServer(key)]
  const answers = async () => {
    const found: unknown[] = []
    for (const server of servers)
      for (const reply of [await server.post('/stores/search', search), await server.get('/usage')])
        found.push(reply.status === 200 ? 200 : [reply.status, reply.body.error.code, reply.body.error.param])
    return found
  }
  // Twice: the second time both servers know the key.
  for (const expected of [200, 200] as const) expect(await answers()).toEqual(Array(4).fill(expected))
  expect((await setScopes(key, ['billing:read', 'usage:read'])).scopes).toEqual(['usage:read', 'billing:read'])
  const lost = [403, 'insufficient_scope', 'stores:read']
  expect(await answers()).toEqual([lost, 200, lost, 200])
  await setScopes(key, ['stores:read', 'usage:read', 'billing:read'])
  expect(await answers()).toEqual([200, 200, 200, 200])
})

test('of an account whose plan has lapsed a key only loses scopes', async () => {
  const key = await app.key({ scopes: ['usage:read', 'stores:read', 'billing:read'] })
  for (const status of ['past_due', 'canceled', 'none'] as const) {
    await app.setAccount(key.account, { status })
    await expect(setScopes(key, ['usage:read', 'billing:read', 'billing:manage']), status).rejects.toThrow(
      /has no active paid plan/,
    )
    // A scope for another is no narrowing.
    await expect(setScopes(key, ['contacts:reveal']), status).rejects.toThrow(/has no active paid plan/)
  }
  expect((await setScopes(key, ['usage:read', 'billing:read'])).scopes).toEqual(['usage:read', 'billing:read'])
  await expect(setScopes(key, ['usage:read', 'stores:read', 'billing:read'])).rejects.toThrow(/has no active paid plan/)
  expect((await key.get('/billing/status')).status).toBe(200)
  await app.setAccount(key.account, { plan: 'pro', status: 'active' })
  expect((await setScopes(key, scopes)).scopes).toEqual([...scopes])
})

test('a change that is refused changes nothing, its budget included', async () => {
  const key = await app.key({ scopes: ['usage:read'] })
  await app.setAccount(key.account, { status: 'canceled' })
  const changes = { scopes: ['billing:read'] as const, budget: { search_rows: 7 } }
  await expect(setKeyLimits(commandsOf(app.deps), key.id, changes)).rejects.toThrow(/has no active paid plan/)
  const { rows } = await app.db.query<{ budget_search_rows: number | null; scopes: string[] }>(
    'select scopes, budget_search_rows from api_keys where account_id = $1::bigint',
    [app.accountNumber(key.account)],
  )
  expect(rows).toEqual([{ scopes: ['usage:read'], budget_search_rows: null }])
})

test('a revoked key gets no scopes', async () => {
  const key = await app.key({ scopes: ['usage:read'] })
  await app.revokeKey(key)
  await expect(setScopes(key, ['usage:read', 'stores:read'])).rejects.toThrow(/is revoked; that is permanent/)
})

test('a key with the default scopes can read why it is refused once the plan has lapsed', async () => {
  const key = await app.key({ scopes: defaultScopes })
  await app.setAccount(key.account, { status: 'canceled' })
  expect((await key.get('/usage')).body.error.code).toBe('api_access_required')
  const { status, body } = await key.get('/billing/status')
  expect(status).toBe(200)
  expect(body).toMatchObject({ plan: { status: 'canceled' }, actions: { can_create_subscription_link: true } })
})
