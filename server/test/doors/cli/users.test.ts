import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { hashToken } from '../../../src/customers/users/tokens.ts'
import { startSmtpSink } from '../../catalogue/privacy/support/smtp-sink.ts'
import { openCommandLine } from './support/run-command.ts'

const now = '2026-11-10T12:00:00.000Z'
const cli = openCommandLine(now)

interface User {
  id: string
  email: string
  name: string
  operator: boolean
  accounts: { id: string; role: string }[]
  link?: string
}

let account: string
beforeEach(async () => {
  await cli.deps.db.query('delete from people')
  account = (await cli.json<{ id: string }>('accounts', 'create', '--name', 'Aurora Candles', '--plan', 'pro')).id
})

const create = (email: string, ...flags: string[]) =>
  cli.json<User>('users', 'create', email, '--name', 'Mara Vogt', ...flags)

/** When the link that the command printed ends, from the database; it stores only its hash. */
async function endOf(link: string): Promise<string> {
  const token = link.split('#')[1]!
  const { rows } = await cli.deps.db.query(
    'select expires_at, purpose from sign_in_links where token_hash = $1::bytea',
    [hashToken(token)],
  )
  expect(rows[0].purpose).toBe('set_password')
  return rows[0].expires_at.toISOString()
}

test('a person is created with a membership and a link for three days', async () => {
  const user = await create('Mara@Aurora.example', '--account', account, '--role', 'owner', '--operator')
  expect(user).toEqual({
    id: expect.stringMatching(/^per_[A-Za-z]{16}$/),
    email: 'mara@aurora.example',
    name: 'Mara Vogt',
    operator: true,
    accounts: [{ id: account, role: 'owner' }],
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/link#[\w-]{43}$/),
  })
  expect(await endOf(user.link!)).toBe('2026-11-13T12:00:00.000Z')
})

test('memberships are added, changed and dropped, and the person stays', async () => {
  const { link: _, ...user } = await create('mara@aurora.example')
  expect(user.accounts).toEqual([])
  const member = { ...user, accounts: [{ id: account, role: 'member' }] }
  expect(await cli.json('users', 'add', 'mara@aurora.example', '--account', account)).toEqual(member)
  const admin = { ...user, accounts: [{ id: account, role: 'admin' }] }
  const promote = ['users', 'add', 'MARA@aurora.example', '--account', account, '--role', 'admin']
  expect(await cli.json(...promote)).toEqual(admin)
  expect(await cli.json('users', 'list', '--account', account)).toEqual([admin])
  expect(await cli.json('users', 'drop', 'mara@aurora.example', '--account', account)).toEqual(user)
  expect(await cli.json('users', 'list', '--account', account)).toEqual([])
  expect(await cli.json('users', 'list')).toEqual([user])
})

test('a link for a new password lasts an hour, and starts with the address of the service', async () => {
  const { link: first } = await create('mara@aurora.example')
  const { link } = await cli.json<User>('users', 'link', 'mara@aurora.example')
  expect(link).not.toBe(first)
  expect(await endOf(link!)).toBe('2026-11-10T13:00:00.000Z')
})

test('--end-all ends all that somebody signs in with at once, the password too', async () => {
  const { id, link: first } = await create('mara@aurora.example')
  const userId = cli.deps.ids.open(id)!.value
  await cli.deps.db.query("update people set password_hash = 'known' where id = $1::bigint", [userId])
  await cli.deps.db.query(
    `insert into passkeys (person_id, credential_id, public_key, sign_count, transports, name, created_at)
     values ($1::bigint, '\\x01', '\\x01', 0, '{}', 'planted', now())`,
    [userId],
  )
  await cli.deps.db.query(
    `insert into sessions (token_hash, person_id, created_at, last_seen_at, expires_at, signed_in_at, address, user_agent)
     values ('\\x01', $1::bigint, now(), now(), now() + interval '1 day', now(), '', '')`,
    [userId],
  )
  const held = async () =>
    (
      await cli.deps.db.query(
        `select (select count(*) from sessions where person_id = $1::bigint)::integer as sessions,
                (select count(*) from passkeys where person_id = $1::bigint)::integer as passkeys,
                (select count(*) from sign_in_links where person_id = $1::bigint and used_at is null)::integer as links,
                (select count(password_hash) from people where id = $1::bigint)::integer as passwords`,
        [userId],
      )
    ).rows[0]
  await cli.json<User>('users', 'link', 'mara@aurora.example')
  expect(await held()).toEqual({ sessions: 1, passkeys: 1, links: 2, passwords: 1 })
  const { link } = await cli.json<User>('users', 'link', 'mara@aurora.example', '--end-all')
  expect(await held()).toEqual({ sessions: 0, passkeys: 0, links: 1, passwords: 0 })
  expect(await endOf(link!)).toBe('2026-11-10T13:00:00.000Z')
  expect(link).not.toBe(first)
})

test('the mark of an operator is set and taken away', async () => {
  await create('mara@aurora.example')
  expect(await cli.json('users', 'operator', 'mara@aurora.example')).toMatchObject({ operator: true })
  expect(await cli.json('users', 'operator', 'mara@aurora.example', '--off')).toMatchObject({ operator: false })
})

