import { beforeAll, describe, expect, test } from 'vitest'
import { type Role, roles } from '../../../../src/customers/auth/roles.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'
import { countLockWaits } from '../../../support/database.ts'
import { type AccountUser, atAccount, auditLines, newMember, outcomeOf } from '../support/account-user.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
})

/** An account with one member of each role. */
async function newTeam(): Promise<Record<Role, AccountUser> & { account: string }> {
  const owner = await newMember(app, { name: 'Owner' })
  const { account } = owner
  const [admin, member, viewer] = await Promise.all(
    (['admin', 'member', 'viewer'] as const).map((role) => newMember(app, { account, role, name: role })),
  )
  return { account, owner, admin: admin!, member: member!, viewer: viewer! }
}

const rolesOf = async (user: AccountUser) =>
  Object.fromEntries((await user.members()).body.data.map(({ id, role }: Json) => [id, role]))

describe('the list of members', () => {
  test('shows everybody, owners first, to each of them', async () => {
    const team = await newTeam()
    for (const role of roles) {
      const { status, body } = await team[role].members()
      expect(status).toBe(200)
      expect(body.data.map((each: Json) => [each.role, each.name, each.is_you])).toEqual([
        ['owner', 'Owner', role === 'owner'],
        ['admin', 'admin', role === 'admin'],
        ['member', 'member', role === 'member'],
        ['viewer', 'viewer', role === 'viewer'],
      ])
    }
    expect((await team.owner.members()).body.data[0]).toMatchObject({
      id: team.owner.id,
      email: team.owner.email,
      added_at: '2026-11-10T12:00:00.000Z',
    })
  })

  test('is nothing to strangers', async () => {
    const { account } = await newTeam()
    const stranger = atAccount(await app.person(), account)
    expect(outcomeOf(await stranger.members())).toBe('404 account_not_found')
  })
})

describe('who may change whom', () => {
  test.each([
    ['viewer', 'viewer', 'member', '403 insufficient_role'],
    ['member', 'viewer', 'member', '403 insufficient_role'],
    ['admin', 'viewer', 'admin', '200'],
    ['admin', 'admin', 'viewer', '200'],
    ['admin', 'viewer', 'owner', '403 insufficient_role'],
    ['admin', 'owner', 'viewer', '403 insufficient_role'],
    ['owner', 'viewer', 'owner', '200'],
    ['owner', 'admin', 'member', '200'],
  ] as const)('a person with the role %s makes a %s a %s: %s', async (actor, target, role, outcome) => {
    const team = await newTeam()
    expect(outcomeOf(await team[actor].changeRole(team[target], role))).toBe(outcome)
    expect((await rolesOf(team.owner))[team[target].id]).toBe(outcome === '200' ? role : target)
  })

  test.each([
    ['viewer', 'member', '403 insufficient_role'],
    ['member', 'viewer', '403 insufficient_role'],
    ['admin', 'member', '200'],
    ['admin', 'owner', '403 insufficient_role'],
    ['owner', 'admin', '200'],
  ] as const)('a person with the role %s removes a %s: %s', async (actor, target, outcome) => {
    const team = await newTeam()
    expect(outcomeOf(await team[actor].remove(team[target]))).toBe(outcome)
    expect(team[target].id in (await rolesOf(team.owner))).toBe(outcome !== '200')
  })

  test('nobody changes people of another account, or without a fresh sign-in', async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    expect(outcomeOf(await team.owner.changeRole(other.viewer, 'admin'))).toBe('404 person_not_found')
    expect(outcomeOf(await team.owner.remove(other.viewer))).toBe('404 person_not_found')
    expect(outcomeOf(await team.owner.remove({ id: 'per_x' }))).toBe('404 person_not_found')
    const started = app.clock.now()
    app.clock.advance(10 * 60_000)
    expect(outcomeOf(await team.owner.changeRole(team.viewer, 'admin'))).toBe('403 fresh_sign_in_required')
    expect(outcomeOf(await team.owner.remove(team.viewer))).toBe('403 fresh_sign_in_required')
    app.clock.set(started)
  })
})

