import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'

const now = '2026-11-21T12:00:00.000Z'
let app: TestApp
let operator: TestUser

beforeAll(async () => {
  app = await startTestApp({ now })
  operator = await app.person({ operator: true, account: null, name: 'Olga Operator' })
})

async function create(body: object): Promise<Json> {
  const { status, body: reply } = await operator.post('/operator/accounts', { name: 'Aurora Candles', ...body })
  expect(status).toBe(200)
  return reply.account
}

const list = async (body: object): Promise<Json> => (await operator.post('/operator/accounts/search', body)).body
const idsOf = ({ data }: Json) => data.map(({ id }: Json) => id)

const change = (id: string, body: object) => operator.patch(`/operator/accounts/${id}`, body)

async function auditOf(account: string): Promise<Json[]> {
  return (await operator.get(`/operator/accounts/${account}`)).body.audit
}

describe('the list of accounts', () => {
  test('is found by a part of the name or address, in any case, and by id', async () => {
    const { id } = await create({ name: 'Kraken 100%_Imports', email: 'Ines@kraken.example' })
    for (const search of ['kraken 100%_', 'INES@KRAKEN', id, ` ${id} `])
      expect(idsOf(await list({ search })), search).toEqual([id])
    for (const search of ['kr_ken', 'kraken%imports', 'acct_ABCDEFGHIJKLMNOP'])
      expect(idsOf(await list({ search })), search).toEqual([])
  })

  test('is filtered by the plan in force, the status, and whether the account is suspended', async () => {
    const name = 'Filtered Goods'
    const pro = await create({ name, plan: 'pro' })
    const lapsed = await create({ name, plan: 'pro' })
    await change(lapsed.id, { status: 'canceled' })
    const suspended = await create({ name, plan: 'business' })
    await operator.post(`/operator/accounts/${suspended.id}/suspend`)
    const found = async (filter: object) => idsOf(await list({ search: 'filtered', ...filter }))
    expect(await found({})).toEqual([suspended.id, lapsed.id, pro.id])
    expect(await found({ plan: 'pro' })).toEqual([pro.id])
    expect(await found({ plan: 'free' })).toEqual([lapsed.id])
    expect(await found({ status: 'canceled' })).toEqual([lapsed.id])
    expect(await found({ status: 'suspended' })).toEqual([suspended.id])
    expect(await found({ status: 'closed' })).toEqual([])
  })

  test('is read in pages, the newest first, with members and keys', async () => {
    const ids = []
    for (let n = 0; n < 5; n++) ids.unshift((await create({ name: 'Paged Shop', plan: 'pro' })).id)
    await app.person({ account: ids[0], role: 'viewer' })
    await app.keyOf(ids[0]!, {})
    const seen: Json[] = []
    let cursor: string | undefined
    for (let page = 0; page < 3; page++) {
      const body = await list({ search: 'paged', limit: 2, ...(cursor && { cursor }) })
      seen.push(...body.data)
      expect(body.has_more).toBe(page < 2)
      cursor = body.next_cursor
    }
    expect(seen.map(({ id }) => id)).toEqual(ids)
    expect(seen[0]).toMatchObject({ members: 1, keys: 1, plan: 'pro', api_access: true })
    const { next_cursor } = await list({ search: 'paged', limit: 1 })
    expect((await list({ cursor: next_cursor })).error.code).toBe('invalid_cursor')
  })
})

