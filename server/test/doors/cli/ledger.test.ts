import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Mode } from '../../../src/foundation/kernel/ids.ts'
import { findProjectDir } from '../../../src/operations/config.ts'
import { contextOfKey, spendRows } from '../../customers/ledger/support/spend.ts'
import { testDataKeys } from '../../support/fixtures.ts'
import { openCommandLine } from './support/run-command.ts'

const now = '2026-11-10T12:00:00.000Z'
const period = '2026-11-01T00:00:00.000Z'
const cli = openCommandLine(now)

interface Spender {
  account: string
  /** The id of its key. */
  key: string
  /** Spends one row per delivered store. */
  spend(requestId: string, ...storeIds: number[]): Promise<void>
}

async function openSpender(mode: Mode = 'live'): Promise<Spender> {
  const flags = ['--plan', 'pro', '--period-start', period]
  const { id } = await cli.json<{ id: string }>('accounts', 'create', '--name', 'Aurora Candles', ...flags)
  const issued = await cli.json<{ id: string; key: string }>('keys', 'create', id, '--name', 'k', '--mode', mode)
  return {
    account: id,
    key: issued.id,
    async spend(requestId, ...storeIds) {
      await spendRows(await contextOfKey(cli.deps, issued.key, 'stores:read', requestId), storeIds)
    },
  }
}

beforeEach(async () => {
  await cli.deps.db.query('truncate ledger, usage_counters, key_counters, store_exports, reveals, request_windows')
  cli.clock.set(now)
})

/** As many entries of the account opened last, a second apart. */
async function insertEntries(count: number): Promise<void> {
  const { rows } = await cli.deps.db.query<{ id: number }>('select max(id) as id from accounts')
  await cli.deps.db.query(
    `insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
     select $1::bigint, 'live', 'search_rows', $2, 1, 'req_' || n, $3::timestamptz + n * interval '1 second'
     from generate_series(1, $4::integer) n
     order by n`,
    [rows[0]!.id, period, now, count],
  )
}

const entry = (key: string, meter: string, amount: number, requestId: string, spentAt = now) => ({
  spent_at: spentAt,
  mode: 'live',
  meter,
  amount,
  period_start: period,
  request_id: requestId,
  key,
  person: null,
})