describe('a change', () => {
  test('holds on the next request, and is in the audit log', async () => {
    const team = await newTeam()
    expect(outcomeOf(await team.member.invitations())).toBe('403 insufficient_role')
    await team.owner.changeRole(team.member, 'admin')
    expect(outcomeOf(await team.member.invitations())).toBe('200')
    await team.owner.changeRole(team.member, 'admin')
    await team.owner.remove(team.member)
    // Not even that the account exists.
    for (const reply of [await team.member.members(), await team.member.invitations(), await team.member.leave()])
      expect(outcomeOf(reply)).toBe('404 account_not_found')
    expect((await team.member.get('/session')).body.accounts).toEqual([])
    expect(await auditLines(app, team.account)).toEqual([
      'member.changed by Owner {"role":"admin","before":"member"}',
      'member.removed by Owner {"role":"admin"}',
    ])
  })

  test('that was admitted before the role was lost is refused', async () => {
    const team = await newTeam()
    const blocker = await app.db.connect()
    try {
      await blocker.query('begin')
      await blocker.query(`select pg_advisory_xact_lock(hashtextextended('members of account ' || $1::bigint, 0))`, [
        app.accountNumber(team.account),
      ])
      const late = team.admin.remove(team.viewer)
      await expect.poll(() => countLockWaits(app.db)).toBe(1)
      await blocker.query(
        `update members m set role = 'viewer' from people p
         where p.id = m.person_id and p.email = $1`,
        [team.admin.email],
      )
      await blocker.query('commit')
      expect(outcomeOf(await late)).toBe('403 insufficient_role')
    } finally {
      blocker.release()
    }
    expect(team.viewer.id in (await rolesOf(team.owner))).toBe(true)
  })
})

describe('the last owner', () => {
  test('cannot be demoted, be removed or leave; a second one makes it possible', async () => {
    const team = await newTeam()
    expect(outcomeOf(await team.owner.changeRole(team.owner, 'admin'))).toBe('409 last_owner')
    expect(outcomeOf(await team.owner.remove(team.owner))).toBe('409 last_owner')
    expect(outcomeOf(await team.owner.leave())).toBe('409 last_owner')
    await team.owner.changeRole(team.admin, 'owner')
    expect(outcomeOf(await team.owner.leave())).toBe('200')
    expect(outcomeOf(await team.owner.members())).toBe('404 account_not_found')
    expect(outcomeOf(await team.admin.leave())).toBe('409 last_owner')
  })

  test.each([
    ['demote each other', (one: AccountUser, other: AccountUser) => one.changeRole(other, 'viewer')],
    ['demote themselves', (one: AccountUser) => one.changeRole(one, 'viewer')],
    ['remove each other', (one: AccountUser, other: AccountUser) => one.remove(other)],
    ['leave', (one: AccountUser) => one.leave()],
  ])('stays when owners %s at once', async (_what, act) => {
    for (let round = 0; round < 10; round++) {
      const first = await newMember(app)
      const second = await newMember(app, { account: first.account })
      const third = await newMember(app, { account: first.account })
      const users = [first, second, third]
      const replies = await Promise.all(users.map((one, index) => act(one, users[(index + 1) % 3]!)))
      const { rows } = await app.db.query(
        `select count(*)::int as owners from members where account_id = $1 and role = 'owner'`,
        [app.accountNumber(first.account)],
      )
      const done = replies.filter(({ status }) => status === 200).length
      expect(rows[0].owners).toBe(3 - done)
      expect(rows[0].owners).toBeGreaterThanOrEqual(1)
      expect(done).toBeGreaterThanOrEqual(1)
      for (const reply of replies)
        expect(outcomeOf(reply)).toMatch(/^(200|409 last_owner|403 insufficient_role|404 account_not_found)$/)
    }
  })
})

test('anybody may leave', async () => {
  const team = await newTeam()
  for (const role of ['viewer', 'member', 'admin'] as const) {
    expect(outcomeOf(await team[role].leave())).toBe('200')
    expect(outcomeOf(await team[role].members())).toBe('404 account_not_found')
  }
  expect(Object.keys(await rolesOf(team.owner))).toEqual([team.owner.id])
  expect(await auditLines(app, team.account)).toEqual([
    'member.left by viewer {"role":"viewer"}',
    'member.left by member {"role":"member"}',
    'member.left by admin {"role":"admin"}',
  ])
})
