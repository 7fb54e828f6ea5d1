import { describe, expect, test } from 'vitest'
import { resumeAccount, suspendAccount } from '../../../src/customers/administration/change-account.ts'
import { startTestApp } from '../../support/app.ts'
import { commandsOf } from '../../support/deps.ts'

const now = '2026-11-10T12:00:00.000Z'
const app = await startTestApp({ now })
const accounts = () => commandsOf(app.deps)
const scopes = ['usage:read', 'stores:read', 'billing:read', 'billing:manage'] as const

const closeAccount = (account: string) =>
  app.db.query('update accounts set closed_at = $2::timestamptz where id = $1::bigint', [
    app.accountNumber(account),
    now,
  ])

describe('a suspended account', () => {
  test('is refused from the next request on, in both modes, and works again once resumed', async () => {
    const key = await app.key({ scopes })
    const sandbox = await app.keyOf(key.account, { mode: 'test', scopes })
    expect((await key.get('/usage')).status).toBe(200)

    await suspendAccount(accounts(), key.account)
    for (const caller of [key, sandbox]) {
      const { status, body } = await caller.get('/usage')
      expect(status).toBe(403)
      expect(body.error).toMatchObject({
        code: 'api_access_required',
        message: 'This account is suspended; contact its operator.',
      })
      // It cannot buy its access back, so it is not told to.
      expect(body.error).not.toHaveProperty('billing')
    }
    await resumeAccount(accounts(), key.account)
    expect((await key.get('/usage')).status).toBe(200)
  })

  test('still reads its billing status, and cannot buy', async () => {
    const key = await app.key({ scopes })
    await suspendAccount(accounts(), key.account)
    expect((await key.get('/billing/status')).body).toMatchObject({
      api_access: { enabled: false },
      actions: { can_create_subscription_link: false },
    })
    await resumeAccount(accounts(), key.account)
    expect((await key.get('/billing/status')).body.actions.can_create_subscription_link).toBe(true)
  })

  test('is not told to pay, whatever the state of its plan', async () => {
    const key = await app.key({ scopes })
    const account = app.accountNumber(key.account)
    await suspendAccount(accounts(), key.account)
    for (const subscription of ['sub_1', null])
      for (const status of ['active', 'past_due', 'canceled', 'none'] as const) {
        await app.setAccount(key.account, { status })
        await app.db.query('update accounts set subscription_id = $1 where id = $2::bigint', [subscription, account])
        const { status: code, body } = await key.post('/stores/search', { filters: {} })
        expect(code).toBe(403)
        expect(body.error).not.toHaveProperty('billing')
      }
  })
})

describe('a closed account', () => {
  test('is refused with a sentence of its own, and is neither suspended nor resumed', async () => {
    const key = await app.key({ scopes })
    await closeAccount(key.account)
    const { status, body } = await key.get('/usage')
    expect({ status, code: body.error.code, message: body.error.message }).toEqual({
      status: 403,
      code: 'api_access_required',
      message: 'This account is closed.',
    })
    expect(body.error).not.toHaveProperty('billing')
    for (const change of [suspendAccount, resumeAccount])
      await expect(change(accounts(), key.account)).rejects.toThrow(/is closed; that is permanent/)
  })
})
