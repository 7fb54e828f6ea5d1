import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { planSlugs } from '../../../src/customers/accounts/plans.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { spendCredits } from './support/spend.ts'

const opening = '2027-12-30T23:00:00.000Z'
const hourMs = 3_600_000
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: opening })
  await app.importStores(
    Array.from({ length: 12 }, (_, index) => ({ domain: `spent-${index}.example`, name: `Spent ${index}` })),
  )
})

test('nothing in the program changes an entry, and only packing removes one', () => {
  const server = resolve(import.meta.dirname, '../../..')
  const texts = ['src', 'migrations'].flatMap((folder) =>
    readdirSync(join(server, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|sql)$/.test(path))
      .map((path) => ({ path, text: readFileSync(join(server, folder, path), 'utf8') })),
  )
  const naming = (statement: string) =>
    texts.filter(({ text }) => new RegExp(`\\b${statement}\\s+(only\\s+)?ledger\\b`, 'i').test(text))
  expect(naming('insert\\s+into').length).toBeGreaterThan(0)
  expect(naming('(update|truncate(\\s+table)?|merge\\s+into|drop\\s+table)')).toEqual([])
  expect(naming('delete\\s+from').map(({ path }) => path)).toEqual(['customers/ledger/closing/packing-queries.ts'])
})

type Move = { who: number } & (
  | { do: 'search'; limit: number }
  | { do: 'look up'; store: number }
  | { do: 'reveal'; count: number }
  | { do: 'wait'; hours: number }
  | { do: 'set'; flags: string[] }
)

const who = fc.nat(2)
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ who, do: fc.constant('search' as const), limit: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ who, do: fc.constant('look up' as const), store: fc.nat(11) }),
  fc.record({ who, do: fc.constant('reveal' as const), count: fc.integer({ min: 1, max: 90 }) }),
  fc.record({ who, do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 900 }) }),
  fc.record({
    who,
    do: fc.constant('set' as const),
    flags: fc.oneof(
      fc.constantFrom(...planSlugs.slice(1)).map((plan) => ['--plan', plan]),
      fc.constantFrom('active', 'past_due', 'trialing').map((status) => ['--status', status]),
      fc.constantFrom('2028-01-20T00:00:00Z', '2028-03-05T00:00:00Z', 'none').map((end) => ['--trial-ends', end]),
      fc.nat(20).map((limit) => ['--limit', `store_exports=${limit}`]),
    ),
  }),
)

async function play(keys: TestKey[], each: Move): Promise<void> {
  const key = keys[each.who]!
  switch (each.do) {
    case 'search':
      return void (await key.post('/stores/search', { filters: {}, limit: each.limit }))
    case 'look up':
      return void (await key.get(`/stores/spent-${each.store}.example`))
    case 'reveal':
      // Refused without enough credits or access.
      return void (await spendCredits(app, key, each.count).catch((error) => expect(error).toBeInstanceOf(Refusal)))
    case 'wait':
      return app.clock.advance(each.hours * hourMs)
    case 'set':
      return void (await runCommand(app.deps, ['accounts', 'set', key.account, ...each.flags]))
  }
}

interface LedgerCheck {
  entries: number
  differences: { account: string; mode: string }[]
}

async function checkLedger(): Promise<LedgerCheck & { code: number }> {
  const { code, stdout } = await runCommand(app.deps, ['ledger', 'check', '--json'])
  return { code, ...JSON.parse(stdout) }
}

/** Three keys: a live and a test key of one account, and a live key of another. */
async function openKeys(): Promise<TestKey[]> {
  app.clock.set(opening)
  const first = await app.key({ scopes })
  return [first, await app.keyOf(first.account, { scopes, mode: 'test' }), await app.key({ scopes })]
}

describe('the ledger balances', () => {
  test('the ledger balances after any sequence of spends, refusals, grants and pauses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 15, maxLength: 30, size: 'max' }), async (moves) => {
        const keys = await openKeys()
        for (const each of moves) await play(keys, each)
        expect(await checkLedger()).toMatchObject({ code: 0, differences: [] })
      }),
      { numRuns: 15 },
    )
    expect((await checkLedger()).entries).toBeGreaterThan(50)
  })

  test('the ledger balances during and after concurrent spends', async () => {
    const keys = await openKeys()
    const spends: Move[] = fc.sample(move, { numRuns: 60, seed: 7 }).filter((each) => each.do !== 'wait')
    const checks = Promise.all(Array.from({ length: 5 }, checkLedger))
    await Promise.all(spends.map((each) => play(keys, each)))
    for (const check of [...(await checks), await checkLedger()])
      expect(check).toMatchObject({ code: 0, differences: [] })
  })
})

describe('ledger check finds a single row that was tampered with', () => {
  const keys = {
    ledger: 'entry',
    usage_counters: 'mode, meter, period_start',
    key_counters: 'key_id, meter, period_start',
    store_exports: 'mode, period_start, store_id',
    reveals: 'mode, contact_id',
  }
  // A random row of the account. Citus refuses functions such as random() here.
  const some = (table: keyof typeof keys) => {
    const key = keys[table]
    const order = `md5(concat_ws(' ', '${Math.random()}', ${key}))`
    return `account_id = $1 and (${key}) in (select ${key} from ${table} where account_id = $1 order by ${order} limit 1)`
  }
  test.each([
    ['an entry is removed', `delete from ledger where ${some('ledger')}`],
    ['an entry is raised', `update ledger set amount = amount + 1 where ${some('ledger')}`],
    [
      'an entry is doubled',
      `insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
      select account_id, mode, meter, period_start, amount, request_id, spent_at from ledger where ${some('ledger')}`,
    ],
    ['a counter is lowered', `update usage_counters set used = used - 1 where ${some('usage_counters')}`],
    ['a counter of a key is lowered', `update key_counters set used = used - 1 where ${some('key_counters')}`],
    ['a counter of a key is removed', `delete from key_counters where ${some('key_counters')}`],
    ['a counter is removed', `delete from usage_counters where ${some('usage_counters')}`],
    ['an export is removed', `delete from store_exports where ${some('store_exports')}`],
    ['an export is made up', 'insert into store_exports select $1, $$live$$, $$2028-01-01$$, 1, $$2028-01-01$$'],
    ['a reveal is removed', `delete from reveals where ${some('reveals')}`],
    ['a reveal is made up', 'insert into reveals select $1, $$live$$, 0, $$2028-01-01$$'],
  ])('%s', async (_what, tampering) => {
    const [key] = await openKeys()
    await key!.post('/stores/search', { filters: {}, limit: 5 })
    await spendCredits(app, key!, 7)
    app.clock.advance(800 * hourMs)
    await key!.post('/stores/search', { filters: {}, limit: 3 })
    await spendCredits(app, key!, 2)
    expect(await checkLedger()).toMatchObject({ code: 0 })

    expect((await app.db.query(tampering, [app.accountNumber(key!.account)])).rowCount).toBe(1)
    const { code, differences } = await checkLedger()
    expect(code).toBe(1)
    expect(new Set(differences.map((difference) => difference.account))).toEqual(new Set([key!.account]))
    await deleteUsage(app.accountNumber(key!.account))
  })
})

/** Deletes an account's rows, so that later checks pass. */
async function deleteUsage(account: number): Promise<void> {
  for (const table of ['ledger', 'usage_counters', 'key_counters', 'store_exports', 'reveals'])
    await app.db.query(`delete from ${table} where account_id = $1`, [account])
}
