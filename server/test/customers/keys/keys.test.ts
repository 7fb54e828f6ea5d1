import { beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createClient, type Json } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'

const start = '2026-11-20T10:00:00.000Z'
const logged: string[] = []
let app: TestApp
beforeAll(async () => {
  const destination = { write: (line: string) => void logged.push(line) }
  app = await startTestApp({ now: start, log: createLogger({ level: 'info', destination }) })
})

const keysOf = (user: TestUser) => `/accounts/${user.account}/keys`

async function createdKey(user: TestUser, body: object = { name: 'shop sync' }): Promise<Json> {
  const { status, body: reply } = await user.post(keysOf(user), body)
  expect(status).toBe(200)
  return reply
}

async function usableStatus(secret: string): Promise<number> {
  return (await createClient(app.url, secret).get('/usage')).status
}

async function auditOf(user: TestUser): Promise<Json[]> {
  const { rows } = await app.db.query(
    'select action, target, details, person_id from audit_log where account_id = $1 order by entry',
    [app.accountNumber(user.account)],
  )
  const id = app.deps.ids.open(user.id)!.value
  for (const row of rows) expect(row.person_id).toBe(id)
  return rows.map(({ action, target, details }) => ({ action, target, details }))
}

describe('creating a key', () => {
  test('shows its secret once, and the key works at once', async () => {
    app.clock.set(start)
    const user = await app.person()
    const reply = await user.post(keysOf(user), {
      name: '  shop sync ',
      scopes: ['usage:read', 'stores:read'],
      expires_at: '2027-01-01T00:00:00Z',
    })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const { key, secret } = reply.body
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[A-Za-z]{16}$/),
      name: 'shop sync',
      mode: 'live',
      display: `sdx_live_${secret.slice(9, 13)}…${secret.slice(-4)}`,
      status: 'active',
      scopes: ['usage:read', 'stores:read'],
      created_at: start,
      last_used_at: null,
      expires_at: '2027-01-01T00:00:00.000Z',
      suspended_at: null,
      revoked_at: null,
      budget: { contact_credits: null, store_exports: null, search_rows: null },
    })
    expect((await createClient(app.url, secret).get('/usage')).body.key).toEqual({
      id: key.id,
      name: 'shop sync',
      mode: 'live',
      scopes: ['usage:read', 'stores:read'],
    })

    const { body: list } = await user.get(keysOf(user))
    expect(list.data).toEqual([key])
    expect(JSON.stringify(list)).not.toContain(secret)
    expect(await auditOf(user)).toEqual([
      {
        action: 'key.created',
        target: key.id,
        details: {
          name: 'shop sync',
          mode: 'live',
          scopes: 'usage:read stores:read',
          expires_at: '2027-01-01T00:00:00.000Z',
        },
      },
    ])
    expect(logged.join('')).not.toContain(secret.slice(9, 30))
  })

  test('by default it is live, reads all data and billing, and does not expire', async () => {
    const { key } = await createdKey(await app.person())
    expect(key).toMatchObject({
      mode: 'live',
      scopes: ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal', 'billing:read'],
      expires_at: null,
    })
  })

  test('needs a plan with access, and nothing is created without', async () => {
    const user = await app.person({ plan: 'free' })
    const refused = await user.post(keysOf(user), { name: 'early' })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'api_access_required' } } })
    expect((await user.get(keysOf(user))).body.data).toEqual([])
    expect(await auditOf(user)).toEqual([])
  })

  test('needs an administrator who signed in within ten minutes', async () => {
    app.clock.set(start)
    const owner = await app.person()
    for (const role of ['viewer', 'member'] as const) {
      const user = await app.person({ account: owner.account, role })
      const refused = await user.post(keysOf(user), { name: 'k' })
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'insufficient_role' } } })
    }
    const admin = await app.person({ account: owner.account, role: 'admin' })
    await createdKey(admin)
    app.clock.advance(10 * 60_000)
    const late = await admin.post(keysOf(admin), { name: 'late' })
    expect(late).toMatchObject({ status: 403, body: { error: { code: 'fresh_sign_in_required' } } })
  })

  test('a key that may change the plan is for owners, also when it is rotated', async () => {
    app.clock.set(start)
    const owner = await app.person()
    const admin = await app.person({ account: owner.account, role: 'admin' })
    const body = { name: 'billing', scopes: ['billing:read', 'billing:manage'] }
    const refused = { status: 403, body: { error: { code: 'insufficient_role', param: 'scopes' } } }
    expect(await admin.post(keysOf(admin), body)).toMatchObject(refused)
    const { key } = await createdKey(owner, body)
    expect(await admin.post(`${keysOf(admin)}/${key.id}/rotate`, { overlap_seconds: 0 })).toMatchObject(refused)
    expect((await owner.post(`${keysOf(owner)}/${key.id}/rotate`, { overlap_seconds: 0 })).status).toBe(200)
  })

  test.each([
    ['no name', {}],
    ['a name of blanks', { name: ' \u00a0 ' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a name that the database cannot store', { name: 'a\ud800' }],
    ['a name that is too long', { name: 'x'.repeat(201) }],
    ['no scopes', { name: 'k', scopes: [] }],
    ['an unknown scope', { name: 'k', scopes: ['everything'] }],
    ['an end in the past', { name: 'k', expires_at: '2026-01-01T00:00:00Z' }],
    ['an end that is no time', { name: 'k', expires_at: 'tomorrow' }],
    ['an unknown property', { name: 'k', secret: 'sdx_live_x' }],
  ])('is refused with %s', async (_what, body) => {
    app.clock.set(start)
    const user = await app.person()
    expect((await user.post(keysOf(user), body)).status).toBe(400)
    expect((await user.get(keysOf(user))).body.data).toEqual([])
  })

  test('an account has at most 100 usable keys, also when they are created at once', async () => {
    app.clock.set(start)
    const user = await app.person()
    await app.db.query(
      `insert into api_keys (account_id, mode, name, secret_hash, shown_first, shown_last, scopes, created_at)
       select $1, 'live', 'k' || n, sha256((n || $2)::bytea), 'aaaa', 'bbbb', '{usage:read}', $3
       from generate_series(1, 98) n`,
      [app.accountNumber(user.account), user.account, start],
    )
    const replies = await Promise.all(Array.from({ length: 5 }, (_, n) => user.post(keysOf(user), { name: `n${n}` })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409])
    expect(replies.find(({ status }) => status === 409)?.body.error.code).toBe('too_many_keys')
    // Revoked ones do not count.
    const { data } = (await user.get(`${keysOf(user)}?limit=1`)).body
    await user.post(`${keysOf(user)}/${data[0].id}/revoke`)
    await createdKey(user)
  })
})

