import { beforeEach, describe, expect, test } from 'vitest'
import { contextOfKey, spendRows } from '../../customers/ledger/support/spend.ts'
import { openCommandLine } from './support/run-command.ts'

const now = '2026-11-10T12:00:00.000Z'
const cli = openCommandLine(now)

async function openAccount(...flags: string[]): Promise<string> {
  const { id } = await cli.json<{ id: string }>('accounts', 'create', '--name', 'Aurora Candles', ...flags)
  return id
}

test('an account is created, changed and shown', async () => {
  const id = await openAccount('--email', 'mara@aurora.example', '--plan', 'pro', '--billing', 'monthly')
  expect(id).toMatch(/^acct_[A-Za-z]{16}$/)
  const changed = await cli.json(
    'accounts',
    'set',
    id,
    '--plan',
    'business',
    '--limit',
    'search_rows=7',
    '--limit',
    'store_exports=0',
  )
  const account = {
    id,
    name: 'Aurora Candles',
    email: 'mara@aurora.example',
    plan: 'business',
    status: 'active',
    billing: 'monthly',
    trial_ends_at: null,
    period_start: now,
    api_access: true,
    suspended_at: null,
    closed_at: null,
    limits: { search_rows: 7, store_exports: 0 },
    created_at: now,
  }
  expect(changed).toEqual(account)
  expect(await cli.json('accounts', 'set', id, '--limit', 'search_rows=default')).toEqual({
    ...account,
    limits: { store_exports: 0 },
  })
  expect(await cli.json('accounts', 'show', id)).toMatchObject({
    id,
    usage: { live: { search_rows: { limit: 25_000 } }, test: { store_exports: { limit: 0 } } },
  })
})

test('usage is shown per mode, and the remainder is never below zero', async () => {
  const id = await openAccount('--plan', 'pro', '--period-start', '2026-10-15T06:00:00Z')
  const { key } = await cli.json<{ key: string }>('keys', 'create', id, '--name', 'k')
  const ctx = await contextOfKey(cli.deps, key, 'stores:read', 'req_1')
  await spendRows(ctx, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1])
  await cli.json('accounts', 'set', id, '--limit', 'search_rows=4', '--limit', 'requests_per_minute=9')

  const { usage } = await cli.json<{ usage: { live: object; test: object } }>('accounts', 'show', id)
  const period = { period_start: '2026-10-15T06:00:00.000Z', period_end: '2026-11-15T06:00:00.000Z' }
  const day = { period_start: '2026-11-10T00:00:00.000Z', period_end: '2026-11-11T00:00:00.000Z' }
  const unused = {
    contact_credits: { total: 1000, used: 0, remaining: 1000, paid_plan_total: 1000, ...period },
    store_exports: { limit: 5000, used: 0, reserved: 0, remaining: 5000, ...period },
    api_requests: { limit: 5000, used: 0, remaining: 5000, ...day },
    search_rows: { limit: 4, used: 0, remaining: 4, ...period },
    rate_limit: { limit: 9, interval: 'minute' },
  }
  expect(usage.test).toEqual(unused)
  expect(usage.live).toEqual({
    ...unused,
    store_exports: { ...unused.store_exports, used: 3, remaining: 4997 },
    api_requests: { ...unused.api_requests, used: 1, remaining: 4999 },
    search_rows: { ...unused.search_rows, used: 10, remaining: 0 },
  })

  // A new period starts at zero; the counters of the old one stay.
  cli.clock.set('2026-11-15T06:00:00.000Z')
  const { usage: next } = await cli.json<{ usage: { live: object } }>('accounts', 'show', id)
  expect(next.live).toMatchObject({ search_rows: { used: 0 }, store_exports: { used: 0 }, api_requests: { used: 0 } })
  cli.clock.set(now)
})

test('--trial-ends grants a trial, and none ends it', async () => {
  const id = await openAccount('--plan', 'pro', '--trial-ends', '2026-11-24T00:00:00+02:00')
  const { usage, ...shown } = await cli.json<{ usage: { live: object } }>('accounts', 'show', id)
  expect(shown).toMatchObject({ status: 'trialing', trial_ends_at: '2026-11-23T22:00:00.000Z' })
  expect(usage.live).toMatchObject({ contact_credits: { total: 250, paid_plan_total: 1000 } })
  const ended = await cli.json('accounts', 'set', id, '--trial-ends', 'none')
  expect(ended).toMatchObject({ status: 'active', trial_ends_at: null })
})

test('suspend closes access and keeps the first moment; resume restores the plan', async () => {
  const id = await openAccount('--plan', 'pro')
  expect(await cli.json('accounts', 'suspend', id)).toMatchObject({
    api_access: false,
    suspended_at: now,
    plan: 'pro',
    status: 'active',
  })
  cli.clock.set('2026-11-11T12:00:00.000Z')
  expect(await cli.json('accounts', 'suspend', id)).toMatchObject({ suspended_at: now })
  cli.clock.set(now)
  const refused = await cli.run('keys', 'create', id, '--name', 'k')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('suspended; contact its operator') })
  expect(await cli.json('accounts', 'resume', id)).toMatchObject({ api_access: true, suspended_at: null })
})

