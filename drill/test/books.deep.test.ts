import { beforeEach, expect, test } from 'vitest'
import { connectClient, createTestDatabase } from '../../server/test/support/database.ts'
import { RunningBooks } from '../client/books.ts'
import { newSpender, type Spender } from '../client/spenders.ts'

let books: RunningBooks
let spender: Spender
let change: (statement: string) => Promise<unknown>
/** An account that was told of two rows and one credit, and its books. */
beforeEach(async () => {
  const { url } = await createTestDatabase()
  change = async (statement) => {
    const client = await connectClient(url)
    await client.query(statement).finally(() => client.end())
  }
  await change(`
    insert into accounts (id, name, plan, status, period_anchor, created_at)
    values (7, 'spender 1', 'pro', 'active', '2026-11-01', '2026-11-01');
    insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
    values (7, 'live', 'search_rows', '2026-11-01', 2, 'req_1', '2026-11-10'),
           (7, 'live', 'contact_credits', '2026-11-01', 1, 'req_2', '2026-11-10');
    insert into usage_counters (account_id, mode, meter, period_start, used, allowance)
    values (7, 'live', 'search_rows', '2026-11-01', 2, 9), (7, 'live', 'contact_credits', '2026-11-01', 1, 9);
    insert into reveals (account_id, mode, contact_id, revealed_at) values (7, 'live', 1, '2026-11-10')`)
  books = new RunningBooks(url)
  spender = newSpender('spender 1', '')
  spender.rows.set('req_1', 2)
  spender.credits.set('req_2', 1)
})

test('books that agree with what was told are sound, and each reply is compared once', async () => {
  await books.compare([spender])
  await books.compare([spender])
  expect([books.isSound, books.checks, books.report.compared]).toEqual([true, 2, 2])
})

test.for([
  ['an entry that is lost', "delete from ledger where request_id = 'req_2'"],
  ['an amount that differs', "update ledger set amount = 1 where request_id = 'req_1'"],
  ['a contact that is charged twice', "update ledger set amount = 2 where request_id = 'req_2'"],
  ['a reveal that is lost', 'delete from reveals'],
  ['a counter that differs', "update usage_counters set used = 3 where meter = 'search_rows'"],
])('%s is found', async ([, fault]) => {
  await change(fault!)
  await books.compare([spender])
  expect(books.isSound).toBe(false)
})
