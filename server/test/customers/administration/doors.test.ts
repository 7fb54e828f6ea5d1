import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { Json, TestReply } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'

let app: TestApp
let operator: TestUser
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-20T10:00:00.000Z' })
  operator = await app.person({ operator: true, account: null, name: 'Olga Operator' })
})

const command = (...args: string[]) => runCommand(app.deps, ['accounts', ...args])
const change = (id: string, body: object) => operator.patch(`/operator/accounts/${id}`, body)
const codeOf = ({ status, body }: TestReply) => (body.error ? body.error.code : status)

test('an account that is changed at the command line is audited as one that is changed in the console', async () => {
  const { id } = JSON.parse((await command('create', '--name', 'Aurora', '--plan', 'pro', '--json')).stdout)
  const ends = '2026-12-01T00:00:00.000Z'
  await command('set', id, '--limit', 'search_rows=7', '--trial-ends', ends)
  await change(id, { limits: { search_rows: 7 }, trial_ends_at: ends })
  for (const deed of ['suspend', 'suspend', 'resume']) await command(deed, id)
  const owner = await app.person({ account: id })
  const { data } = (await owner.get(`/accounts/${id}/audit`)).body
  const details = { 'limits.search_rows': 7, trial_ends_at: ends }
  expect(data.map((entry: Json) => [entry.action, entry.actor, entry.details])).toEqual([
    ['account.resumed', 'command', {}],
    ['account.suspended', 'command', {}],
    ['account.changed', 'operator', details],
    ['account.changed', 'command', details],
    ['account.created', 'command', { plan: 'pro' }],
  ])
})

test('a refusal has the same sentence at the command line and in the console', async () => {
  const { id } = (await operator.post('/operator/accounts', { name: 'Aurora' })).body.account
  const unknown = app.deps.ids.seal('account', 4_000_000)
  const both: [string[], Promise<TestReply>][] = [
    [['set', id, '--status', 'trialing'], change(id, { status: 'trialing' })],
    [['set', unknown, '--plan', 'pro'], change(unknown, { plan: 'pro' })],
    [['show', 'acct_nobody'], operator.get('/operator/accounts/acct_nobody')],
    [['suspend', unknown], operator.post(`/operator/accounts/${unknown}/suspend`)],
  ]
  for (const [args, reply] of both) {
    const { error } = (await reply).body
    expect(await command(...args, '--json'), args.join(' ')).toEqual({
      ...{ code: 1, stdout: '', stderr: `${error.message}\n` },
    })
  }
})

test('ten minutes after signing in an operator suspends, and signs in again to give plans and limits', async () => {
  const { id } = (await operator.post('/operator/accounts', { name: 'Aurora', plan: 'pro' })).body.account
  app.clock.advance(10 * 60_000)
  const stale = 'fresh_sign_in_required'
  for (const body of [{ plan: 'business' }, { limits: { search_rows: 7 } }, { trial_ends_at: null }])
    expect(codeOf(await change(id, body))).toBe(stale)
  expect(codeOf(await operator.post('/operator/accounts', { name: 'Late', plan: 'pro' }))).toBe(stale)
  expect(codeOf(await operator.post(`/operator/accounts/${id}/suspend`))).toBe(200)
  expect(codeOf(await operator.get(`/operator/accounts/${id}`))).toBe(200)
})
