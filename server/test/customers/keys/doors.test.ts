import { beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { Json, TestReply } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-20T10:00:00.000Z' })
})

const keysOf = (user: TestUser) => `/accounts/${user.account}/keys`
const change = (user: TestUser, id: string, what: string, body?: object) =>
  user.post(`${keysOf(user)}/${id}/${what}`, body)
const codeOf = ({ status, body }: TestReply) => (body.error ? body.error.code : status)

async function createdKey(user: TestUser, body: object = {}): Promise<Json> {
  const { status, body: reply } = await user.post(keysOf(user), { name: 'sync', ...body })
  expect(status).toBe(200)
  return reply.key
}

const command = (...args: string[]) => runCommand(app.deps, args)

test('what the command line does to keys is in the audit log of their account, as done there', async () => {
  const owner = await app.person({ name: 'Mara Owner' })
  const issued = JSON.parse((await command('keys', 'create', owner.account, '--name', 'sync', '--json')).stdout)
  for (const args of [
    ['set', issued.id, '--budget', 'search_rows=5', '--scopes', 'usage:read,billing:read'],
    ['suspend', issued.id],
    ['resume', issued.id],
    ['rotate', issued.id, '--overlap', '1h'],
    ['revoke', issued.id],
    // Nothing changes, so nothing is written.
    ['revoke', issued.id],
  ])
    expect((await command('keys', ...args)).code, args.join(' ')).toBe(0)
  await createdKey(owner)
  const { data } = (await owner.get(`/accounts/${owner.account}/audit`)).body
  expect(data.map(({ action, actor, person: user }: Json) => [action, actor, user?.name ?? null])).toEqual([
    ['key.created', 'member', 'Mara Owner'],
    ['key.revoked', 'command', null],
    ['key.rotated', 'command', null],
    ['key.resumed', 'command', null],
    ['key.suspended', 'command', null],
    ['key.budget_changed', 'command', null],
    ['key.scopes_changed', 'command', null],
    ['key.created', 'command', null],
  ])
  expect(data[5].details).toEqual({ search_rows: 5, search_rows_before: null })
  expect(data[3].target.id).toBe(issued.id)
  expect(JSON.stringify(data)).not.toContain(issued.key.slice(9, 30))
})

test('a refusal has the same sentence at the command line and in the console', async () => {
  const owner = await app.person()
  const revoked = await createdKey(owner)
  await change(owner, revoked.id, 'revoke')
  const unknown = app.deps.ids.seal('key', 4_000_000)
  const both: [string[], Promise<TestReply>][] = [
    [['suspend', revoked.id], change(owner, revoked.id, 'suspend')],
    [['rotate', revoked.id, '--overlap', '0'], change(owner, revoked.id, 'rotate', { overlap_seconds: 0 })],
    [['set', revoked.id, '--scopes', 'usage:read'], change(owner, revoked.id, 'scopes', { scopes: ['usage:read'] })],
    [['revoke', unknown], change(owner, unknown, 'revoke')],
  ]
  for (const [args, reply] of both) {
    const { error } = (await reply).body
    expect(await command('keys', ...args, '--json'), args.join(' ')).toEqual({
      ...{ code: 1, stdout: '', stderr: `${error.message}\n` },
    })
  }
})

test('people create at most 100 usable keys of an account; the command goes on', async () => {
  const owner = await app.person()
  const number = app.accountNumber(owner.account)
  await app.db.query(
    `insert into api_keys (account_id, mode, name, secret_hash, shown_first, shown_last, scopes, created_at)
     select $1, 'live', 'k' || n, sha256((n || $2)::bytea), 'aaaa', 'bbbb', '{usage:read}', now()
     from generate_series(1, 100) n`,
    [number, owner.account],
  )
  expect(codeOf(await owner.post(keysOf(owner), { name: 'one more' }))).toBe('too_many_keys')
  expect(await command('keys', 'create', owner.account, '--name', 'one more')).toMatchObject({ code: 0 })
})

describe('ten minutes after signing in', () => {
  test('what takes from a key is done, and what gives to it asks to sign in again', async () => {
    const owner = await app.person()
    const key = await createdKey(owner, { budget: { search_rows: 10, contact_credits: 10 } })
    const doomed = await createdKey(owner)
    app.clock.advance(10 * 60_000)
    const budget = async (budget: object) => codeOf(await change(owner, key.id, 'budget', { budget }))
    const scopes = async (scopes: string[]) => codeOf(await change(owner, key.id, 'scopes', { scopes }))
    const stale = 'fresh_sign_in_required'
    expect(await budget({ search_rows: 9 })).toBe(200)
    expect(await budget({ store_exports: 3 })).toBe(200)
    expect(await budget({ search_rows: 10 })).toBe(stale)
    expect(await budget({ search_rows: null })).toBe(stale)
    // All or nothing: one of the two is a raise.
    expect(await budget({ search_rows: 1, contact_credits: 11 })).toBe(stale)
    expect(await scopes(['usage:read', 'billing:read'])).toBe(200)
    expect(await scopes(['usage:read', 'billing:read', 'stores:read'])).toBe(stale)
    for (const what of ['suspend', 'resume', 'revoke', 'revoke/undo'])
      expect(codeOf(await change(owner, doomed.id, what)), what).toBe(200)
    expect(codeOf(await change(owner, key.id, 'rotate', { overlap_seconds: 0 }))).toBe(stale)
    expect(codeOf(await owner.post(keysOf(owner), { name: 'late' }))).toBe(stale)
    const { data } = (await owner.get(keysOf(owner))).body
    expect(data[1]).toMatchObject({
      scopes: ['usage:read', 'billing:read'],
      budget: { search_rows: { limit: 9 }, contact_credits: { limit: 10 }, store_exports: { limit: 3 } },
    })
  })
})