describe('ledger show', () => {
  test('prints all entries of the account and of no other, oldest first', async () => {
    const spender = await openSpender()
    const other = await openSpender()
    await spender.spend('req_1', 1, 2)
    await other.spend('req_2', 1)
    cli.clock.set('2026-11-11T00:00:00.000Z')
    await spender.spend('req_3', 2)
    const entries = await cli.json<object[]>('ledger', 'show', spender.account)
    expect(entries).toHaveLength(3)
    expect(entries.slice(0, 2)).toEqual(
      expect.arrayContaining([
        entry(spender.key, 'search_rows', 2, 'req_1'),
        entry(spender.key, 'store_exports', 2, 'req_1'),
      ]),
    )
    expect(entries[2]).toEqual(entry(spender.key, 'search_rows', 1, 'req_3', '2026-11-11T00:00:00.000Z'))
  })

  test('--since is inclusive and --until exclusive', async () => {
    const { account, spend } = await openSpender()
    for (const second of [1, 2, 3]) {
      cli.clock.set(`2026-11-10T12:00:0${second}.000Z`)
      await spend(`req_${second}`, 1)
    }
    const range = ['--since', '2026-11-10T13:00:02+01:00', '--until', '2026-11-10T12:00:03Z']
    expect(await cli.json('ledger', 'show', account, ...range)).toMatchObject([{ request_id: 'req_2' }])
    expect(await cli.json('ledger', 'show', account, '--since', '2026-12-01T00:00:00Z')).toEqual([])
  })

  test('CSV has a header and parses to the same entries, for any request id', async () => {
    const { account, spend } = await openSpender()
    await spend('req_1', 1)
    await spend('said "no, never"\r\nand left', 1)
    const { code, stdout } = await cli.run('ledger', 'show', account, '--csv')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^spent_at,mode,meter,amount,period_start,request_id\r\n/)
    expect(stdout).toMatch(/[^\r]\r\n$/)
    const read = parse(stdout, { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[]
    const entries = await cli.json<{ key: string; person: null }[]>('ledger', 'show', account)
    expect(entries).toHaveLength(3)
    expect(read.map(({ amount, ...rest }) => ({ ...rest, amount: Number(amount) }))).toEqual(
      entries.map(({ key, person, ...columns }) => columns),
    )
  })

  test('--json names the person who spent, and nobody for entries of before that was recorded', async () => {
    const { account, spend } = await openSpender()
    await insertEntries(1)
    await spend('req_later', 1)
    await cli.deps.db.query("update ledger set key_id = null, person_id = 7 where request_id = 'req_later'")
    expect(await cli.json('ledger', 'show', account)).toMatchObject([
      { request_id: 'req_1', key: null, person: null },
      { request_id: 'req_later', key: null, person: cli.deps.ids.seal('person', 7) },
      { request_id: 'req_later', key: null, person: cli.deps.ids.seal('person', 7) },
    ])
  })

  test('without --json a table is printed', async () => {
    const { account, spend } = await openSpender()
    await spend('req_1', 1)
    const { stdout } = await cli.run('ledger', 'show', account)
    expect(stdout).toMatch(/^spent at +mode +meter +amount +period start +request\n/)
    expect(stdout).toContain(`\n${now}  live  store_exports    1       ${period}  req_1\n`)
  })

  test('a long ledger is printed completely, each entry once and in order, in every format', async () => {
    const { account } = await openSpender()
    const count = 4_321
    await insertEntries(count)
    const expected = Array.from({ length: count }, (_, index) => `req_${index + 1}`)
    const entries = await cli.json<{ request_id: string }[]>('ledger', 'show', account)
    expect(entries.map((each) => each.request_id)).toEqual(expected)
    for (const flags of [['--csv'], []]) {
      const { stdout } = await cli.run('ledger', 'show', account, ...flags)
      expect(stdout.match(/req_\d+/g)).toEqual(expected)
    }
  })

  test('its reader may stop reading', async () => {
    const { account } = await openSpender()
    await insertEntries(10_000)
    const { PATH = '' } = process.env
    const env = { PATH, DATABASE_URL: cli.deps.databaseUrl, DATA_KEYS: testDataKeys }
    const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')
    const command = spawn(process.execPath, [launcher, 'ledger', 'show', account, '--csv'], { env })
    let complaint = ''
    command.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    const [first] = await once(command.stdout, 'data')
    command.stdout.destroy()
    await once(command, 'close')
    expect(String(first)).toMatch(/^spent_at,/)
    expect(complaint).toBe('')
  })

  test('one format at a time, and only for an existing account', async () => {
    const { account } = await openSpender()
    expect(await cli.run('ledger', 'show', account, '--csv', '--json')).toMatchObject({ code: 2, stdout: '' })
    expect(await cli.run('ledger', 'show', 'acct_nobody', '--csv')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No account has the id "acct_nobody"; .+\n$/),
    })
  })
})

