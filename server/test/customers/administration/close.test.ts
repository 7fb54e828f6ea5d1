import { describe, expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { subscribe, withBilling } from '../billing/members/support/console-billing.ts'
import { startAppWithStandin } from '../billing/support/standin-app.ts'
import { atAccount, auditLines, newMember, outcomeOf } from '../users/support/account-user.ts'

const app = await startAppWithStandin('2026-03-10T08:00:00.000Z')

const newOwner = async () => {
  const { account, customerId } = await app.customer()
  const owner = await newMember(app, { account, name: 'Owner' })
  return { ...owner, customerId, billing: withBilling(owner) }
}

describe('an account is closed for good', () => {
  test('with its keys, invitations and access; what it revealed and who saw it stays', async () => {
    const owner = await newMember(app, { name: 'Owner' })
    const key = await app.keyOf(owner.account, { scopes })
    expect((await key.get('/usage')).status).toBe(200)
    const link = (await owner.invite('nora@people.example')).body.link
    expect(outcomeOf(await owner.close())).toBe('200')

    expect(outcomeOf(await key.get('/usage'))).toBe('401 revoked_api_key')
    const token = link.split('#')[1]
    expect(outcomeOf(await owner.post('/link', { token }))).toBe('410 invalid_link')
    expect(await withBilling(owner).billing()).toMatchObject({
      api_access: { enabled: false },
      closed: 'This account is closed.',
    })
    expect((await owner.get('/session')).body.accounts[0].api_access).toBe(false)
    const refused = await withBilling(owner).subscriptionLink({ plan: 'pro' })
    expect(outcomeOf(refused)).toBe('409 billing_support_required')
    expect(outcomeOf(await owner.close())).toBe('200')
    expect(await auditLines(app, owner.account)).toEqual([
      expect.stringMatching(/^key\.created by null /),
      'invitation.created by Owner {"role":"member"}',
      'account.closed by Owner {"revoked_keys":1}',
    ])
    // Nobody has to own it any more.
    expect(outcomeOf(await owner.leave())).toBe('200')
  })

  test('only by an owner with a fresh sign-in', async () => {
    const owner = await newMember(app)
    for (const role of ['admin', 'member', 'viewer'] as const)
      expect(outcomeOf(await (await newMember(app, { account: owner.account, role })).close())).toBe(
        '403 insufficient_role',
      )
    const stranger = atAccount(await app.person(), owner.account)
    expect(outcomeOf(await stranger.close())).toBe('404 account_not_found')
    app.clock.advance(10 * 60_000)
    expect(outcomeOf(await owner.close())).toBe('403 fresh_sign_in_required')
    expect((await withBilling(owner).billing()).closed).toBeNull()
  })

  test('not while a subscription runs, whatever is stored about it', async () => {
    const owner = await newOwner()
    const running = '409 subscription_running'
    // Its events are lost: only the provider knows.
    await app.interceptEvents(async () => 200)
    const { id } = await subscribe(app, owner.customerId, 'pro_monthly')
    expect((await app.row(owner.account)).subscription_id).toBeNull()
    const refused = await owner.close()
    expect(outcomeOf(refused)).toBe(running)
    expect(refused.body.error.message).toContain('Manage billing')
    await app.stripe('POST', `/v1/subscriptions/${id}`, { cancel_at_period_end: 'true' })
    expect(outcomeOf(await owner.close())).toBe(running)
    await app.control(`/subscriptions/${id}/status`, { status: 'past_due' })
    expect(outcomeOf(await owner.close())).toBe(running)
    await app.stripe('DELETE', `/v1/subscriptions/${id}`)
    expect(outcomeOf(await owner.close())).toBe('200')
  })

  test('and what was open for sale is not sold any more', async () => {
    const owner = await newOwner()
    const { url } = (await owner.billing.subscriptionLink({ plan: 'pro' })).body
    expect((await fetch(url)).status).toBe(200)
    expect(outcomeOf(await owner.close())).toBe('200')
    expect((await fetch(url)).status).toBe(410)
  })

  test('not while the payment provider cannot say whether something runs', async () => {
    const owner = await newOwner()
    await app.control('/faults', { fail_rate: 1, status: 500 })
    expect(outcomeOf(await owner.close())).toBe('503 billing_provider_unavailable')
    await app.control('/faults', { fail_rate: 0 })
    expect((await owner.billing.billing()).closed).toBeNull()
    expect(outcomeOf(await owner.close())).toBe('200')
  })
})

test('an admin renames the account, a member does not', async () => {
  const owner = await newMember(app)
  const admin = await newMember(app, { account: owner.account, role: 'admin', name: 'Admin' })
  const member = await newMember(app, { account: owner.account, role: 'member' })
  const rename = (user: typeof owner, name: string) => user.patch(`/accounts/${owner.account}`, { name })
  expect(outcomeOf(await rename(member, 'Mine'))).toBe('403 insufficient_role')
  expect(outcomeOf(await rename(admin, ' Aurora & Söhne '))).toBe('200')
  expect(outcomeOf(await rename(admin, ' '))).toBe('400 invalid_request')
  expect((await owner.get('/session')).body.accounts[0].name).toBe('Aurora & Söhne')
  expect(await auditLines(app, owner.account)).toEqual(['account.renamed by Admin {}'])
})
