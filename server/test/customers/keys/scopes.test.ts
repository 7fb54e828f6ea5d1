import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createClient, type Json } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-20T10:00:00.000Z' })
})

const keysOf = (user: TestUser) => `/accounts/${user.account}/keys`

async function createdKey(user: TestUser, scopes?: string[]): Promise<Json> {
  const { status, body } = await user.post(keysOf(user), { name: 'sync', ...(scopes && { scopes }) })
  expect(status).toBe(200)
  return body
}

function setScopes(user: TestUser, key: Json, scopes: string[]) {
  return user.post(`${keysOf(user)}/${key.id}/scopes`, { scopes })
}

const codeOf = ({ status, body }: { status: number; body: Json }) => [status, body.error?.code, body.error?.param]

async function auditOf(user: TestUser): Promise<Json[]> {
  const { rows } = await app.db.query<Json>(
    'select action, target, details from audit_log where account_id = $1::bigint order by entry desc',
    [app.accountNumber(user.account)],
  )
  return rows
}

test('a new key has all data, and reads billing', async () => {
  const { key } = await createdKey(await app.person())
  expect(key.scopes).toEqual(['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal', 'billing:read'])
})

test('scopes are changed by an administrator, with an entry in the audit log, and hold at once', async () => {
  const owner = await app.person()
  const { key, secret } = await createdKey(owner)
  const admin = await app.person({ account: owner.account, role: 'admin' })
  const client = createClient(app.url, secret)
  expect((await client.get('/usage')).status).toBe(200)
  const changed = await setScopes(admin, key, ['billing:read', 'stores:read'])
  expect(changed).toMatchObject({ status: 200, body: { object: 'key', scopes: ['stores:read', 'billing:read'] } })
  expect(codeOf(await client.get('/usage'))).toEqual([403, 'insufficient_scope', 'usage:read'])
  expect((await auditOf(owner))[0]).toMatchObject({
    action: 'key.scopes_changed',
    target: key.id,
    details: {
      scopes: 'stores:read billing:read',
      scopes_before: 'usage:read stores:read contacts:search contacts:reveal billing:read',
    },
  })
  // The same scopes in another order are no change, and leave no entry.
  await setScopes(admin, key, ['stores:read', 'billing:read'])
  expect((await auditOf(owner)).filter(({ action }) => action === 'key.scopes_changed')).toHaveLength(1)
})

test('only an owner adds billing:manage, or anything else to a key that has it; an administrator takes away', async () => {
  const owner = await app.person()
  const admin = await app.person({ account: owner.account, role: 'admin' })
  const { key } = await createdKey(owner)
  const refused = [403, 'insufficient_role', 'scopes']
  expect(codeOf(await setScopes(admin, key, [...key.scopes, 'billing:manage']))).toEqual(refused)
  expect((await setScopes(owner, key, [...key.scopes, 'billing:manage'])).status).toBe(200)
  expect(codeOf(await setScopes(admin, key, [...key.scopes, 'billing:manage', 'lists:manage']))).toEqual(refused)
  expect((await setScopes(admin, key, ['usage:read', 'billing:manage'])).status).toBe(200)
  expect((await setScopes(admin, key, ['usage:read'])).status).toBe(200)
  for (const role of ['viewer', 'member'] as const)
    expect(codeOf(await setScopes(await app.person({ account: owner.account, role }), key, ['usage:read']))).toEqual([
      403,
      'insufficient_role',
      'admin',
    ])
})

test('without access scopes can only be taken away', async () => {
  const owner = await app.person()
  const { key } = await createdKey(owner)
  await app.setAccount(owner.account, { status: 'canceled' })
  const refused = await setScopes(owner, key, ['usage:read', 'billing:manage'])
  expect(codeOf(refused)).toEqual([403, 'api_access_required', undefined])
  expect(refused.body.error.billing.url).toMatch(new RegExp(`/billing\\?account=${owner.account}$`))
  const changes = (await auditOf(owner)).filter(({ action }) => action === 'key.scopes_changed')
  expect(changes).toEqual([])
  expect((await setScopes(owner, key, ['billing:read'])).body.scopes).toEqual(['billing:read'])
})

test('adding needs a fresh sign-in, as a new key does, and a key of the account that has not ended', async () => {
  const owner = await app.person()
  const { key } = await createdKey(owner)
  const { key: foreign } = await createdKey(await app.person())
  expect(codeOf(await setScopes(owner, foreign, ['usage:read']))).toEqual([404, 'key_not_found', undefined])
  for (const scopes of [[], ['usage:write'], ['usage:read', 'usage:read']])
    expect((await setScopes(owner, key, scopes)).status).toBe(400)
  await owner.post(`${keysOf(owner)}/${key.id}/revoke`)
  expect(codeOf(await setScopes(owner, key, ['usage:read']))).toEqual([409, 'key_not_active', undefined])
  const { key: other } = await createdKey(owner, ['usage:read'])
  app.clock.advance(10 * 60_000)
  expect(codeOf(await setScopes(owner, other, ['usage:read', 'stores:read']))).toEqual([
    ...[403, 'fresh_sign_in_required', undefined],
  ])
})