test('without --json the same is printed as text', async () => {
  const { code, stdout } = await cli.run('accounts', 'create', '--name', 'Aurora Candles', '--plan', 'pro')
  expect(code).toBe(0)
  const id = /^Created account (acct_\w{16})\.\n$/.exec(stdout)![1]!
  const shown = await cli.run('accounts', 'show', id)
  expect(shown.stdout).toMatch(/^name +Aurora Candles$/m)
  expect(shown.stdout).toMatch(/^live +store exports +0 +0 +5000 +5000 +2026-12-10T12:00:00\.000Z$/m)
})

test('an unknown account is an error, with nothing on standard output', async () => {
  for (const [command, ...flags] of [['show'], ['suspend'], ['resume'], ['set', '--plan', 'pro']] as const) {
    const { code, stdout, stderr } = await cli.run('accounts', command, 'acct_nobody', ...flags, '--json')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      'No account has the id "acct_nobody"; an id is acct_ and 16 letters ("storedex accounts list" shows them).\n',
    )
  }
})

test('an id of another kind is told apart from an unknown one, and a secret is not repeated', async () => {
  const id = await openAccount('--plan', 'pro')
  const { id: keyId, key } = await cli.json<{ id: string; key: string }>('keys', 'create', id, '--name', 'k')
  const wrongKind = await cli.run('accounts', 'show', keyId)
  expect(wrongKind).toMatchObject({ code: 1, stderr: expect.stringContaining(`${keyId} is an id of kind "key"`) })
  expect((await cli.run('keys', 'revoke', id)).stderr).toContain(`${id} is an id of kind "account"`)
  for (const command of [
    ['accounts', 'show', key],
    ['keys', 'revoke', key],
  ]) {
    const { code, stderr } = await cli.run(...command)
    expect(code).toBe(1)
    expect(stderr).toContain('id')
    expect(stderr).not.toContain(key.slice(9, 20))
  }
})

describe('list', () => {
  interface List {
    object: 'list'
    data: { id: string; name: string; email: string | null; plan: string; status: string; created_at: string }[]
  }
  const list = (...flags: string[]) => cli.json<List>('accounts', 'list', ...flags)
  const names = async (...flags: string[]) => (await list(...flags)).data.map(({ name }) => name)

  beforeEach(async () => {
    await cli.deps.db.query('delete from api_keys')
    await cli.deps.db.query('delete from accounts')
  })

  test('shows all accounts, the newest first', async () => {
    await cli.json('accounts', 'create', '--name', 'Northwind')
    const id = await openAccount('--email', 'mara@aurora.example', '--plan', 'pro')
    const { object, data } = await list()
    expect(object).toBe('list')
    expect(data).toEqual([
      { id, name: 'Aurora Candles', email: 'mara@aurora.example', plan: 'pro', status: 'active', created_at: now },
      { id: data[1]!.id, name: 'Northwind', email: null, plan: 'free', status: 'none', created_at: now },
    ])
    const { stdout } = await cli.run('accounts', 'list')
    expect(stdout).toMatch(new RegExp(`^${id} +Aurora Candles +mara@aurora\\.example +pro +active +`, 'm'))
  })

  test('finds by name, address and id, in any case', async () => {
    await cli.json('accounts', 'create', '--name', 'Northwind', '--email', 'ops@nw.example')
    const id = await openAccount('--email', 'mara@aurora.example')
    for (const text of ['CANDLES', 'Mara@', ` ${id} `])
      expect(await names('--search', text)).toEqual(['Aurora Candles'])
    expect(await names('--search', 'example')).toEqual(['Aurora Candles', 'Northwind'])
    expect(await names('--search', '%')).toEqual([])
    expect((await cli.run('accounts', 'list', '--search', 'nobody')).stdout).toMatch(/^No account fits\./)
  })

  test('filters by plan in force and by state', async () => {
    await openAccount('--plan', 'pro')
    await cli.json('accounts', 'create', '--name', 'Lapsed', '--plan', 'pro', '--status', 'canceled')
    const suspended = await cli.json<{ id: string }>('accounts', 'create', '--name', 'Held', '--plan', 'business')
    await cli.json('accounts', 'suspend', suspended.id)
    expect(await names('--plan', 'pro')).toEqual(['Aurora Candles'])
    expect(await names('--plan', 'free', '--status', 'canceled')).toEqual(['Lapsed'])
    expect(await names('--status', 'suspended')).toEqual(['Held'])
    expect((await cli.run('accounts', 'list', '--status', 'suspended')).stdout).toContain('active, suspended')
  })

  test('is complete, however many there are', async () => {
    await cli.deps.db.query(
      `insert into accounts (name, plan, status, period_anchor, created_at)
       select 'Account ' || n, 'free', 'none', $1, $1 from generate_series(1, 1201) n`,
      [now],
    )
    const all = await names()
    expect([all.length, all[0], all.at(-1)]).toEqual([1201, 'Account 1201', 'Account 1'])
    expect(new Set(all).size).toBe(1201)
  })

  test('a wrong plan or state is answered with the right ones', async () => {
    const plan = await cli.run('accounts', 'list', '--plan', 'gold')
    expect(plan).toMatchObject({ code: 2, stderr: expect.stringContaining('free, pro, business, enterprise') })
    expect((await cli.run('accounts', 'list', '--status', 'gone')).stderr).toContain('suspended, closed')
  })
})

test('a trial without a paid plan is rejected', async () => {
  const { code, stderr } = await cli.run('accounts', 'create', '--name', 'A', '--trial-ends', '2026-12-01T00:00:00Z')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^A trial needs a paid plan.*\n$/)
})
