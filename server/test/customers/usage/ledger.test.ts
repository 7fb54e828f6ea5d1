import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json, TestReply } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'

const start = '2026-11-20T10:00:00.000Z'
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: start })
  await app.importStores(
    Array.from({ length: 12 }, (_, index) => ({ domain: `spent-${index}.example`, name: `Spent ${index}` })),
  )
})

const getLedger = (user: TestUser, query = ''): Promise<TestReply> =>
  user.get(`/accounts/${user.account}/ledger?${query}`)
const readLedger = async (user: TestUser, query = ''): Promise<Json> => (await getLedger(user, query)).body

/** An account with some searches by two keys, a minute apart. */
async function spendingAccount(
  searches: number,
): Promise<{ keys: [TestKey, TestKey]; person: TestUser; requests: string[] }> {
  app.clock.set(start)
  const first = await app.key({ periodStart: '2026-11-01T00:00:00Z' })
  const keys: [TestKey, TestKey] = [first, await app.keyOf(first.account, {})]
  const user = await app.person({ account: first.account, role: 'viewer' })
  const requests: string[] = []
  for (let n = 0; n < searches; n++) {
    app.clock.advance(60_000)
    const reply = await keys[n % 2]!.post('/stores/search', { filters: {}, limit: 1 + n })
    requests.unshift(reply.headers.get('x-request-id')!)
  }
  return { keys, person: user, requests }
}

describe('the ledger', () => {
  test('lists each charge with who spent and the request that did, newest first', async () => {
    const { keys, person: user, requests } = await spendingAccount(3)
    const { data, has_more } = await readLedger(user, 'meter=search_rows')
    expect(data[0]).toEqual({
      entry: expect.stringMatching(/^le_[A-Za-z]{16}$/),
      spent_at: '2026-11-20T10:03:00.000Z',
      mode: 'live',
      meter: 'search_rows',
      amount: 3,
      period_start: '2026-11-01T00:00:00.000Z',
      spent_by: { kind: 'key', id: keys[0].id, name: 'test key' },
      spent_by_request: requests[0],
    })
    expect(data.map((entry: Json) => [entry.amount, entry.spent_by.id, entry.spent_by_request])).toEqual([
      [3, keys[0].id, requests[0]],
      [2, keys[1].id, requests[1]],
      [1, keys[0].id, requests[2]],
    ])
    expect(has_more).toBe(false)
  })

  test('is filtered by meter, key, person and time', async () => {
    const { keys, person: user } = await spendingAccount(4)
    await app.db.query('update ledger set key_id = null, person_id = $2 where account_id = $1 and amount = 4', [
      app.accountNumber(user.account),
      app.deps.ids.open(user.id)!.value,
    ])
    const amounts = async (query: string) =>
      (await readLedger(user, `meter=search_rows&${query}`)).data.map((entry: Json) => entry.amount)
    expect(await amounts(`key=${keys[0].id}`)).toEqual([3, 1])
    expect(await amounts(`person=${user.id}`)).toEqual([4])
    expect(await amounts('since=2026-11-20T10:02:00Z')).toEqual([4, 3, 2])
    expect(await amounts('since=2026-11-20T10:02:00Z&until=2026-11-20T10:03:00Z')).toEqual([2])
    expect(await amounts('mode=test')).toEqual([])
    // A key of somebody else has spent nothing here.
    expect(await amounts(`key=${(await app.key({})).id}`)).toEqual([])
    const exports = (await readLedger(user, 'meter=store_exports')).data
    expect(new Set(exports.map((entry: Json) => entry.meter))).toEqual(new Set(['store_exports']))
  })

  test('pages continue without gaps while more is spent, also within one moment', async () => {
    const { keys, person: user } = await spendingAccount(0)
    for (let n = 0; n < 9; n++) await keys[0].post('/stores/search', { filters: {}, limit: 1 + n })
    const all = (await readLedger(user, 'limit=100')).data
    const paged: Json[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Json = await readLedger(user, `limit=4${cursor && `&cursor=${cursor}`}`)
      paged.push(...page.data)
      expect(page.has_more).toBe(page.next_cursor !== null)
      cursor = page.next_cursor
      app.clock.advance(1_000)
      await keys[1].post('/stores/search', { filters: {}, limit: 1 })
    }
    expect(all.length).toBeGreaterThan(9)
    expect(paged).toEqual(all)
  })

  test('a cursor belongs to its account, mode and filters', async () => {
    const { person: user } = await spendingAccount(3)
    const { next_cursor: cursor } = await readLedger(user, 'limit=1')
    const other = (await spendingAccount(1)).person
    const changed = `${cursor.slice(0, -3)}${cursor.at(-3) === 'A' ? 'B' : 'A'}${cursor.slice(-2)}`
    for (const reply of [
      await getLedger(user, `limit=1&cursor=${cursor}&meter=search_rows`),
      await getLedger(user, `limit=1&cursor=${cursor}&mode=test`),
      await getLedger(user, `limit=1&cursor=${changed}`),
      await getLedger(user, 'cursor=cur_'),
      await getLedger(other, `limit=1&cursor=${cursor}`),
    ])
      expect(reply).toMatchObject({ status: 400, body: { error: { code: 'invalid_cursor', param: 'cursor' } } })
    // The number of rows may change.
    expect((await getLedger(user, `limit=2&cursor=${cursor}`)).status).toBe(200)
  })

  test.each([
    ['limit=0', 'invalid_limit', 'limit'],
    ['limit=101', 'invalid_limit', 'limit'],
    ['since=yesterday', 'invalid_request', 'since'],
    ['key=key_AAAAAAAAAAAAAAAA', 'invalid_request', 'key'],
    ['person=nobody', 'invalid_request', 'person'],
    ['meter=requests', 'invalid_request', 'meter'],
    ['account=acct_x', 'unknown_parameter', 'account'],
    ['meter=search_rows&meter=store_exports', 'invalid_request', 'meter'],
  ])('refuses %s', async (query, code, param) => {
    const user = await app.person()
    expect(await getLedger(user, query)).toMatchObject({ status: 400, body: { error: { code, param } } })
  })

  test('is there without access', async () => {
    const { person: user } = await spendingAccount(1)
    await app.setAccount(user.account, { status: 'canceled' })
    expect((await readLedger(user)).data.length).toBeGreaterThan(0)
  })
})
