import fc from 'fast-check'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { generous, startSecondServer } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json, TestClient, TestReply } from '../../support/client.ts'
import { countLockWaits } from '../../support/database.ts'
import { watchStatements } from '../../support/statements/watch.ts'
import { findDifferences, setBudget, siblingOf } from '../auth/support/key-budgets.ts'

const storeCount = 30
const ample = { ...generous, search_rows: 100_000, store_exports: 100_000 }

let app: TestApp
let atSecondServer: (key: TestKey) => TestClient
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores(
    Array.from({ length: storeCount }, (_, index) => ({
      domain: `burst-${index}.example`,
      name: `Burst ${index}`,
      country: index < 10 ? 'DE' : 'FR',
      lead_fit_score: 100 - index,
    })),
  )
  await app.importContacts(
    Array.from({ length: 2 * storeCount }, (_, index) => ({
      store_domain: `burst-${index % storeCount}.example`,
      external_id: `${index}`,
      first_name: `Person ${index}`,
      emails: [{ email: `person-${index}@burst.example`, status: 'verified' }],
    })),
  )
  atSecondServer = await startSecondServer(app)
})

const lookUp = (caller: TestClient, index: number) => caller.get(`/stores/burst-${index % storeCount}.example`)
const search = (caller: TestClient, limit: number) => caller.post('/stores/search', { filters: {}, limit })
const searchUsers = (caller: TestClient, limit: number) =>
  caller.post('/contacts/search', { max_contacts_per_store: 2, limit })
const enrich = (caller: TestClient, from: number) =>
  caller.post('/stores/enrich', { domains: [0, 1, 2, 3].map((step) => `burst-${(from + step) % storeCount}.example`) })

/** A key that the server has admitted before, so that its requests may share statements. */
async function knownKey(limits: object, key?: TestKey): Promise<TestKey> {
  const known = key ?? (await app.key({ limits }))
  expect((await known.get('/stores/unknown.example')).status).toBe(404)
  return known
}

function burst(count: number, send: (index: number) => Promise<TestReply>): Promise<TestReply[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => send(index)))
}

/** Holds up the charges of accounts until the returned function is called. */
async function lockWindows(...keys: TestKey[]): Promise<() => Promise<void>> {
  const client = await app.db.connect()
  await client.query('begin')
  // One by one: Citus locks rows of one account at a time.
  for (const { account } of keys)
    await client.query('select from request_windows where account_id = $1::bigint for update', [
      app.accountNumber(account),
    ])
  return async () => {
    await client.query('commit')
    client.release()
  }
}

/** Those that charge, or admit what costs nothing. */
const chargesAmong = (names: readonly string[]) => names.filter((name) => /^(charge|fetch)_/.test(name))

const succeeded = (replies: TestReply[]) => replies.filter(({ status }) => status === 200)
const numbersOf = (replies: TestReply[], header: string) => replies.map(({ headers }) => Number(headers.get(header)))
const errorOf = ({ status, body: { error } }: TestReply) => {
  const { request_id: _, ...rest } = error
  return { status, ...rest }
}

async function ledgerOf(key: TestKey): Promise<{ request_id: string; meter: string; amount: number }[]> {
  const { rows } = await app.db.query(
    `select request_id, meter, amount from ledger where account_id = $1::bigint order by request_id, meter`,
    [app.accountNumber(key.account)],
  )
  return rows
}