describe('an account', () => {
  test('is created with a plan, and shown with usage, keys and members, without secrets', async () => {
    const { id } = await create({ email: 'mara@aurora.example', plan: 'pro', billing: 'annual' })
    const key = await app.keyOf(id, {})
    const viewer = await app.person({ account: id, role: 'viewer', name: 'Vera Viewer' })
    const { body, headers } = await operator.get(`/operator/accounts/${id}`)
    expect(body).toMatchObject({
      object: 'account_details',
      account: { id, plan: 'pro', status: 'active', billing: 'annual', email: 'mara@aurora.example', limits: {} },
      limits: { contact_credits: 1000 },
      billing: { has_customer: false, has_subscription: false, problem: null },
      keys: [{ id: key.id, mode: 'live', status: 'active' }],
      members: [{ id: viewer.id, name: 'Vera Viewer', role: 'viewer', added_at: now }],
      audit: [
        { action: 'key.created', target: key.id, person: null },
        { action: 'account.created', target: id, person: { id: operator.id, name: 'Olga Operator' }, at: now },
      ],
    })
    expect(body.usage).toHaveLength(8)
    expect(body.usage[0]).toMatchObject({ mode: 'live', meter: 'contact_credits', used: 0, limit: 1000 })
    expect(JSON.stringify(body)).not.toContain(key.secret.slice(9, -4))
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('is changed: plan, status, trial and limits, each with an entry of the audit log', async () => {
    const { id } = await create({})
    expect((await change(id, { plan: 'business' })).body.account).toMatchObject({ plan: 'business', status: 'active' })
    const trialEndsAt = '2026-12-01T00:00:00.000Z'
    expect((await change(id, { trial_ends_at: trialEndsAt })).body.account).toMatchObject({
      status: 'trialing',
      trial_ends_at: trialEndsAt,
    })
    expect((await change(id, { trial_ends_at: null })).body.account).toMatchObject({ status: 'active' })
    expect((await change(id, { limits: { search_rows: 7, store_exports: 0 } })).body.account.limits).toEqual({
      search_rows: 7,
      store_exports: 0,
    })
    expect((await change(id, { limits: { search_rows: null } })).body.account.limits).toEqual({ store_exports: 0 })
    const audit = await auditOf(id)
    expect(audit.map(({ action, details }) => [action, details])).toEqual([
      ['account.changed', { 'limits.search_rows': null }],
      ['account.changed', { 'limits.search_rows': 7, 'limits.store_exports': 0 }],
      ['account.changed', { trial_ends_at: null }],
      ['account.changed', { trial_ends_at: trialEndsAt }],
      ['account.changed', { plan: 'business' }],
      ['account.created', { plan: 'free' }],
    ])
    expect(audit[0]).toMatchObject({ address: '127.0.0.1' })
  })

  test('is not changed by what cannot be, and no entry is written', async () => {
    const { id } = await create({})
    const before = await auditOf(id)
    for (const body of [{ status: 'trialing' }, {}, { plan: 'gold' }, { limits: { search_rows: -1 } }, { name: 'x' }])
      expect((await change(id, body)).status, JSON.stringify(body)).toBe(400)
    expect((await change(id, { status: 'trialing' })).body.error.message).toMatch(/trial needs a paid plan/)
    expect(await auditOf(id)).toEqual(before)
  })

  test('that does not exist is not found', async () => {
    for (const id of ['acct_ABCDEFGHIJKLMNOP', app.deps.ids.seal('account', 4_000_000), 'nonsense'])
      for (const reply of [
        await operator.get(`/operator/accounts/${id}`),
        await change(id, { plan: 'pro' }),
        await operator.post(`/operator/accounts/${id}/suspend`),
        await operator.post('/operator/see-as', { account: id }),
      ])
        expect(reply.body.error.code).toBe('account_not_found')
  })

  test('is closed for its keys and people on their next request once suspended, and open again once resumed', async () => {
    const { id } = await create({ plan: 'pro' })
    const key = await app.keyOf(id, {})
    expect((await key.get('/usage')).status).toBe(200)
    const { body } = await operator.post(`/operator/accounts/${id}/suspend`)
    expect(body.account).toMatchObject({ suspended_at: now, api_access: false })
    const refused = await key.get('/usage')
    expect(refused.status).toBe(403)
    expect(refused.body.error.message).toBe('This account is suspended; contact its operator.')
    await operator.post(`/operator/accounts/${id}/resume`)
    expect((await key.get('/usage')).status).toBe(200)
    const actions = (await auditOf(id)).map(({ action }) => action)
    expect(actions).toEqual(['account.resumed', 'account.suspended', 'key.created', 'account.created'])
  })

  test('that was closed is neither suspended nor resumed', async () => {
    const { id } = await create({ plan: 'pro' })
    await app.db.query('update accounts set closed_at = $2 where id = $1', [app.accountNumber(id), now])
    const reply = await operator.post(`/operator/accounts/${id}/suspend`)
    expect(reply.body.error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('permanent') })
  })
})

describe('seeing as an account', () => {
  test('shows it as a viewer sees it, spends nothing, and is in its audit log', async () => {
    const { id } = await create({ name: 'Seen Shop', plan: 'pro' })
    const someone = await app.person({ operator: true, account: null })
    const { body } = await someone.post('/operator/see-as', { account: id })
    expect(body).toMatchObject({ object: 'see_as', account: { id, name: 'Seen Shop' } })
    expect((await someone.get('/session')).body.see_as).toEqual({ account: { id, name: 'Seen Shop' } })

    expect((await someone.get(`/accounts/${id}/usage`)).status).toBe(200)
    for (const [path, spending] of [
      ['stores/search', {}],
      ['contacts/reveal', { contact_ids: ['ct_live_ABCDEFGHIJKLMNOP'] }],
      ['keys', { name: 'k', mode: 'live', scopes: [] }],
    ] as const) {
      const refused = await someone.post(`/accounts/${id}/${path}`, spending)
      expect({ status: refused.status, code: refused.body.error.code }, path).toEqual({
        status: 403,
        code: 'insufficient_role',
      })
    }

    const stopped = await someone.delete('/operator/see-as')
    expect(stopped.body).toMatchObject({ object: 'see_as', account: null })
    expect((await someone.get('/session')).body.see_as).toBeNull()
    expect((await someone.get(`/accounts/${id}/usage`)).body.error.code).toBe('account_not_found')
    const audit = await auditOf(id)
    expect(audit.map(({ action, person: user }) => [action, user.id])).toEqual([
      ['see_as.stopped', someone.id],
      ['see_as.started', someone.id],
      ['account.created', operator.id],
    ])
    const { rows } = await app.db.query('select from ledger where account_id = $1', [app.accountNumber(id)])
    expect(rows).toEqual([])
  })

  test('another account ends the first, and repeating it changes nothing', async () => {
    const [first, second] = [await create({}), await create({})]
    const someone = await app.person({ operator: true, account: null })
    for (const { id } of [first, first, second]) await someone.post('/operator/see-as', { account: id })
    await someone.delete('/operator/see-as')
    await someone.delete('/operator/see-as')
    for (const { id } of [first, second])
      expect((await auditOf(id)).map(({ action }) => action)).toEqual([
        'see_as.stopped',
        'see_as.started',
        'account.created',
      ])
  })

  test('ends when the person is no operator any more', async () => {
    const { id } = await create({})
    const someone = await app.person({ operator: true, account: null })
    await someone.post('/operator/see-as', { account: id })
    await app.person({ email: someone.email, operator: false, account: null })
    expect((await someone.get('/session')).body.see_as).toBeNull()
  })
})
