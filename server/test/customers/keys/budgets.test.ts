import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createClient, type Json } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-20T10:00:00.000Z' })
  await app.importStores(Array.from({ length: 6 }, (_, i) => ({ domain: `shop-${i}.example`, name: `Shop ${i}` })))
})

const none = { contact_credits: null, store_exports: null, search_rows: null }
const keysOf = (user: TestUser) => `/accounts/${user.account}/keys`

async function createdKey(user: TestUser, budget?: object): Promise<Json> {
  const { status, body } = await user.post(keysOf(user), { name: 'assistant', ...(budget && { budget }) })
  expect(status).toBe(200)
  return body
}

async function lastAudit(user: TestUser): Promise<Json> {
  const { rows } = await app.db.query(
    'select action, target, details from audit_log where account_id = $1 order by entry desc limit 1',
    [app.accountNumber(user.account)],
  )
  return rows[0]
}

describe('the budget of a key', () => {
  test('is set when it is created, and its list says what of it is used', async () => {
    const user = await app.person()
    const { key, secret } = await createdKey(user, { search_rows: 5, contact_credits: null })
    expect(key.budget).toEqual({ ...none, search_rows: { limit: 5, used: 0, remaining: 5 } })
    expect((await lastAudit(user)).details).toMatchObject({ search_rows: 5 })
    await createClient(app.url, secret).post('/stores/search', { filters: {}, limit: 2 })
    const { body } = await user.get(keysOf(user))
    expect(body.data).toMatchObject([{ id: key.id, budget: { search_rows: { limit: 5, used: 2, remaining: 3 } } }])
    const { body: rotated } = await user.post(`${keysOf(user)}/${key.id}/rotate`, { overlap_seconds: 60 })
    for (const each of [rotated.key, rotated.replaced])
      expect(each.budget.search_rows).toEqual({ limit: 5, used: 2, remaining: 3 })
  })

  test('is changed by an administrator, with an entry in the audit log, and works at once', async () => {
    const owner = await app.person()
    const { key, secret } = await createdKey(owner)
    expect(key.budget).toEqual(none)
    const path = `${keysOf(owner)}/${key.id}/budget`
    const client = createClient(app.url, secret)
    await client.get('/stores/shop-0.example')
    for (const role of ['viewer', 'member'] as const) {
      const user = await app.person({ account: owner.account, role })
      expect(await user.post(path, { budget: { store_exports: 1 } })).toMatchObject({
        status: 403,
        body: { error: { code: 'insufficient_role' } },
      })
    }
    const admin = await app.person({ account: owner.account, role: 'admin' })
    const changed = await admin.post(path, { budget: { store_exports: 1, contact_credits: 3 } })
    expect(changed.body).toMatchObject({
      object: 'key',
      budget: { ...none, store_exports: { limit: 1, used: 1, remaining: 0 }, contact_credits: { limit: 3 } },
    })
    expect(await lastAudit(owner)).toEqual({
      action: 'key.budget_changed',
      target: key.id,
      details: { contact_credits: 3, contact_credits_before: null, store_exports: 1, store_exports_before: null },
    })
    expect((await client.get('/stores/shop-1.example')).body.error.param).toBe('key_budget.store_exports')
    await admin.post(path, { budget: { store_exports: null } })
    expect((await lastAudit(owner)).details).toEqual({ store_exports: null, store_exports_before: 1 })
    expect((await client.get('/stores/shop-1.example')).status).toBe(200)
  })

  test('that stays as it is leaves no entry; amounts that are none and keys of others are refused', async () => {
    const user = await app.person()
    const { key } = await createdKey(user, { search_rows: 5 })
    const path = `${keysOf(user)}/${key.id}/budget`
    expect((await user.post(path, { budget: { search_rows: 5 } })).status).toBe(200)
    expect((await lastAudit(user)).action).toBe('key.created')
    for (const budget of [{ search_rows: -1 }, { search_rows: 1.5 }, { search_rows: 2 ** 31 }, { requests: 1 }, null])
      expect((await user.post(path, { budget })).status).toBe(400)
    const stranger = await app.person()
    const foreign = await stranger.post(`${keysOf(stranger)}/${key.id}/budget`, { budget: { search_rows: 9 } })
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'key_not_found' } } })
    await user.post(`${keysOf(user)}/${key.id}/revoke`)
    const late = await user.post(path, { budget: { search_rows: 9 } })
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'key_not_active' } } })
  })
})
