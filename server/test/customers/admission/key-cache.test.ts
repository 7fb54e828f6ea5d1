import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { removeStore } from '../../../src/catalogue/erasure/remove-store.ts'
import { generous } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { watchStatements } from '../../support/statements/watch.ts'
import { findDifferences, setBudget, siblingOf } from '../auth/support/key-budgets.ts'

const start = '2026-11-10T12:00:00.000Z'
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: start })
  await app.importStores(Array.from({ length: 12 }, (_, index) => storeRecord(index)))
})

const storeRecord = (index: number, name = `Known ${index}`) => ({ domain: `known-${index}.example`, name })
const lookUp = (key: TestKey, index: number) => key.get(`/stores/known-${index % 12}.example`)
const search = (key: TestKey, limit: number) => key.post('/stores/search', { filters: {}, limit })

/** A key that the server has admitted before, so that it knows what to expect. */
async function knownKey(traits: Parameters<TestApp['key']>[0] = {}): Promise<TestKey> {
  const key = await app.key({ ...traits, limits: { ...generous, ...traits.limits } })
  expect((await search(key, 1)).status).toBe(200)
  return key
}

const burst = (key: TestKey) =>
  Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 ? lookUp(key, index) : search(key, 3))))

async function countersOf({ account }: TestKey) {
  const number = [app.accountNumber(account)]
  const windows = await app.db.query('select minute_used, day_used from request_windows where account_id = $1', number)
  const meters = await app.db.query(
    'select sum(used)::integer as used from usage_counters where account_id = $1',
    number,
  )
  return [...windows.rows, ...meters.rows]
}

describe('what changed since the last request of a key holds for the next ones at once', () => {
  test.each<[string, number, string, (key: TestKey) => Promise<unknown>]>([
    ['a revoked key', 401, 'revoked_api_key', (key) => app.revokeKey(key)],
    ['a suspended key', 401, 'suspended_api_key', (key) => app.suspendKey(key)],
    ['a lapsed account', 403, 'api_access_required', ({ account }) => app.setAccount(account, { status: 'past_due' })],
    [
      'a suspended account',
      403,
      'api_access_required',
      ({ account }) =>
        app.db.query('update accounts set suspended_at = now() where id = $1', [app.accountNumber(account)]),
    ],
  ])('%s', async (_, status, code, change) => {
    const key = await knownKey()
    await change(key)
    const before = await countersOf(key)
    for (const reply of await burst(key)) expect([reply.status, reply.body.error?.code]).toEqual([status, code])
    // Whether a key may call comes before what is wrong with a request.
    const invalid = await Promise.all([key.get('/stores/no..domain'), key.post('/stores/search', { limit: 0 })])
    for (const reply of invalid) expect([reply.status, reply.body.error.code]).toEqual([status, code])
    expect(await countersOf(key)).toEqual(before)
  })

  test('an expired key', async () => {
    onTestFinished(() => app.clock.set(start))
    const key = await knownKey({ expires: new Date('2026-11-10T12:00:30.000Z') })
    app.clock.advance(30_000)
    for (const reply of await burst(key)) expect(reply.body.error.code).toBe('expired_api_key')
  })

  test('lower and higher limits, and a budget of the key', async () => {
    const key = await knownKey({ limits: { search_rows: 1_000 } })
    await app.setAccount(key.account, { limits: { ...generous, search_rows: 3 } })
    const refusal = async (limit: number) => (await search(key, limit)).body.error
    expect(await refusal(3)).toMatchObject({ code: 'rate_limit_exceeded', param: 'search_rows' })
    await app.setAccount(key.account, { limits: { ...generous, search_rows: 101 } })
    const reply = await search(key, 10)
    expect([reply.status, reply.headers.get('x-search-rows-remaining')]).toEqual([200, '90'])
    await setBudget(app, key, { search_rows: 15 })
    expect(await refusal(10)).toMatchObject({ param: 'key_budget.search_rows' })
  })

  test('a resumed key', async () => {
    const key = await knownKey()
    await app.suspendKey(key)
    expect((await lookUp(key, 1)).status).toBe(401)
    await app.resumeKey(key)
    for (const reply of await burst(key)) expect(reply.status).toBe(200)
  })

  test('one key of several: the others go on', async () => {
    const key = await knownKey()
    const revoked = await siblingOf(app, key)
    expect((await lookUp(revoked, 1)).status).toBe(200)
    await app.revokeKey(revoked)
    const replies = await Promise.all([burst(key), burst(revoked)])
    const statuses = (of: TestReply[]) => [...new Set(of.map(({ status }) => status))]
    expect(replies.map(statuses)).toEqual([[200], [401]])
    expect(await findDifferences(app)).toEqual([])
  })
})

