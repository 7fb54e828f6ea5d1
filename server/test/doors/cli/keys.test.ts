import { expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { newApiKey } from '../../../src/foundation/kernel/api-key.ts'
import { openCommandLine } from './support/run-command.ts'

const cli = openCommandLine('2026-11-10T12:00:00.000Z')

interface Issued {
  id: string
  key: string
}

async function paidAccount(): Promise<string> {
  return (await cli.json<{ id: string }>('accounts', 'create', '--name', 'Aurora Candles', '--plan', 'pro')).id
}

test('a key is issued, listed without its secret, and revoked', async () => {
  const account = await paidAccount()
  const issued = await cli.json<Issued>('keys', 'create', account, '--name', 'shop sync')
  expect(issued).toEqual({
    id: expect.stringMatching(/^key_[A-Za-z]{16}$/),
    key: expect.stringMatching(/^sdx_live_[0-9A-Za-z]{38}$/),
  })
  const list = await cli.run('keys', 'list', account, '--json')
  expect(list.stdout).not.toContain(issued.key)
  expect(JSON.parse(list.stdout)).toMatchObject([{ id: issued.id, name: 'shop sync', mode: 'live', status: 'active' }])
  expect(await cli.json('keys', 'suspend', issued.id)).toMatchObject({ id: issued.id, status: 'suspended' })
  expect(await cli.json('keys', 'resume', issued.id)).toMatchObject({ status: 'active' })
  expect(await cli.json('keys', 'revoke', issued.id)).toMatchObject({ status: 'revoked' })
  const late = await cli.run('keys', 'resume', issued.id)
  expect(late).toMatchObject({ code: 1, stdout: '' })
  expect(late.stderr).toMatch(/^Key key_\w{16} is revoked; that is permanent\.\n$/)
})

test('--scope and --all-scopes set the scopes of a key', async () => {
  const account = await paidAccount()
  await cli.json('keys', 'create', account, '--name', 'a')
  await cli.json('keys', 'create', account, '--name', 'b', '--all-scopes', '--mode', 'test')
  const [expiry, two] = ['2027-01-01T00:00:00Z', ['--scope', 'billing:read', '--scope', 'usage:read']]
  await cli.json('keys', 'create', account, '--name', 'c', ...two, '--expires', expiry)
  expect(await cli.json('keys', 'list', account)).toMatchObject([
    { scopes: [...scopes.slice(0, 4), 'billing:read'], expires_at: null },
    { mode: 'test', scopes: [...scopes] },
    { scopes: ['billing:read', 'usage:read'], expires_at: '2027-01-01T00:00:00.000Z' },
  ])
})

test('keys set changes the scopes of a key, and takes some away also when the plan has lapsed', async () => {
  const account = await paidAccount()
  const { id } = await cli.json<Issued>('keys', 'create', account, '--name', 'k')
  expect(await cli.json('keys', 'set', id, '--scopes', 'usage:read, stores:read,billing:manage')).toMatchObject({
    scopes: ['usage:read', 'stores:read', 'billing:manage'],
  })
  const both = ['--scope', 'usage:read', '--scope', 'billing:read', '--budget', 'search_rows=9']
  expect(await cli.json('keys', 'set', id, ...both)).toMatchObject({
    scopes: ['usage:read', 'billing:read'],
    budget: { search_rows: { limit: 9 } },
  })
  await cli.json('accounts', 'set', account, '--status', 'canceled')
  const wider = await cli.run('keys', 'set', id, '--all-scopes', '--json')
  expect(wider).toMatchObject({ code: 1, stdout: '' })
  expect(wider.stderr).toMatch(/^This account has no active paid plan \(status canceled\)/)
  expect(await cli.json('keys', 'set', id, '--scopes', 'billing:read')).toMatchObject({ scopes: ['billing:read'] })
})

test('a key without a scope for billing is made with a warning, beside the result', async () => {
  const account = await paidAccount()
  const create = (...flags: string[]) => cli.run('keys', 'create', account, '--name', 'k', '--json', ...flags)
  const blind = await create('--scope', 'usage:read')
  expect(blind.stderr).toMatch(
    /^Warning: without billing:read or billing:manage this key can do nothing once the plan /,
  )
  const { id } = JSON.parse(blind.stdout) as Issued
  for (const flags of [[], ['--all-scopes'], ['--scopes', 'usage:read,billing:manage']])
    expect((await create(...flags)).stderr).toBe('')
  expect((await cli.run('keys', 'set', id, '--scopes', 'stores:read')).stderr).toMatch(/^Warning: without billing:read/)
  expect((await cli.run('keys', 'set', id, '--budget', 'search_rows=1')).stderr).toBe('')
})

test('rotate prints the new key and the expiry of the old one', async () => {
  const account = await paidAccount()
  const issued = await cli.json<Issued>('keys', 'create', account, '--name', 'k')
  const rotated = await cli.json<Issued>('keys', 'rotate', issued.id)
  expect(rotated).toMatchObject({ replaced: { id: issued.id, expires_at: '2026-11-10T13:00:00.000Z' } })
  expect(rotated.id).not.toBe(issued.id)
  expect(rotated.key).not.toBe(issued.key)
  const { replaced } = await cli.json<{ replaced: object }>('keys', 'rotate', rotated.id, '--overlap', '0')
  expect(replaced).toMatchObject({ status: 'expired', expires_at: '2026-11-10T12:00:00.000Z' })
})

test('an account without API access gets no key, with the reason', async () => {
  const { id } = await cli.json<Issued>('accounts', 'create', '--name', 'Free rider')
  const { code, stdout, stderr } = await cli.run('keys', 'create', id, '--name', 'k', '--json')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^This account has no active paid plan \(status none\)/)
  expect(await cli.json('keys', 'list', id)).toEqual([])
})