describe('ledger check', () => {
  test('balances after charges of several accounts and modes', async () => {
    expect((await cli.run('ledger', 'check')).stdout).toMatch(/^The ledger balances \(.*entries: 0\)\.$/m)
    const [live, sandbox] = [await openSpender(), await openSpender('test')]
    await live.spend('req_1', 1, 2, 3)
    await live.spend('req_2', 3, 4)
    await sandbox.spend('req_3', 1)
    cli.clock.set('2026-12-01T00:00:00.000Z')
    await live.spend('req_4', 3, 4)
    const { rows } = await cli.deps.db.query('select count(*) as accounts from accounts')
    expect(await cli.json('ledger', 'check')).toEqual({
      ...rows[0],
      entries: 8,
      archived: 0,
      append_only: false,
      differences: [],
    })
  })

  const ledgerSide = { account: expect.any(String), mode: 'live', ledger: expect.any(Number) }
  test.each([
    [
      'an entry is missing',
      "delete from ledger where meter = 'search_rows' and amount = 3",
      [{ meter: 'search_rows', period_start: period, ledger: 2, counter: 5 }],
    ],
    [
      'a counter was moved',
      "update usage_counters set used = used + 1 where meter = 'search_rows'",
      [{ meter: 'search_rows', period_start: period, ledger: 5, counter: 6 }],
    ],
    [
      'a counter is gone',
      "delete from usage_counters where meter = 'store_exports'",
      [{ meter: 'store_exports', period_start: period, ledger: 4, counter: 0 }],
    ],
    [
      'a counter rose without an entry',
      `insert into usage_counters (account_id, mode, meter, period_start, used, allowance)
       select account_id, mode, 'contact_credits', period_start, 2, 9 from usage_counters where meter = 'search_rows'`,
      [{ meter: 'contact_credits', period_start: period, ledger: 0, counter: 2 }],
    ],
    [
      'an export was lost',
      'delete from store_exports where store_id = 4',
      [{ meter: 'store_exports', period_start: period, ledger: 4, exports: 3 }],
    ],
    [
      'a contact was revealed for nothing',
      'insert into reveals (account_id, mode, contact_id, revealed_at) select max(id), $$live$$, 1, created_at from accounts group by created_at order by 1 desc limit 1',
      [{ meter: 'contact_credits', period_start: null, ledger: 0, reveals: 1 }],
    ],
    [
      'an entry counts in another period than its counter',
      "update ledger set period_start = '2026-10-01T00:00:00.000Z' where amount = 3 and meter = 'store_exports'",
      [
        { meter: 'store_exports', period_start: '2026-10-01T00:00:00.000Z', ledger: 3, counter: 0 },
        { meter: 'store_exports', period_start: '2026-10-01T00:00:00.000Z', ledger: 3, exports: 0 },
        { meter: 'store_exports', period_start: period, ledger: 1, counter: 4 },
        { meter: 'store_exports', period_start: period, ledger: 1, exports: 4 },
      ],
    ],
    [
      'an entry stands in the other mode',
      "update ledger set mode = 'test' where meter = 'search_rows' and amount = 2",
      [
        { meter: 'search_rows', period_start: period, ledger: 3, counter: 5 },
        { mode: 'test', meter: 'search_rows', period_start: period, ledger: 2, counter: 0 },
      ],
    ],
  ])('finds that %s', async (_what, tampering, found) => {
    const { account, spend } = await openSpender()
    await spend('req_1', 1, 2, 3)
    await spend('req_2', 3, 4)
    expect((await cli.run('ledger', 'check')).code).toBe(0)
    await cli.deps.db.query(tampering)
    const differences = found.map((difference) => ({ ...ledgerSide, account, ...difference }))

    const asJson = await cli.run('ledger', 'check', '--json')
    expect(asJson.code).toBe(1)
    const all: { key?: string }[] = JSON.parse(asJson.stdout).differences
    expect(all.filter(({ key }) => key === undefined)).toEqual(differences)
    expect(asJson.stderr).toMatch(/^The ledger does not balance \(.*\)\.\n$/)
    const result = await cli.run('ledger', 'check')
    expect(result.code).toBe(1)
    expect(result.stdout.match(new RegExp(`^${account} (live|test) `, 'gm'))).toHaveLength(all.length)
  })

  test('many differences are all reported', async () => {
    await openSpender()
    await cli.deps.db.query(
      `insert into store_exports (account_id, mode, period_start, store_id, exported_at)
       select max(id), 'live', $1::timestamptz + n * interval '1 hour', 1, $1::timestamptz
       from accounts, generate_series(1, 2500) n
       group by n`,
      [period],
    )
    const { code, stdout } = await cli.run('ledger', 'check', '--json')
    expect(code).toBe(1)
    expect(
      new Set(JSON.parse(stdout).differences.map((each: { period_start: string }) => each.period_start)).size,
    ).toBe(2500)
  })
})

test('check compares the counters of keys with the entries that name them, and with what their exports have reserved', async () => {
  const { account, spend } = await openSpender()
  await spend('req_1', 1, 2, 3)
  await cli.deps.db.query("update key_counters set used = used + 1, reserved = 2 where meter = 'search_rows'")
  const { differences } = JSON.parse((await cli.run('ledger', 'check', '--json')).stdout)
  const counter = {
    account,
    mode: 'live',
    meter: 'search_rows',
    period_start: period,
    key: expect.stringMatching(/^key_/),
  }
  expect(differences).toEqual([
    { ...counter, ledger: 3, counter: 4 },
    { ...counter, exports_reserved: 0, reserved: 2 },
  ])
})

test('check compares what counters have reserved with what running exports say', async () => {
  const spender = await openSpender()
  await spender.spend('req_1', 1)
  expect((await cli.run('ledger', 'check')).code).toBe(0)
  await cli.deps.db.query("update usage_counters set reserved = 3 where meter = 'store_exports'")
  const unsound = await cli.run('ledger', 'check')
  expect(unsound.code).toBe(1)
  expect(unsound.stdout).toContain(`${spender.account} live store_exports ${period}: exports_reserved 0, reserved 3\n`)
  await cli.deps.db.query(
    `insert into exports (account_id, mode, kind, status, layout, query, max_rows, request_id, period_start,
                          reserved_exports, pieces, bytes, sha256, place, created_at)
     select account_id, mode, 'stores', 'running', '{}', '{}', 10, 'req_2', period_start, 3, 0, 0, '', 1, $1
     from usage_counters where meter = 'store_exports'`,
    [now],
  )
  expect((await cli.run('ledger', 'check')).code).toBe(0)
  await cli.deps.db.query('delete from exports')
})