test('a request of a known key is one statement, and one that is wrong counts', async () => {
  const key = await knownKey()
  const statements = watchStatements(app.deps.db)
  expect((await lookUp(key, 3)).status).toBe(200)
  // Whether its document is in memory depends on what was asked before.
  expect(statements().filter((name) => name !== 'fetch_hosts')).toEqual(['charge_admit_delivered_exports'])
  const used = async () => (await key.get('/usage')).body.api_requests.used
  const before = await used()
  const replies = await Promise.all([
    key.get('/stores/no..domain'),
    key.post('/stores/search', { filters: { countries: ['nowhere'] } }),
    key.post('/stores/search', { limit: 0 }),
    key.get('/stores/nobody-knows.example'),
  ])
  expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 404])
  for (const { headers } of replies) expect(headers.get('x-ratelimit-limit')).toBe('100000')
  expect(await used()).toBe(before + 5)
})

test('a request of a full window is refused for it, whatever else is wrong with it', async () => {
  const key = await app.key({ limits: { requests_per_minute: 2 } })
  await lookUp(key, 1)
  await lookUp(key, 2)
  const replies = await Promise.all([key.get('/stores/no..domain'), lookUp(key, 3), search(key, 1_000)])
  for (const { status, body, headers } of replies) {
    expect([status, body.error.param]).toEqual([429, 'requests_per_minute'])
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
  }
})

test('a new minute begins with the first request after the last one, for a burst too', async () => {
  onTestFinished(() => app.clock.set(start))
  const key = await app.key({ limits: { ...generous, requests_per_minute: 13 } })
  await lookUp(key, 1)
  app.clock.advance(59_999)
  expect((await burst(key)).map(({ status }) => status)).toEqual(Array(12).fill(200))
  expect((await lookUp(key, 1)).status).toBe(429)
  app.clock.advance(1)
  const replies = await burst(key)
  expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(200))
  for (const { headers } of replies) expect(headers.get('ratelimit')).toContain('t=60')
})

test('a store that was changed is never delivered as it was, and one that was removed neither delivered nor charged', async () => {
  const key = await knownKey()
  for (let round = 0; round < 4; round++) {
    const replies = await Promise.all([search(key, 12), lookUp(key, 5)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    const name = `Renamed ${round}`
    await app.importStores([storeRecord(5, name)])
    const [found, looked] = await Promise.all([search(key, 12), lookUp(key, 5)])
    expect(found.body.data.find(({ domain }: { domain: string }) => domain === 'known-5.example').name).toBe(name)
    expect(looked.body.name).toBe(name)
  }
  const before = (await key.get('/usage')).body.search_rows.used
  // Gone for the charge, though the search may still find it.
  await removeStore(app.operator, 'known-5.example')
  const after = await search(key, 12)
  expect(after.body.data.map(({ name }: { name: string }) => name)).not.toContain('Renamed 3')
  expect((await key.get('/usage')).body.search_rows.used).toBe(before + after.body.data.length)
  expect((await lookUp(key, 5)).status).toBe(404)
})