describe('concurrent requests of an account', () => {
  test('that gather while a charge is away share the next one', async () => {
    const key = await knownKey(ample)
    const [shared, statements] = [vi.spyOn(app.deps.charges, 'run'), watchStatements(app.deps.db)]
    onTestFinished(() => shared.mockRestore())
    const release = await lockWindows(key)
    const sent = burst(40, (index) => (index % 2 ? lookUp(key, index) : search(key, 5)))
    await expect.poll(() => shared.mock.calls.length, { timeout: 20_000 }).toBe(40)
    await release()
    expect(succeeded(await sent)).toHaveLength(40)
    expect(statements().filter((name) => name === 'read_key')).toEqual([])
    // Of each of the two kinds, one that is away and one for all that gathered.
    expect(statements().filter((name) => name?.startsWith('charge_')).length).toBeLessThanOrEqual(4)
  })

  test('that wait for a lock keep no other account waiting', async () => {
    const limits = { limits: ample }
    // More than the statements that may be under way at a time.
    const stuck = await Promise.all(Array.from({ length: 6 }, async () => knownKey(ample, await app.key(limits))))
    const free = await knownKey(ample)
    const release = await lockWindows(...stuck)
    const sent = stuck.map((key) => lookUp(key, 1))
    await expect.poll(() => countLockWaits(app.db)).toBeGreaterThanOrEqual(stuck.length)
    expect((await lookUp(free, 2)).status).toBe(200)
    await release()
    expect(succeeded(await Promise.all(sent))).toHaveLength(stuck.length)
  })

  test('have the ledger, the counters and the replies of separate ones', async () => {
    const key = await knownKey(ample)
    const replies = [
      ...(await burst(20, (index) => lookUp(key, index % 7))),
      ...(await burst(20, (index) =>
        index % 3 === 0 ? search(key, 5) : index % 3 === 1 ? searchUsers(key, 9) : enrich(key, index),
      )),
    ]
    expect(succeeded(replies)).toHaveLength(40)
    const ledger = await ledgerOf(key)
    const rows = new Map(
      ledger.filter(({ meter }) => meter === 'search_rows').map((row) => [row.request_id, row.amount]),
    )
    for (const { body } of replies)
      expect(rows.get(body.request_id)).toBe(body.object === 'list' ? body.data.length : undefined)
    const exported = ledger.filter(({ meter }) => meter === 'store_exports')
    expect(exported.every(({ amount }) => amount > 0)).toBe(true)
    const usage = (await key.get('/usage')).body
    expect(usage.store_exports.used).toBe(exported.reduce((sum, { amount }) => sum + amount, 0))
    expect(usage.search_rows.used).toBe([...rows.values()].reduce((sum, amount) => sum + amount, 0))
    expect(usage.api_requests.used).toBe(42)
    expect(await findDifferences(app)).toEqual([])
  })

  test('see their limits and balances go down one by one', async () => {
    const key = await knownKey({ ...ample, requests_per_minute: 100, requests_per_day: 200 })
    const lookups = await burst(storeCount, (index) => lookUp(key, index))
    const minute = lookups.map(({ headers }) => /"requests_per_minute";r=(\d+)/.exec(headers.get('ratelimit')!)![1])
    expect(minute.map(Number).sort((a, b) => b - a)).toEqual(lookups.map((_, index) => 98 - index))
    const exports = numbersOf(lookups, 'x-store-exports-remaining').sort((a, b) => b - a)
    expect(exports).toEqual(lookups.map((_, index) => ample.store_exports - 1 - index))
    const searches = await burst(20, () => search(key, 3))
    const rows = numbersOf(searches, 'x-search-rows-remaining').sort((a, b) => b - a)
    expect(rows).toEqual(searches.map((_, index) => ample.search_rows - 3 * (index + 1)))
  })

  test('by several keys, one with a budget, count for each of them', async () => {
    const key = await knownKey(ample)
    const budgeted = await siblingOf(app, key)
    await setBudget(app, budgeted, { search_rows: 1_000, store_exports: 1_000 })
    await knownKey(ample, budgeted)
    const replies = await burst(30, (index) => search(index % 3 ? key : budgeted, 4))
    expect(succeeded(replies)).toHaveLength(30)
    const left = numbersOf(
      replies.filter((_, index) => index % 3 === 0),
      'x-search-rows-remaining',
    )
    expect(left.sort((a, b) => b - a)).toEqual(left.map((_, index) => 1_000 - 4 * (index + 1)))
    expect((await budgeted.get('/usage')).body.key.budget.search_rows).toMatchObject({ used: 40, remaining: 960 })
    expect(await findDifferences(app)).toEqual([])
  })

  test('of live and test keys are counted apart', async () => {
    const live = await knownKey(ample)
    const sandbox = await app.keyOf(live.account, { mode: 'test' })
    await sandbox.get('/stores/unknown.example')
    const replies = await burst(20, (index) => search(index % 2 ? live : sandbox, 3))
    expect(succeeded(replies)).toHaveLength(20)
    const rowsOf = (mode: number) =>
      replies.filter((_, index) => index % 2 === mode).reduce((sum, { body }) => sum + body.data.length, 0)
    expect((await live.get('/usage')).body.search_rows.used).toBe(rowsOf(1))
    expect((await sandbox.get('/usage')).body.search_rows.used).toBe(rowsOf(0))
  })
})

