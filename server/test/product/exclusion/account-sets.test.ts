import { beforeAll, expect, test } from 'vitest'
import { type ConnectionPool, createPool } from '../../../src/foundation/db/pool.ts'
import { AccountSets } from '../../../src/product/exclusion/account-sets.ts'
import { atEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'

const periodStart = new Date('2026-11-01T00:00:00.000Z')
const exportsEach = 5_000

let db: ConnectionPool
beforeAll(async () => {
  db = createPool({ url: (await createTestDatabase()).url, applicationName: 'account sets test', maxConnections: 2 })
  atEnd(() => db.end())
  await db.query(
    `insert into store_exports (account_id, mode, period_start, store_id, exported_at)
     select account, 'live', $1, store, $1::timestamptz + interval '1 second'
     from generate_series(1, 20) account, generate_series(1, $2::integer) store`,
    [periodStart, exportsEach],
  )
  await db.query(
    `insert into usage_counters (account_id, mode, meter, period_start, used, allowance)
     select account, 'live', 'store_exports', $1, $2, $2 from generate_series(1, 20) account`,
    [periodStart, exportsEach],
  )
})

test('the sets of all accounts stay within their bytes, and one that was dropped is read again', async () => {
  const sets = new AccountSets({ maxBytes: 500_000 })
  for (let round = 0; round < 2; round++)
    for (let accountId = 1; accountId <= 20; accountId++) {
      const set = await sets.exportedStores(db, { accountId, mode: 'live' }, periodStart)
      const { ids, count } = set.before().ids
      expect(ids.sorted(count)).toHaveLength(exportsEach)
      expect(sets.bytes).toBeLessThanOrEqual(500_000 + set.bytes)
    }
  // Of the last ones something is kept.
  expect(sets.bytes).toBeGreaterThan(100_000)
  const kept = await sets.exportedStores(db, { accountId: 20, mode: 'live' }, periodStart)
  expect(await sets.exportedStores(db, { accountId: 20, mode: 'live' }, periodStart)).toBe(kept)
})

test('one set larger than the bound serves its request, and no set remains beside it', async () => {
  const sets = new AccountSets({ maxBytes: 1_000 })
  const owner = (accountId: number) => ({ accountId, mode: 'live' as const })
  const [one, two] = [
    await sets.exportedStores(db, owner(1), periodStart),
    await sets.exportedStores(db, owner(2), periodStart),
  ]
  expect([one.before().ids.count, two.before().ids.count]).toEqual([exportsEach, exportsEach])
  expect(sets.bytes).toBeLessThan(2 * two.bytes)
})

test('an export in the moment of the last one that is known becomes known too', async () => {
  const sets = new AccountSets()
  const exportOne = async (storeId: number) => {
    await db.query(
      "insert into store_exports (account_id, mode, period_start, store_id, exported_at) values (30, 'live', $1, $2, $1)",
      [periodStart, storeId],
    )
    await db.query(
      `insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
       values (30, 'live', 'store_exports', $1, 1, 10)
       on conflict (account_id, mode, meter, period_start) do update set used = c.used + 1`,
      [periodStart],
    )
    return (await sets.exportedStores(db, { accountId: 30, mode: 'live' }, periodStart)).before().ids.count
  }
  expect([await exportOne(1), await exportOne(2)]).toEqual([1, 2])
})

test('another period, mode or account has a set of its own', async () => {
  const sets = new AccountSets()
  const countOf = async (accountId: number, mode: 'live' | 'test', start: Date) =>
    (await sets.exportedStores(db, { accountId, mode }, start)).before().ids.count
  expect(await countOf(1, 'live', periodStart)).toBe(exportsEach)
  expect(await countOf(1, 'test', periodStart)).toBe(0)
  expect(await countOf(1, 'live', new Date('2026-12-01T00:00:00.000Z'))).toBe(0)
  expect(await countOf(21, 'live', periodStart)).toBe(0)
})
