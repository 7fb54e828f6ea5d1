import { describe, expect, test } from 'vitest'
import { openCommandLine } from './support/run-command.ts'

const cli = openCommandLine('2026-11-10T12:00:00.000Z')
const create = ['accounts', 'create', '--name', 'A']
const account = 'acct_ABCDEFGHIJKLMNOP'

describe('wrong usage exits with 2, writes to standard error and does nothing', () => {
  test.each([
    [[]],
    [['frobnicate']],
    [['accounts']],
    [['accounts', 'frobnicate']],
    [['contacts', 'erase']],
    [['migrate', 'extra']],
    [['serve', '--fast']],
    [['accounts', 'create']],
    [['accounts', 'create', '--name', ' ']],
    [[...create, '--plan', 'gold']],
    [[...create, '--status', 'happy']],
    [[...create, '--billing', 'weekly']],
    [[...create, '--email', 'nobody']],
    [[...create, '--period-start', '2026-11-01']],
    [[...create, '--period-start', '2026-11-01T00:00:00']],
    [[...create, '--plan', 'pro', '--trial-ends', '2026-02-30T00:00:00Z']],
    [[...create, '--trial-ends', 'none']],
    [['accounts', 'set', account]],
    [['accounts', 'set', '--plan', 'pro']],
    [['accounts', 'set', account, '--limit', 'search_rows']],
    [['accounts', 'set', account, '--limit', 'search_rows=']],
    [['accounts', 'set', account, '--limit', 'search_rows=-1']],
    [['accounts', 'set', account, '--limit', 'search_rows=1.5']],
    [['accounts', 'set', account, '--limit', 'search_rows=2147483648']],
    [['accounts', 'set', account, '--limit', 'search_rows=1=2']],
    [['accounts', 'set', account, '--limit', 'searches=1']],
    [['accounts', 'show', account, 'acct_another']],
    [['accounts', 'suspend']],
    [['accounts', 'list', 'acct_another']],
    [['accounts', 'list', '--plan', 'gold']],
    [['keys', 'find']],
    [['keys', 'find', 'sdx_live_ab12', 'more']],
    [['accounts', 'resume', account, 'acct_another']],
    [['keys', 'create', account]],
    [['keys', 'create', account, '--name', 'k', '--mode', 'sandbox']],
    [['keys', 'create', account, '--name', 'k', '--scope', 'everything']],
    [['keys', 'create', account, '--name', 'k', '--scope', 'usage:read', '--all-scopes']],
    [['keys', 'create', account, '--name', 'k', '--expires', 'tomorrow']],
    [['keys', 'create', account, '--name', 'k', '--budget', 'requests=1']],
    [['keys', 'create', account, '--name', 'k', '--budget', 'search_rows=-1']],
    [['keys', 'create', account, '--name', 'k', '--budget', 'search_rows=none']],
    [['keys', 'create', account, '--name', 'k', '--budget', 'search_rows=1', '--budget', 'search_rows=2']],
    [['keys', 'set', 'key_ABCDEFGHIJKLMNOP']],
    [['keys', 'set', 'key_ABCDEFGHIJKLMNOP', '--scopes', '']],
    [['keys', 'set', 'key_ABCDEFGHIJKLMNOP', '--scopes', 'usage:read,everything']],
    [['keys', 'set', 'key_ABCDEFGHIJKLMNOP', '--scopes', 'usage:read', '--scope', 'stores:read']],
    [['keys', 'set', 'key_ABCDEFGHIJKLMNOP', '--all-scopes', '--scope', 'stores:read']],
    [['keys', 'set', 'key_ABCDEFGHIJKLMNOP', '--budget', 'search_rows=2147483648']],
    [['keys', 'rotate', 'key_ABCDEFGHIJKLMNOP', '--overlap', '1w']],
    [['keys', 'rotate', 'key_ABCDEFGHIJKLMNOP', '--overlap', '91d']],
    [['billing', 'link', account]],
    [['billing', 'link', account, '--plan', 'free']],
    [['billing', 'link', account, '--plan', 'pro', '--billing', 'weekly']],
    [['stores']],
    [['stores', 'show']],
    [['stores', 'rename', 'a.example']],
    [['stores', 'remove', 'a.example', 'b.example']],
    [['users']],
    [['users', 'create', 'mara@aurora.example']],
    [['users', 'create', 'nobody', '--name', 'N']],
    [['users', 'create', 'mara@aurora.example', '--name', 'M', '--role', 'owner']],
    [['users', 'add', 'mara@aurora.example']],
    [['users', 'add', 'mara@aurora.example', '--account', account, '--role', 'boss']],
    [['users', 'drop', 'mara@aurora.example']],
    [['users', 'operator']],
    [['ledger']],
    [['ledger', 'check', account]],
    [['ledger', 'show']],
    [['ledger', 'show', account, '--since', 'yesterday']],
    [['ledger', 'show', account, '--until', '2026-11-01']],
    [['backup']],
    [['backup', 'one.backup', 'two.backup']],
    [['backup', 'one.backup', '--without-keys']],
    [['restore']],
    [['restore', 'one.backup', '--force']],
    [['import', 'stores']],
    [['import', 'shops', 'file.ndjson']],
  ])('storedex %j', async (args) => {
    const { code, stdout, stderr } = await cli.run(...args, '--json')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).not.toBe('')
    expect(stderr).not.toMatch(/\n +at /)
    expect((await cli.deps.db.query('select from accounts')).rowCount).toBe(0)
  })
})

test('--version prints the version', async () => {
  expect(await cli.run('--version')).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
  expect(await cli.json('--version')).toEqual({ version: '1.2.3' })
})

test('every command and group has a description, and help shows examples', async () => {
  const commandsOf = async (...path: string[]) => {
    const { stdout } = await cli.run(...path, '--help')
    const [, list = ''] = stdout.split('\nCommands:\n')
    return [...list.split('\n\n')[0]!.matchAll(/^ {2}([a-z-]+)\b.*?(?: {2,}(\S.*))?$/gm)]
  }
  const groups = await commandsOf()
  expect(groups.length).toBeGreaterThan(9)
  for (const [line, name] of groups) {
    expect(line).toMatch(/ {2}\S+( \[\S+\])? {2,}[a-z]/)
    for (const [line] of name === 'help' ? [] : await commandsOf(name!))
      expect(line, name).toMatch(/\S {2,}[a-z]|^ {2}\S+ .*[>\]]$/)
  }
  for (const group of ['accounts', 'keys', 'users', 'billing', 'contacts', 'ledger'])
    expect((await cli.run(group, '--help')).stdout, group).toContain('\nExamples:\n')
  expect((await cli.run('--help')).stdout).toContain('\nExamples:\n')
})

test('a mistyped command is answered with the right one', async () => {
  expect((await cli.run('acounts')).stderr).toContain('Did you mean accounts?')
  expect((await cli.run('keys', 'lst', 'acct_x')).stderr).toContain('Did you mean list?')
})

test('help exits with 0', async () => {
  for (const args of [['--help'], ['help'], ['accounts', 'set', '--help'], ['help', 'keys']]) {
    const { code, stdout, stderr } = await cli.run(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: storedex/)
  }
})

test('migrate migrates the schema', async () => {
  const { version, ...rest } = await cli.json('migrate')
  expect(rest).toEqual({ applied: [] })
  expect(version).toBeGreaterThan(0)
})
