import { beforeAll, describe, expect, test } from 'vitest'
import { findDifferences } from '../../customers/auth/support/key-budgets.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { createMember, keyNumber, readLedger, setViewed } from '../../support/members.ts'

const every = ['usage:read', 'stores:read', 'contacts:search', 'lists:manage'] as const
const perMonth = 25_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores(
    Array.from({ length: 30 }, (_, index) => ({
      domain: `paid-${index}.example`,
      name: `Paid ${index}`,
      country: 'DE',
      lead_fit_score: 100 - index,
    })),
  )
  await app.importContacts(
    Array.from({ length: 4 }, (_, index) => ({
      store_domain: `paid-${index}.example`,
      first_name: `Person ${index}`,
      emails: [{ email: `person-${index}@mail.example`, status: 'verified', type: 'work' }],
    })),
  )
})

const newKey = (traits: Parameters<TestApp['key']>[0] = {}) => app.key({ scopes: every, ...traits })
const german = { filters: { countries: ['DE'] } }

let names = 0
async function newList(owner: Pick<TestKey, 'post'>, kind = 'stores'): Promise<string> {
  return (await owner.post('/lists', { name: `Paid ${++names}`, kind })).body.id
}
const add = (owner: TestKey, list: string, max: number, from: object = german): Promise<TestReply> =>
  owner.post(`/lists/${list}/items`, { from, max })

/** Search rows, store exports and contact credits that an account has used, and its items in lists. */
async function stateOf({ account }: { account: string }) {
  const { rows } = await app.db.query<{ rows: number; others: number; ledger: number; items: number; counted: number }>(
    `select (select coalesce(sum(used), 0)::integer from usage_counters where account_id = $1 and meter = 'search_rows') as rows,
            (select coalesce(sum(used), 0)::integer from usage_counters where account_id = $1 and meter <> 'search_rows') as others,
            (select coalesce(sum(amount), 0)::integer from ledger where account_id = $1) as ledger,
            (select count(*)::integer from list_stores where account_id = $1)
              + (select count(*)::integer from list_contacts where account_id = $1) as items,
            (select coalesce(sum(items), 0)::integer from lists where account_id = $1) as counted`,
    [app.accountNumber(account)],
  )
  return rows[0]!
}
const spent = (rows: number) => ({ rows, others: 0, ledger: rows, items: rows, counted: rows })

function expectError(reply: TestReply, status: number, code: string, param?: string): void {
  expect([reply.status, reply.body.error?.code, reply.body.error?.param]).toEqual([status, code, param])
}