describe('the list of keys', () => {
  test('is paged, newest first; usable and ended ones can be told apart', async () => {
    app.clock.set(start)
    const user = await app.person()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await createdKey(user, { name: `key ${n}` })).key.id)
    await user.post(`${keysOf(user)}/${ids[1]}/revoke`)
    await user.post(`${keysOf(user)}/${ids[2]}/suspend`)
    await user.post(`${keysOf(user)}/${ids[3]}/rotate`, { overlap_seconds: 0 })
    const list = async (query: string) => (await user.get(`${keysOf(user)}?${query}`)).body
    const idsOf = ({ data }: Json) => data.map(({ id }: Json) => id)
    expect(idsOf(await list('state=ended'))).toEqual([ids[1], ids[3]])
    const usable = idsOf(await list('state=usable'))
    expect(usable.slice(1)).toEqual([ids[0], ids[2], ids[4]])

    const first = await list('limit=4')
    expect(first).toMatchObject({ has_more: true })
    const rest = await list(`limit=4&cursor=${first.next_cursor}`)
    expect(rest).toMatchObject({ has_more: false, next_cursor: null })
    expect([...idsOf(first), ...idsOf(rest)]).toEqual([usable[0], ...ids])
    // A cursor belongs to its list.
    const foreign = await user.get(`${keysOf(user)}?state=ended&cursor=${first.next_cursor}`)
    expect(foreign.body.error).toMatchObject({ code: 'invalid_cursor', param: 'cursor' })
  })

  test('stays visible without access', async () => {
    const user = await app.person()
    await createdKey(user)
    await app.setAccount(user.account, { status: 'past_due' })
    expect((await user.get(keysOf(user))).body.data).toHaveLength(1)
  })
})

describe('rotating a key', () => {
  test('both keys work during the overlap, then only the new one', async () => {
    app.clock.set(start)
    const user = await app.person()
    const old = await createdKey(user)
    const rotated = (await user.post(`${keysOf(user)}/${old.key.id}/rotate`, { overlap_seconds: 3600 })).body
    expect(rotated).toMatchObject({
      key: { name: 'shop sync', status: 'active' },
      replaced: { id: old.key.id, expires_at: '2026-11-20T11:00:00.000Z' },
    })
    expect([await usableStatus(old.secret), await usableStatus(rotated.secret)]).toEqual([200, 200])
    app.clock.advance(3_600_000)
    expect([await usableStatus(old.secret), await usableStatus(rotated.secret)]).toEqual([401, 200])
    expect((await auditOf(user)).at(-1)).toEqual({
      action: 'key.rotated',
      target: old.key.id,
      details: { successor: rotated.key.id, overlap_seconds: 3600 },
    })
  })

  test('is refused for a key that is not active', async () => {
    app.clock.set(start)
    const user = await app.person()
    const { key } = await createdKey(user)
    const rotate = () => user.post(`${keysOf(user)}/${key.id}/rotate`, { overlap_seconds: 0 })
    for (const change of ['suspend', 'revoke']) {
      await user.post(`${keysOf(user)}/${key.id}/${change}`)
      expect(await rotate()).toMatchObject({ status: 409, body: { error: { code: 'key_not_active' } } })
    }
  })
})

