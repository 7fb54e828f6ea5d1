import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { atAccount, newMember, outcomeOf } from '../users/support/account-user.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
})

test('the audit log says who did what, when, from where, newest first', async () => {
  const owner = await newMember(app, { name: 'Mara Owner' })
  const member = await newMember(app, { account: owner.account, role: 'member', name: 'Jonas Berg' })
  await owner.changeRole(member, 'admin')
  app.clock.advance(60_000)
  const { id } = (await member.invite('nora@people.example', 'viewer')).body
  const { body } = await owner.audit()
  expect(body).toMatchObject({ object: 'list', has_more: false, next_cursor: null })
  expect(body.data).toMatchObject([
    {
      object: 'audit_entry',
      action: 'invitation.created',
      at: '2026-11-10T12:01:00.000Z',
      person: { id: member.id, name: 'Jonas Berg', email: member.email },
      target: { id, name: null },
      details: { role: 'viewer' },
      address: '127.0.0.1',
    },
    {
      action: 'member.changed',
      at: '2026-11-10T12:00:00.000Z',
      person: { id: owner.id, name: 'Mara Owner' },
      target: { id: member.id, name: 'Jonas Berg' },
      details: { role: 'admin', before: 'member' },
    },
  ])
  // What somebody removed did stays, without the name and from where.
  await app.db.query('delete from people where email = $1', [member.email])
  const [first] = (await owner.audit()).body.data
  expect(first.person).toEqual({ id: member.id, name: null, email: null })
  expect(first.address).toBe(null)
})

test('pages through it without gaps while entries are added, and filters it', async () => {
  const owner = await newMember(app)
  const other = await newMember(app, { account: owner.account, role: 'admin' })
  for (let count = 0; count < 5; count++) {
    await owner.patch(`/accounts/${owner.account}`, { name: `Account ${count}` })
    await other.invite(`nora${count}@people.example`)
  }
  const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)
  const all = idsOf((await owner.audit()).body)
  expect(all).toHaveLength(10)
  const seen: string[] = []
  let query = '?limit=4'
  for (;;) {
    const { body } = await owner.audit(query)
    seen.push(...idsOf(body))
    await other.invite('late@people.example')
    if (!body.has_more) break
    query = `?limit=4&cursor=${body.next_cursor}`
  }
  expect(seen).toEqual(all)

  const actions = async (filter: string) => (await owner.audit(filter)).body.data.map(({ action }: Json) => action)
  expect(new Set(await actions('?subject=account'))).toEqual(new Set(['account.renamed']))
  expect(new Set(await actions(`?person=${other.id}`))).toEqual(new Set(['invitation.created']))
  expect(await actions('?person=per_x')).toEqual([])
  const { next_cursor: cursor } = (await owner.audit('?limit=1')).body
  for (const wrong of [
    `?limit=1&subject=key&cursor=${cursor}`,
    '?cursor=cur_x',
    `?person=${owner.id}&cursor=${cursor}`,
  ])
    expect(outcomeOf(await owner.audit(wrong))).toBe('400 invalid_cursor')
})

test('it is for admins, and of their own account', async () => {
  const owner = await newMember(app)
  for (const role of ['member', 'viewer'] as const)
    expect(outcomeOf(await (await newMember(app, { account: owner.account, role })).audit())).toBe(
      '403 insufficient_role',
    )
  const admin = await newMember(app, { account: owner.account, role: 'admin' })
  expect(outcomeOf(await admin.audit())).toBe('200')
  const stranger = await newMember(app)
  expect(outcomeOf(await atAccount(stranger, owner.account).audit())).toBe('404 account_not_found')
  await owner.patch(`/accounts/${owner.account}`, { name: 'Only mine' })
  expect((await stranger.audit()).body.data).toEqual([])
  const { next_cursor: cursor } = (await owner.audit('?limit=1')).body
  expect(cursor).toBeNull()
})

test('an operator is named to customers as an operator, without name, address or network', async () => {
  const owner = await newMember(app)
  const operator = await app.person({ operator: true, account: null, name: 'Olga Operator' })
  await operator.post('/operator/see-as', { account: owner.account })
  await operator.delete('/operator/see-as')
  await operator.patch(`/operator/accounts/${owner.account}`, { limits: { search_rows: 7 } })
  // Somebody who is a member as well did it as one.
  const member = await newMember(app, { account: owner.account, operator: true, name: 'Mia Member' })
  await member.invite('nora-again@people.example', 'viewer')
  const { body } = await owner.audit()
  expect(body.data.map(({ action, by_operator, person: user }: Json) => [action, by_operator, user?.name])).toEqual([
    ['invitation.created', false, 'Mia Member'],
    ['account.changed', true, undefined],
    ['see_as.stopped', true, undefined],
    ['see_as.started', true, undefined],
  ])
  for (const secret of [operator.id, operator.email, 'Olga Operator'])
    expect(JSON.stringify(body)).not.toContain(secret)
  expect(body.data.slice(1).every(({ address }: Json) => address === null)).toBe(true)
})