describe('adding from a search', () => {
  test('costs a search row for each item that the list did not have, and nothing else', async () => {
    const key = await newKey()
    const list = await newList(key)
    const first = await add(key, list, 7)
    expect(first.body).toMatchObject({ added: 7, already: 0, items: 7 })
    expect(first.headers.get('x-search-rows-remaining')).toBe(String(perMonth - 7))
    expect(await stateOf(key)).toEqual(spent(7))
    const second = await add(key, list, 10)
    expect(second.body).toMatchObject({ added: 3, already: 7 })
    expect(second.headers.get('x-search-rows-remaining')).toBe(String(perMonth - 10))
    expect(await stateOf(key)).toEqual(spent(10))
    expect(await readLedger(app, key.account)).toEqual(
      [first, second].map(({ body }, index) => ({
        meter: 'search_rows',
        amount: [7, 3][index],
        key_id: keyNumber(app, key),
        person_id: null,
        request_id: body.request_id,
      })),
    )
    const people = await newList(key, 'contacts')
    expect((await add(key, people, 10, {})).body).toMatchObject({ added: 4 })
    expect(await stateOf(key)).toEqual(spent(14))
  })

  test('shows what was paid for free from then on, and costs again once it was taken off', async () => {
    const key = await newKey()
    const list = await newList(key)
    await add(key, list, 2)
    const shown = await key.get(`/lists/${list}/items`)
    expect(shown.body.data).toMatchObject([{ name: 'Paid 1' }, { name: 'Paid 0' }])
    expect((await add(key, list, 2)).body).toMatchObject({ added: 0, already: 2 })
    expect(await stateOf(key)).toEqual(spent(2))
    const removed = await key.post(`/lists/${list}/items/remove`, { from: german, max: 1 })
    expect(removed.body).toMatchObject({ removed: 1 })
    expect((await stateOf(key)).rows).toBe(2)
    expect((await add(key, list, 2)).body).toMatchObject({ added: 1 })
    expect((await stateOf(key)).rows).toBe(3)
  })

  test('is free for what the caller names by domain or id, which says nothing of search rows', async () => {
    const key = await newKey()
    const list = await newList(key)
    const named = await key.post(`/lists/${list}/items`, { domains: ['paid-1.example', 'paid-2.example'] })
    expect(named.body).toMatchObject({ added: 2 })
    expect(named.headers.get('x-search-rows-remaining')).toBeNull()
    expect(await stateOf(key)).toMatchObject({ rows: 0, items: 2 })
    expect((await add(key, list, 3)).body).toMatchObject({ added: 1, already: 2 })
    expect(await stateOf(key)).toMatchObject({ rows: 1, items: 3 })
  })
})

describe('max has to fit into the search rows left', () => {
  test('of the account, or nothing is searched, added and counted as a request', async () => {
    const key = await newKey({ limits: { search_rows: 10 } })
    const list = await newList(key)
    const refused = await add(key, list, 11)
    expectError(refused, 429, 'rate_limit_exceeded', 'search_rows')
    expect(refused.body.error.message).toContain('10 of 10 search rows are left')
    expect(refused.body.error.message).toContain('ask for max 10 or less')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_400)
    expect(await stateOf(key)).toEqual(spent(0))
    const requests = async () => Number((await key.get('/usage')).headers.get('x-ratelimit-remaining'))
    const before = await requests()
    await add(key, list, 11)
    expect(await requests()).toBe(before - 1)
    // What the list has counts too: whether the search finds more is not told for free.
    expect((await add(key, list, 10)).body.added).toBe(10)
    expectError(await add(key, list, 1), 429, 'rate_limit_exceeded', 'search_rows')
    expect(await stateOf(key)).toEqual(spent(10))
  })

  test("of the key's budget, which no other key of the account has", async () => {
    const other = await newKey()
    const key = await app.keyOf(other.account, { scopes: every, budget: { search_rows: 5 } })
    const list = await newList(key)
    const added = await add(key, list, 4)
    expect(added.headers.get('x-search-rows-remaining')).toBe('1')
    const refused = await add(key, list, 2)
    expectError(refused, 429, 'rate_limit_exceeded', 'key_budget.search_rows')
    expect(refused.body.error.message).toContain('ask for max 1 or less')
    expect((await add(other, list, 9)).body).toMatchObject({ added: 5 })
    expect((await key.get('/usage')).body.key.budget.search_rows).toMatchObject({ used: 4, remaining: 1 })
    expect(await findDifferences(app)).toEqual([])
  })

  test("of the person's hour in the console, where the ledger names the person", async () => {
    const member = await createMember(app)
    const list = (await member.ask('/lists', { name: 'Of a person', kind: 'stores' })).body.id
    const asPerson = (max: number) => member.ask(`/lists/${list}/items`, { from: german, max })
    const added = await asPerson(3)
    expect([added.headers.get('x-search-rows-charged'), added.headers.get('x-search-rows-remaining')]).toEqual([
      '3',
      String(perMonth - 3),
    ])
    expect(await readLedger(app, member.account)).toMatchObject([
      { meter: 'search_rows', amount: 3, key_id: null, person_id: member.number },
    ])
    expectError(await asPerson(2_998), 429, 'rate_limit_exceeded', 'person_rows')
    await setViewed(app, member, 2_995)
    expectError(await asPerson(6), 429, 'rate_limit_exceeded', 'person_rows')
    expect((await asPerson(5)).body).toMatchObject({ added: 2, already: 3 })
    const named = await member.ask(`/lists/${list}/items`, { domains: ['paid-20.example'] })
    expect(named.headers.get('x-search-rows-charged')).toBe('0')
    // It was looked at in the console as well.
    expectError(
      await member.ask('/stores/search', { filters: {}, limit: 4 }),
      429,
      'rate_limit_exceeded',
      'person_rows',
    )
    app.clock.advance(3_600_000)
    expect((await asPerson(10)).body).toMatchObject({ added: 5 })
    expect(await stateOf(member)).toMatchObject({ rows: 10, others: 0 })
  })
})