describe('what the service knows', () => {
  const knowsDocuments = () => vi.waitUntil(() => app.deps.documents.cache.version !== null, { timeout: 20_000 })

  test('is charged without the catalogue, and read again once it has changed', async () => {
    const key = await knownKey(ample)
    await knowsDocuments()
    const ask = async () => [await lookUp(key, 3), await search(key, 5), await searchUsers(key, 9)]
    const contentsOf = (replies: TestReply[]) => replies.map(({ body }) => body.data ?? body.domain)
    const first = contentsOf(await ask())
    const names = watchStatements(app.deps.db)
    expect(contentsOf(await ask())).toEqual(first)
    expect(chargesAmong(names())).toEqual([
      'charge_admit_delivered_exports_read',
      'charge_admit_delivered_rows_exports_read',
      'charge_admit_delivered_rows_exports_read_revealed',
    ])
    // The rows of all searches, and each store once.
    const ledger = await ledgerOf(key)
    const amountsOf = (wanted: string) => ledger.filter(({ meter }) => meter === wanted).map(({ amount }) => amount)
    expect(amountsOf('search_rows').sort()).toEqual([5, 5, 9, 9])
    expect(amountsOf('store_exports').reduce((sum, amount) => sum + amount)).toBe(5)
    await app.importStores([{ domain: 'burst-3.example', name: 'Another name', country: 'DE', lead_fit_score: 97 }])
    expect((await lookUp(key, 3)).body.name).toBe('Another name')
  })

  test('is not fetched for an account that has not exported it yet, which pays for it', async () => {
    const [one, other] = [await knownKey(ample), await knownKey(ample)]
    await knowsDocuments()
    const ask = async (key: TestKey) => {
      const replies = [await enrich(key, 11), await search(key, 5), await searchUsers(key, 9)]
      return replies.map(({ body }) => body.data)
    }
    const first = await ask(one)
    const names = watchStatements(app.deps.db)
    expect(await ask(other)).toEqual(first)
    expect(chargesAmong(names())).toEqual([
      'charge_admit_delivered_exports',
      'charge_admit_delivered_rows_exports',
      'charge_admit_delivered_rows_exports_read_revealed',
    ])
    const usages = await Promise.all([one, other].map(async (key) => (await key.get('/usage')).body))
    expect(usages[1].store_exports).toEqual(usages[0].store_exports)
    expect(usages[1].search_rows).toEqual(usages[0].search_rows)
    expect(await findDifferences(app)).toEqual([])
  })

  test('of people says who is revealed since, and what changed of a person or a store', async () => {
    const key = await knownKey(ample)
    await knowsDocuments()
    const where = { store: { domains: ['burst-12.example'] }, max_contacts_per_store: 2 }
    const ask = async (): Promise<Json[]> => (await key.post('/contacts/search', where)).body.data
    const [first, second] = await ask()
    expect([first!.revealed, second!.revealed]).toEqual([false, false])
    expect((await key.post('/contacts/reveal', { contact_ids: [second!.id] })).status).toBe(200)
    const names = watchStatements(app.deps.db)
    expect(await ask()).toEqual([first, { ...second, revealed: true }])
    expect(chargesAmong(names())).toEqual(['charge_admit_delivered_rows_exports_read_revealed'])
    await app.importContacts([
      {
        store_domain: 'burst-12.example',
        external_id: '12',
        first_name: 'Renamed',
        emails: [{ email: 'person-12@burst.example', status: 'verified' }],
      },
    ])
    expect((await ask()).map(({ first_name }) => first_name).sort()).toEqual(['Person 42', 'Renamed'])
    await app.importStores([{ domain: 'burst-12.example', name: 'Twelve', country: 'FR', lead_fit_score: 88 }])
    expect((await ask()).map(({ store }) => store.name)).toEqual(['Twelve', 'Twelve'])
  })

  test('of people is gone from the next reply once they are erased', async () => {
    const key = await knownKey(ample)
    await knowsDocuments()
    const where = { store: { domains: ['burst-13.example'] }, max_contacts_per_store: 2 }
    const ask = async (): Promise<Json[]> => (await key.post('/contacts/search', where)).body.data
    const [erased, other] = await ask()
    await ask()
    await eraseContacts(app.operator, { id: erased!.id })
    expect(await ask()).toEqual([other])
  })
})