describe('revoking a key', () => {
  test('the API refuses it at once; undone within 15 seconds, it works again', async () => {
    app.clock.set(start)
    const user = await app.person()
    const { key, secret } = await createdKey(user)
    const change = (what: string) => user.post(`${keysOf(user)}/${key.id}/${what}`)
    expect((await change('revoke')).body).toMatchObject({ object: 'key', status: 'revoked', revoked_at: start })
    expect(await usableStatus(secret)).toBe(401)
    app.clock.advance(15_000)
    expect((await change('revoke/undo')).body).toMatchObject({ status: 'active', revoked_at: null })
    expect(await usableStatus(secret)).toBe(200)
    // Nothing is left to undo, which is no failure.
    expect((await change('revoke/undo')).body).toMatchObject({ status: 'active' })
    expect((await auditOf(user)).map(({ action }) => action)).toEqual([
      'key.created',
      'key.revoked',
      'key.revocation_undone',
    ])
  })

  test('is permanent after 15 seconds', async () => {
    app.clock.set(start)
    const user = await app.person()
    const { key, secret } = await createdKey(user)
    const change = (what: string) => user.post(`${keysOf(user)}/${key.id}/${what}`)
    await change('revoke')
    app.clock.advance(15_001)
    expect(await change('revoke/undo')).toMatchObject({ status: 409, body: { error: { code: 'revocation_final' } } })
    // Revoking again does not begin the time anew.
    expect((await change('revoke')).body).toMatchObject({ revoked_at: start })
    expect(await change('revoke/undo')).toMatchObject({ status: 409 })
    expect(await usableStatus(secret)).toBe(401)
    for (const late of ['suspend', 'resume']) expect(await change(late)).toMatchObject({ status: 409 })
    expect(await auditOf(user)).toHaveLength(2)
  })

  test('by the command line cannot be undone here', async () => {
    app.clock.set(start)
    const user = await app.person()
    const key = await app.keyOf(user.account, {})
    await app.revokeKey(key)
    expect(await user.post(`${keysOf(user)}/${key.id}/revoke/undo`)).toMatchObject({ status: 409 })
    expect(await usableStatus(key.secret)).toBe(401)
  })

  test('works without access, as do suspending and resuming', async () => {
    app.clock.set(start)
    const user = await app.person()
    const { key } = await createdKey(user)
    await app.setAccount(user.account, { status: 'unpaid' })
    for (const [change, status] of [
      ['suspend', 'suspended'],
      ['resume', 'active'],
      ['revoke', 'revoked'],
    ])
      expect((await user.post(`${keysOf(user)}/${key.id}/${change}`)).body).toMatchObject({ status })
  })
})

test('a suspended key is refused until it is resumed', async () => {
  app.clock.set(start)
  const user = await app.person()
  const { key, secret } = await createdKey(user)
  expect((await user.post(`${keysOf(user)}/${key.id}/suspend`)).body).toMatchObject({ suspended_at: start })
  expect(await usableStatus(secret)).toBe(401)
  expect((await user.post(`${keysOf(user)}/${key.id}/resume`)).body).toMatchObject({ suspended_at: null })
  expect(await usableStatus(secret)).toBe(200)
})

test('a key of another account does not exist here, whatever is done to it', async () => {
  app.clock.set(start)
  const [user, other] = [await app.person(), await app.person()]
  const { key } = await createdKey(other)
  const notFound = { status: 404, body: { error: { code: 'key_not_found' } } }
  for (const id of [key.id, user.id, user.account, 'key_AAAAAAAAAAAAAAAA', 'x']) {
    for (const change of ['revoke', 'revoke/undo', 'suspend', 'resume'])
      expect(await user.post(`${keysOf(user)}/${id}/${change}`)).toMatchObject(notFound)
    expect(await user.post(`${keysOf(user)}/${id}/rotate`, { overlap_seconds: 0 })).toMatchObject(notFound)
  }
  expect((await other.get(keysOf(other))).body.data).toEqual([key])
  expect(await auditOf(user)).toEqual([])
})