describe('the charge and the items are one', () => {
  test('for requests at once, each item is paid once and no allowance is exceeded', async () => {
    const key = await newKey({ limits: { search_rows: 25, requests_per_minute: 1_000 } })
    const one = await newList(key)
    const same = await Promise.all(Array.from({ length: 6 }, () => add(key, one, 10)))
    expect(same.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(same.map(({ body }) => body.added).sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 10])
    expect(await stateOf(key)).toEqual(spent(10))
    const lists = await Promise.all(Array.from({ length: 4 }, () => newList(key)))
    const replies = await Promise.all(lists.map((list) => add(key, list, 10)))
    for (const reply of replies.filter(({ status }) => status !== 200))
      expectError(reply, 429, 'rate_limit_exceeded', 'search_rows')
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await stateOf(key)).toEqual(spent(20))
  })

  test('whatever fails between the first item and the commit: nothing is added and nothing charged', async () => {
    const member = await createMember(app)
    const list = (await member.ask('/lists', { name: 'Fails', kind: 'stores' })).body.id
    const before = await stateOf(member)
    await app.db.query(`
      create function fail_here() returns trigger language plpgsql as $$
        begin raise exception 'no room' using errcode = '53100'; end
      $$`)
    const places = [
      ['list_stores', 'after insert'],
      ['lists', 'before update'],
      ['audit_log', 'before insert'],
      ['usage_counters', 'before insert'],
      ['person_windows', 'before insert'],
      ['ledger', 'before insert'],
      // Everything is written; the commit itself fails.
      ['ledger', 'after insert', 'deferrable initially deferred'],
    ] as const
    for (const [table, when, deferred] of places) {
      const kind = deferred
        ? `create constraint trigger fails ${when} on ${table} ${deferred}`
        : `create trigger fails ${when} on ${table}`
      await app.db.query(`${kind} for each row execute function fail_here()`)
      try {
        const reply = await member.ask(`/lists/${list}/items`, { from: german, max: 5 })
        expectError(reply, 503, 'service_unavailable')
      } finally {
        await app.db.query(`drop trigger fails on ${table}`)
      }
      expect(await stateOf(member), table).toEqual(before)
    }
    // The retry that the 503 asks for, and one more after a reply that was lost.
    for (const added of [5, 0])
      expect((await member.ask(`/lists/${list}/items`, { from: german, max: 5 })).body).toMatchObject({ added })
    expect(await stateOf(member)).toEqual(spent(5))
    expect(await findDifferences(app)).toEqual([])
  })

  test('a list that is full charges nothing', async () => {
    const key = await newKey()
    const list = await newList(key)
    await app.db.query('update lists set pending = 99998 where account_id = $1', [app.accountNumber(key.account)])
    expectError(await add(key, list, 3), 409, 'list_limit_reached')
    expect(await stateOf(key)).toEqual(spent(0))
    expect((await add(key, list, 2)).body).toMatchObject({ added: 2 })
    expect(await stateOf(key)).toEqual(spent(2))
  })
})