describe('a burst that reaches a limit', () => {
  // What fits, and the lone request after it, whose refusal must be the one of the burst.
  test.each<
    [string, { limits?: object; budget?: object }, number, (key: TestClient, index: number) => Promise<TestReply>]
  >([
    ['requests_per_minute', { limits: { requests_per_minute: 18 } }, 17, lookUp],
    ['requests_per_day', { limits: { requests_per_day: 18 } }, 17, lookUp],
    ['search_rows', { limits: { search_rows: 52 } }, 10, (key) => search(key, 5)],
    ['search_rows', { limits: { search_rows: 52 } }, 10, (key) => searchUsers(key, 5)],
    ['store_exports', { limits: { store_exports: 12 } }, 12, lookUp],
    ['key_budget.search_rows', { budget: { search_rows: 52 } }, 10, (key) => search(key, 5)],
    ['key_budget.store_exports', { budget: { store_exports: 12 } }, 12, lookUp],
  ])(
    '%s: as many succeed as fit, at two servers, and the others are refused as alone',
    async (param, traits, fits, send) => {
      const key = await app.key({ limits: { ...ample, ...traits.limits } })
      if (traits.budget) await setBudget(app, key, traits.budget)
      await knownKey({}, key)
      const other = atSecondServer(key)
      if (!param.startsWith('requests')) await other.get('/stores/unknown.example')
      const replies = await burst(storeCount, (index) => send(index % 2 ? key : other, index))
      expect(succeeded(replies)).toHaveLength(fits)
      const refused = replies.filter(({ status }) => status !== 200)
      const alone = errorOf(
        await send(
          key,
          replies.findIndex(({ status }) => status !== 200),
        ),
      )
      expect(alone).toMatchObject({ status: 429, code: 'rate_limit_exceeded', param })
      for (const reply of refused) expect(errorOf(reply)).toEqual(alone)
      expect(await findDifferences(app)).toEqual([])
    },
  )
})

test('requests at once add up to what the same requests cost one by one', async () => {
  const act = fc.record({
    kind: fc.constantFrom('look up', 'enrich', 'search', 'search people'),
    figure: fc.integer({ min: 1, max: 12 }),
    isSecondKey: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 24 }), async (acts) => {
      const open = async () => {
        const key = await knownKey(ample)
        const second = await siblingOf(app, key)
        await setBudget(app, second, { search_rows: 50_000 })
        await knownKey(ample, second)
        const perform = ({ kind, figure, isSecondKey }: (typeof acts)[number]) => {
          const caller = isSecondKey ? second : key
          if (kind === 'look up') return lookUp(caller, figure)
          if (kind === 'enrich') return enrich(caller, figure)
          return kind === 'search' ? search(caller, figure) : searchUsers(caller, figure)
        }
        const totals = async () => {
          const { search_rows, store_exports, api_requests } = (await key.get('/usage')).body
          const ofKey = (await second.get('/usage')).body.key.budget
          return [search_rows.used, store_exports.used, api_requests.used, ofKey.search_rows.used]
        }
        return { perform, totals }
      }
      const [together, apart] = [await open(), await open()]
      const repliesTogether = await Promise.all(acts.map(together.perform))
      const repliesApart: TestReply[] = []
      for (const each of acts) repliesApart.push(await apart.perform(each))
      const bodiesOf = (replies: TestReply[]) =>
        replies.map(({ body }) => ({ ...body, request_id: '', next_cursor: '' }))
      expect(bodiesOf(repliesTogether)).toEqual(bodiesOf(repliesApart))
      expect(await together.totals()).toEqual(await apart.totals())
    }),
    { numRuns: proofRuns(5, 2) },
  )
  expect(await findDifferences(app)).toEqual([])
})