test('a new operator is told by mail, and is one without it, too', async () => {
  const sink = await startSmtpSink()
  const { users } = cli.deps.config
  onTestFinished(() => {
    users.mail = null
  })
  users.mail = { smtpUrl: sink.url, from: 'robot@storedex.example', tls: 'optional' }
  await create('mara@aurora.example')
  await cli.run('users', 'operator', 'mara@aurora.example')
  expect(sink.mails.map(({ to }) => to)).toEqual([['mara@aurora.example']])
  expect(sink.mails[0]!.content).toContain('2026-11-10 at 12:00 UTC you are an operator')
  await cli.run('users', 'operator', 'mara@aurora.example', '--off')
  expect(sink.mails).toHaveLength(1)
  sink.behave('reject')
  const { code, stdout, stderr } = await cli.run('users', 'operator', 'mara@aurora.example', '--json')
  expect([code, JSON.parse(stdout).operator]).toEqual([0, true])
  expect(stderr).toMatch(/^They could not be told by mail/)
  expect(stderr).not.toContain('mara@')
})

test('a removed person is gone with all that was theirs, and their account stays', async () => {
  const { link: _, ...user } = await create('mara@aurora.example', '--account', account, '--role', 'owner')
  expect(await cli.json('users', 'remove', 'mara@aurora.example')).toEqual(user)
  expect(await cli.json('users', 'list')).toEqual([])
  for (const table of ['members', 'sign_in_links'])
    expect((await cli.deps.db.query(`select from ${table}`)).rowCount).toBe(0)
  expect(await cli.json('accounts', 'show', account)).toMatchObject({ id: account })
})

test('the only owner of an account is not dropped, until there is another', async () => {
  await create('mara@aurora.example', '--account', account, '--role', 'owner')
  await create('ines@aurora.example', '--account', account, '--role', 'admin')
  const drop = ['users', 'drop', 'mara@aurora.example', '--account', account]
  expect(await cli.run(...drop, '--json')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'An account needs an owner: make somebody else an owner first.\n',
  })
  expect(await cli.json('users', 'list', '--account', account)).toHaveLength(2)
  await cli.json('users', 'add', 'ines@aurora.example', '--account', account, '--role', 'owner')
  expect(await cli.json(...drop)).toMatchObject({ accounts: [] })
})

test('every change is in the audit log, without the address', async () => {
  await cli.deps.ownerDb.query('truncate audit_log')
  const user = await create('mara@aurora.example', '--account', account, '--role', 'owner')
  await cli.run('users', 'add', 'mara@aurora.example', '--account', account, '--role', 'admin')
  await cli.run('users', 'operator', 'mara@aurora.example')
  await cli.run('users', 'drop', 'mara@aurora.example', '--account', account)
  await cli.run('users', 'remove', 'mara@aurora.example')
  const { rows } = await cli.deps.db.query('select * from audit_log order by entry')
  expect(rows.map(({ action }) => action)).toEqual([
    'person.created',
    'member.added',
    'link.created',
    'member.changed',
    'operator.added',
    'member.removed',
    'person.removed',
  ])
  for (const row of rows) expect(row).toMatchObject({ person_id: null, address: null, target: user.id })
  const accountId = cli.deps.ids.open(account)!.value
  expect(rows.map(({ account_id }) => account_id)).toEqual([0, accountId, 0, accountId, 0, accountId, 0])
  expect(JSON.stringify(rows)).not.toContain('aurora.example')
})

test('what is not possible is refused with one sentence, and changes nothing', async () => {
  await create('mara@aurora.example')
  const anId = 'an id is acct_ and 16 letters ("storedex accounts list" shows them)'
  const refusals: [string[], string][] = [
    [['create', 'MARA@aurora.example', '--name', 'M'], 'Somebody has the address "mara@aurora.example" already.\n'],
    [['link', 'nobody@aurora.example'], 'Nobody has the address "nobody@aurora.example".\n'],
    [['drop', 'mara@aurora.example', '--account', account], 'This person is no member of the account.\n'],
    [
      ['create', 'other@aurora.example', '--name', 'O', '--account', 'acct_no'],
      `No account has the id "acct_no"; ${anId}.\n`,
    ],
  ]
  for (const [args, stderr] of refusals)
    expect(await cli.run('users', ...args, '--json')).toEqual({ code: 1, stdout: '', stderr })
  expect(await cli.json('users', 'list')).toMatchObject([{ email: 'mara@aurora.example', accounts: [] }])
})

test('without --json the link is the last line', async () => {
  const { code, stdout } = await cli.run('users', 'create', 'mara@aurora.example', '--name', 'Mara Vogt')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^email +mara@aurora\.example$/m)
  expect(stdout).toMatch(/\nhttp:\/\/127\.0\.0\.1:8080\/link#[\w-]{43}\n$/)
  expect((await cli.run('users', 'list')).stdout).toMatch(/^per_\w+ +mara@aurora\.example +Mara Vogt +- +-$/m)
})

test('the earlier name of the command does the same', async () => {
  const user = await cli.json('people', 'create', 'mara@aurora.example', '--name', 'Mara Vogt')
  expect(await cli.json('users', 'list')).toMatchObject([{ email: 'mara@aurora.example' }])
  expect(user).toHaveProperty('link')
  expect((await cli.run('--help')).stdout).toMatch(/^ +users\|people /m)
})
