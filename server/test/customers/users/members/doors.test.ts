import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'
import { newMember, outcomeOf } from '../support/account-user.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
})

const command = (...args: string[]) => runCommand(app.deps, ['users', ...args])

test('memberships that the command line changes are in the audit log of the account, as done there', async () => {
  const owner = await newMember(app, { name: 'Mara Owner' })
  const { account } = owner
  const other = await app.person({ account: null, name: 'Jonas Berg' })
  for (const role of ['viewer', 'admin', 'admin'])
    expect((await command('add', other.email, '--account', account, '--role', role)).code).toBe(0)
  expect((await command('drop', other.email, '--account', account)).code).toBe(0)
  const { data } = (await owner.audit()).body
  expect(data.map(({ action, actor, person: user, details }: Json) => [action, actor, user, details])).toEqual([
    ['member.removed', 'command', null, { role: 'admin' }],
    ['member.changed', 'command', null, { role: 'admin', before: 'viewer' }],
    ['member.added', 'command', null, { role: 'viewer' }],
  ])
})

test('the last owner is kept by the command line with the sentence of the console', async () => {
  const owner = await newMember(app)
  const { account, email } = owner
  const { message } = (await owner.leave()).body.error
  expect(await command('drop', email, '--account', account)).toEqual({
    ...{ code: 1, stdout: '', stderr: `${message}\n` },
  })
  expect((await owner.members()).body.data).toMatchObject([{ role: 'owner' }])
})

test('who is demoted at the command line loses the invitations that they may no longer send', async () => {
  const owner = await newMember(app)
  const admin = await newMember(app, { account: owner.account, role: 'admin' })
  await admin.invite('nora@people.example', 'viewer')
  await command('add', admin.email, '--account', owner.account, '--role', 'viewer')
  expect((await owner.invitations()).body.data).toEqual([])
  expect(outcomeOf(await admin.invitations())).toBe('403 insufficient_role')
})
