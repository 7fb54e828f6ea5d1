import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { addCrowd, reveal, startSecondServer } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestClient, TestReply } from '../../support/client.ts'
import { budgetOf, findDifferences, keyWithBudget, setBudget, siblingOf } from './support/key-budgets.ts'

const users = 120
let app: TestApp
let atSecondServer: (key: TestKey) => TestClient
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  atSecondServer = await startSecondServer(app)
  ids = await addCrowd(app, users)
})

/** Sends requests at once, in turns to the two servers; again what a busy machine answers with 503, which charges nothing. */
function sendAll(
  key: TestKey,
  count: number,
  send: (caller: TestClient, index: number) => Promise<TestReply>,
): Promise<TestReply[]> {
  const callers = [key, atSecondServer(key)]
  const sendOne = async (index: number): Promise<TestReply> => {
    for (;;) {
      const reply = await send(callers[index % 2]!, index)
      if (reply.status !== 503) return reply
    }
  }
  return Promise.all(Array.from({ length: count }, (_, index) => sendOne(index)))
}

const revealOne = (caller: TestClient, index: number) => reveal(caller, [ids[index]!])
const lookUp = (caller: TestClient, index: number) => caller.get(`/stores/crowd-${index % 12}.example`)
const search = (caller: TestClient) => caller.post('/stores/search', { filters: {}, limit: 2 })

function expectRefusals(replies: TestReply[], done: number, status: number, param: string): void {
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(done)
  for (const { body } of replies.filter((reply) => reply.status !== 200))
    expect(body.error, JSON.stringify(body.error)).toMatchObject({
      param,
      code: status === 402 ? 'insufficient_contact_credits' : 'rate_limit_exceeded',
    })
}

test('of 100 reveals at once on two servers, at a key’s last credit, one is paid', async () => {
  const key = await keyWithBudget(app, { contact_credits: 3 })
  await reveal(key, ids.slice(-2))
  const replies = await sendAll(key, 100, revealOne)
  expectRefusals(replies, 1, 402, 'key_budget.contact_credits')
  expect((await budgetOf(key)).contact_credits).toEqual({ limit: 3, used: 3, remaining: 0 })
  expect(await findDifferences(app)).toEqual([])
})

test('of 100 searches and lookups at once on two servers, a key’s rows and exports pay for as many as they cover', async () => {
  const key = await keyWithBudget(app, { search_rows: 7, store_exports: 5 })
  // Exports first: every page of a search has the same two stores.
  const found = await sendAll(key, 100, (caller, index) => lookUp(caller, index))
  const refused = found.filter(({ status }) => status === 429)
  for (const { body } of refused) expect(body.error.param).toBe('key_budget.store_exports')
  expect((await budgetOf(key)).store_exports).toEqual({ limit: 5, used: 5, remaining: 0 })

  const rows = await keyWithBudget(app, { search_rows: 7 })
  expectRefusals(await sendAll(rows, 100, search), 3, 429, 'key_budget.search_rows')
  expect((await budgetOf(rows)).search_rows).toEqual({ limit: 7, used: 6, remaining: 1 })
  expect(await findDifferences(app)).toEqual([])
})

test('the limit of the account and the budgets of its keys hold together, whatever comes at once', async () => {
  const amount = fc.option(fc.integer({ min: 0, max: 12 }))
  const budget = fc.record({ contact_credits: amount, store_exports: amount, search_rows: amount })
  const act = fc.record({
    key: fc.nat(2),
    what: fc.constantFrom('reveal', 'reveal', 'look up', 'search', 'budget'),
    first: fc.nat(users - 1),
    count: fc.integer({ min: 1, max: 5 }),
    budget,
  })
  const limits = { contact_credits: 15, store_exports: 8, search_rows: 20 }
  const meters = ['contact_credits', 'store_exports', 'search_rows'] as const
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(budget, budget, budget),
      fc.array(act, { minLength: 15, maxLength: 30, size: 'max' }),
      async (budgets, acts) => {
        const first = await keyWithBudget(app, budgets[0], limits)
        const keys = [first, await siblingOf(app, first), await siblingOf(app, first)]
        for (const [index, key] of keys.entries()) await setBudget(app, key, budgets[index]!)
        const highest = budgets.map((each) => ({ ...each }))
        const seen = await Promise.all(
          acts.map(async (each, index) => {
            const key = keys[each.key]!
            const caller = index % 2 === 0 ? key : atSecondServer(key)
            const wanted = Array.from({ length: each.count }, (_, place) => ids[(each.first + place * 7) % users]!)
            if (each.what === 'reveal') return reveal(caller, wanted)
            if (each.what === 'look up') return lookUp(caller, each.first)
            if (each.what === 'search') return caller.post('/stores/search', { filters: {}, limit: each.count })
            for (const meter of meters) {
              const [old, given] = [highest[each.key]![meter], each.budget[meter]]
              highest[each.key]![meter] = old === null || given === null ? null : Math.max(old, given)
            }
            await setBudget(app, key, each.budget)
            return null
          }),
        )
        for (const reply of seen) if (reply) expect([200, 402, 429, 503]).toContain(reply.status)
        const { rows } = await app.db.query<{ key: number; meter: (typeof meters)[number]; used: number }>(
          'select key_id as key, meter, used from key_counters where account_id = $1',
          [app.accountNumber(first.account)],
        )
        const numbers = keys.map((key) => app.deps.ids.open(key.id)!.value)
        for (const { key, meter, used } of rows) {
          const bound = highest[numbers.indexOf(key)]![meter]
          if (bound !== null) expect(used, meter).toBeLessThanOrEqual(bound)
        }
        const usage = (await first.get('/usage')).body
        for (const meter of meters) {
          const sum = rows.filter((row) => row.meter === meter).reduce((total, { used }) => total + used, 0)
          expect(usage[meter].used, meter).toBe(sum)
          expect(sum).toBeLessThanOrEqual(limits[meter])
        }
        expect(await findDifferences(app)).toEqual([])
      },
    ),
    { numRuns: 8 },
  )
})