test('find finds a key by its beginning or both ends, with its account, and shows no secret', async () => {
  const account = await paidAccount()
  const { id, key } = await cli.json<Issued>('keys', 'create', account, '--name', 'shop sync')
  const other = await cli.json<Issued>('keys', 'create', account, '--name', 'tests', '--mode', 'test')
  const secret = key.slice('sdx_live_'.length)
  const found = {
    id,
    account,
    account_name: 'Aurora Candles',
    account_plan: 'pro',
    account_status: 'active',
    api_access: true,
    status: 'active',
    display: `sdx_live_${secret.slice(0, 4)}…${secret.slice(-4)}`,
  }
  const ends = `${key.slice(0, 13)}…${key.slice(-4)}`
  const parts = [
    key.slice(0, 13),
    secret.slice(0, 4),
    key.slice(0, 20),
    `${key.slice(0, 13)}…`,
    ends,
    ends.replace('…', '...'),
    key,
  ]
  for (const part of parts) {
    const { stdout } = await cli.run('keys', 'find', part, '--json')
    expect(JSON.parse(stdout), part).toMatchObject({ object: 'list', data: [found] })
    expect(stdout).not.toContain(secret.slice(4, 20))
  }
  const text = await cli.run('keys', 'find', key)
  expect(text.stdout).toMatch(new RegExp(`^${id} .*active.*${account} +Aurora Candles +pro \\(active\\) +open$`, 'm'))
  expect(text.stdout + text.stderr).not.toContain(secret.slice(4, 20))
  expect(await cli.json('keys', 'find', other.key.slice(0, 11))).toMatchObject({ data: [{ id: other.id }] })
})

test('find says when a key or its account is closed', async () => {
  const account = await paidAccount()
  const { id, key } = await cli.json<Issued>('keys', 'create', account, '--name', 'k')
  await cli.json('keys', 'revoke', id)
  await cli.json('accounts', 'suspend', account)
  expect(await cli.json('keys', 'find', key)).toMatchObject({ data: [{ id, status: 'revoked', api_access: false }] })
})

test('find finds nothing for a key of elsewhere, and repeats nothing of what is no key', async () => {
  const account = await paidAccount()
  const { key } = await cli.json<Issued>('keys', 'create', account, '--name', 'k')
  const elsewhere = newApiKey('live')
  expect(await cli.json('keys', 'find', elsewhere)).toEqual({ object: 'list', data: [] })
  expect((await cli.run('keys', 'find', elsewhere)).stdout).toBe('No key on file begins like this.\n')
  // The other mode, and another end.
  expect(await cli.json('keys', 'find', `sdx_test_${key.slice(9, 13)}`)).toEqual({ object: 'list', data: [] })
  const wrongEnd = key.endsWith('aaaa') ? 'bbbb' : 'aaaa'
  expect(await cli.json('keys', 'find', `${key.slice(0, 13)}…${wrongEnd}`)).toEqual({ object: 'list', data: [] })
  for (const text of ['', '%', 'sdx_live_', `Bearer ${key}`, `${key}x`, 'ab_1']) {
    const { code, stdout, stderr } = await cli.run('keys', 'find', text)
    expect({ code, stdout }, text).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^Give the beginning of a key, such as sdx_live_ab12, .*\n$/)
    expect(stderr).not.toContain(key.slice(9, 13))
  }
})

test('budgets are set with a key or later, shown with what is used, and removed', async () => {
  const account = await paidAccount()
  const budgets = ['--budget', 'contact_credits=100', '--budget', 'search_rows=0']
  const { id, key } = await cli.json<Issued>('keys', 'create', account, '--name', 'assistant', ...budgets)
  const none = { contact_credits: null, store_exports: null, search_rows: null }
  const [credits, rows] = [
    { limit: 100, used: 0, remaining: 100 },
    { limit: 0, used: 0, remaining: 0 },
  ]
  expect(await cli.json('keys', 'list', account)).toMatchObject([
    { budget: { ...none, contact_credits: credits, search_rows: rows } },
  ])
  expect((await cli.run('keys', 'list', account)).stdout).toContain('contact_credits 0/100, search_rows 0/0')
  const changes = ['--budget', 'contact_credits=none', '--budget', 'store_exports=5']
  expect(await cli.json('keys', 'set', id, ...changes)).toMatchObject({
    budget: { ...none, store_exports: { limit: 5, used: 0, remaining: 5 }, search_rows: rows },
  })
  expect((await cli.run('keys', 'set', id, '--budget', 'search_rows=none')).stdout).toMatch(
    /^budget +store_exports 0\/5$/m,
  )
  expect((await cli.run('keys', 'find', key.slice(0, 13))).stdout).toContain('store_exports 0/5')
  await cli.json('keys', 'revoke', id)
  expect((await cli.run('keys', 'set', id, '--budget', 'search_rows=1')).stderr).toMatch(
    /is revoked; that is permanent/,
  )
})
