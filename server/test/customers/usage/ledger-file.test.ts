import { get } from 'node:http'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { readLedgerEntries } from '../../../src/customers/ledger/check.ts'
import { atEnd } from '../../support/cleanup.ts'
import type { TestUser } from '../../support/user.ts'
import { type ClosingApp, startClosingApp } from '../ledger/support/closing.ts'

const start = '2025-01-10T12:00:00.000Z'
let world: ClosingApp
beforeAll(async () => {
  world = await startClosingApp(start)
})

const getFile = (user: TestUser, query = '') => user.get(`/accounts/${user.account}/ledger/file?${query}`)
const readFile = async (user: TestUser, query = ''): Promise<Record<string, string>[]> =>
  parse((await getFile(user, query)).body, { columns: true })

describe('the file of the ledger', () => {
  test('holds all entries, oldest first, those that are packed included', async () => {
    world.app.clock.set(start)
    const key = await world.open()
    for (const month of ['01', '02', '03', '04', '05']) {
      world.app.clock.set(`2025-${month}-20T12:00:00.000Z`)
      await world.spend(key, Number(month))
    }
    const user = await world.app.person({ account: key.account, role: 'viewer' })
    const before = await readFile(user)
    await world.close()
    await world.passDays(3)
    expect(await world.count('ledger_archives', key)).toBeGreaterThan(0)

    const reply = await getFile(user)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="storedex-ledger-2025-05-23.csv"')
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(await readFile(user)).toEqual(before)
    const shown = (await world.show(key)) as Record<string, unknown>[]
    expect(before.map(({ request_id, amount }) => [request_id, amount])).toEqual(
      shown.map(({ request_id, amount }) => [request_id, String(amount)]),
    )
    expect(before[0]).toEqual({
      spent_at: '2025-01-20T12:00:00.000Z',
      mode: 'live',
      meter: 'store_exports',
      amount: '1',
      period_start: '2025-01-01T00:00:00.000Z',
      spent_by: 'test key',
      spent_by_id: key.id,
      request_id: expect.stringMatching(/^req_/),
    })

    const filtered = await readFile(user, `meter=contact_credits&since=2025-02-01T00:00:00Z&until=2025-04-01T00:00:00Z`)
    expect(filtered.map(({ amount }) => amount)).toEqual(['2', '3'])
    expect(await readFile(user, `person=${user.id}`)).toEqual([])
    expect((await getFile(user, 'mode=test')).body).toBe(
      'spent_at,mode,meter,amount,period_start,spent_by,spent_by_id,request_id\r\n',
    )
  })

  test('is an error, and not a part of the ledger, when an archive is damaged', async () => {
    world.app.clock.set(start)
    const key = await world.open()
    await world.spend(key, 2)
    world.app.clock.set('2025-05-20T12:00:00.000Z')
    await world.spend(key, 1)
    await world.close()
    await world.passDays(3)
    const damaged = await world.app.db.query('update ledger_archives set packed = $2 where account_id = $1', [
      world.app.accountNumber(key.account),
      Buffer.from('damaged'),
    ])
    expect(damaged.rowCount).toBe(1)
    const user = await world.app.person({ account: key.account })
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await getFile(user)).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } })
    expect(await readFile(user, 'since=2025-05-01T00:00:00Z')).not.toEqual([])
  })

  test('a name that a spreadsheet would run is text', async () => {
    world.app.clock.set(start)
    const key = await world.open()
    await world.spend(key, 1)
    await world.app.db.query('update api_keys set name = $2 where id = $1', [
      world.app.deps.ids.open(key.id)!.value,
      '=HYPERLINK("https://thief.example")',
    ])
    const user = await world.app.person({ account: key.account })
    expect((await readFile(user))[0]!.spent_by).toBe('\'=HYPERLINK("https://thief.example")')
  })

  test('that is not read on holds no connection, and keeps no other file waiting', async () => {
    world.app.clock.set(start)
    const key = await world.open()
    const user = await world.app.person({ account: key.account })
    // More than the buffers between the server and a reader that has stopped.
    await world.app.db.query(
      `insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
       select $1, 'live', 'search_rows', '2025-01-01', 1, 'req_' || repeat('x', 300), $2 from generate_series(1, 40000) n`,
      [world.app.accountNumber(key.account), start],
    )
    const url = `${world.app.url}/console/api/accounts/${user.account}/ledger/file`
    for (let reader = 0; reader < 3; reader++)
      await new Promise<void>((resolve) => {
        const request = get(url, { headers: { cookie: user.cookie } }, (response) => {
          response.pause()
          atEnd(() => request.destroy())
          resolve()
        })
        request.on('error', () => {})
      })
    const countTransactions = async () => {
      const { rows } = await world.app.db.query<{ open: number }>(
        `select count(*)::integer as open from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`,
      )
      return rows[0]!.open
    }
    await expect.poll(countTransactions).toBe(0)
    const { status, body } = await getFile(user)
    expect(status).toBe(200)
    expect(body.split('\r\n')).toHaveLength(40_000 + 2)
  })

  test('has each entry once when entries are packed while it is read', async () => {
    world.app.clock.set(start)
    const key = await world.open()
    // Closing looks for accounts with a counter.
    await world.spend(key, 1)
    await world.app.db.query(
      `insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
       select $1, 'live', 'search_rows', '2025-01-01', 1, 'req_' || n, $2 from generate_series(1, 25000) n`,
      [world.app.accountNumber(key.account), start],
    )
    const accountId = world.app.accountNumber(key.account)
    const read: string[] = []
    for await (const page of readLedgerEntries(world.app.deps, { accountId })) {
      if (read.length === 0) {
        world.app.clock.set('2025-05-20T12:00:00.000Z')
        await world.close()
        await world.passDays(3)
        expect(await world.count('ledger_archives', key)).toBeGreaterThan(0)
      }
      read.push(...page.map(({ request_id }) => request_id))
    }
    const added = Array.from({ length: 25_000 }, (_, index) => `req_${index + 1}`)
    expect(read.slice(-25_000)).toEqual(added)
    const user = await world.app.person({ account: key.account })
    expect((await readFile(user)).map(({ request_id }) => request_id)).toEqual(read)
  })
})
