import { describe, expect, test } from 'vitest'
import { changeAccount, createAccount } from '../../src/accounts/change-account.ts'
import { createKey, listKeys, resumeKey, revokeKey, rotateKey, suspendKey } from '../../src/auth/keys.ts'
import { hashApiKey, parseApiKey } from '../../src/kernel/api-key.ts'
import { openAccountsContext } from '../accounts/support/accounts-context.ts'

const office = openAccountsContext()
const start = '2026-03-31T10:00:00.000Z'
const hourMs = 3_600_000

async function paidAccount(): Promise<string> {
  const ctx = office.at(start)
  const account = await createAccount(ctx, { name: 'Aurora Candles', plan: 'pro' })
  return ctx.ids.seal('account', account.id)
}

async function keyStatus(account: string, keyId: string, at: string): Promise<string | undefined> {
  return (await listKeys(office.at(at), account)).find((key) => key.id === keyId)?.status
}

describe('issuing a key', () => {
  test('returns the secret once and stores only its hash', async () => {
    const account = await paidAccount()
    const { id, key } = await createKey(office.at(start), account, { name: 'shop sync', mode: 'test' })
    expect(id).toMatch(/^key_[A-Za-z]{16}$/)
    expect(parseApiKey(key)).toEqual({ mode: 'test' })
    const { rows } = await office.db.query('select * from api_keys where secret_hash = $1::bytea', [hashApiKey(key)])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(key.slice(14, 30))
    const [listed] = await listKeys(office.at(start), account)
    expect(listed).toEqual({
      id,
      account,
      name: 'shop sync',
      mode: 'test',
      display: `sdx_test_${key.slice(9, 13)}…${key.slice(-4)}`,
      status: 'active',
      scopes: ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal', 'billing:read'],
      created_at: start,
      last_used_at: null,
      expires_at: null,
      suspended_at: null,
      revoked_at: null,
      budget: { contact_credits: null, store_exports: null, search_rows: null },
    })
  })

  test('needs an account with open API access', async () => {
    const account = await paidAccount()
    for (const status of ['past_due', 'canceled', 'none'] as const) {
      await changeAccount(office.at(start), account, { status })
      await expect(createKey(office.at(start), account, { name: 'late' })).rejects.toThrow(/has no API access/)
    }
    expect(await listKeys(office.at(start), account)).toEqual([])
    await changeAccount(office.at(start), account, { status: 'trialing' })
    await createKey(office.at(start), account, { name: 'in time' })
  })

  test('rejects an expiry in the past', async () => {
    const input = { name: 'late', expiresAt: new Date(start) }
    await expect(createKey(office.at(start), await paidAccount(), input)).rejects.toThrow(/expire in the past/)
  })
})

describe('ending a key', () => {
  test('suspending disables it until it is resumed; revoking is permanent', async () => {
    const account = await paidAccount()
    const { id } = await createKey(office.at(start), account, { name: 'k' })
    expect(await suspendKey(office.at(start), id)).toMatchObject({ status: 'suspended', suspended_at: start })
    expect(await resumeKey(office.at(start), id)).toMatchObject({ status: 'active', suspended_at: null })
    expect(await revokeKey(office.at(start), id)).toMatchObject({ status: 'revoked', revoked_at: start })
    expect(await revokeKey(office.at('2026-04-01T00:00:00.000Z'), id)).toMatchObject({ revoked_at: start })
    for (const late of [suspendKey, resumeKey]) await expect(late(office.at(start), id)).rejects.toThrow(/permanent/)
  })

  test('concurrent changes are all applied', async () => {
    const account = await paidAccount()
    const { id } = await createKey(office.at(start), account, { name: 'k' })
    await Promise.all(
      [rotateKey(office.at(start), id, hourMs), suspendKey(office.at(start), id)].map((p) => p.catch(() => {})),
    )
    const old = (await listKeys(office.at(start), account)).find((key) => key.id === id)
    expect(old?.suspended_at).toBe(start)
  })

  test('an unknown id is rejected, and a pasted secret is not repeated', async () => {
    const account = await paidAccount()
    const { key } = await createKey(office.at(start), account, { name: 'k' })
    await expect(revokeKey(office.at(start), account)).rejects.toThrow(/is an id of kind "account"/)
    const refusal = await revokeKey(office.at(start), key).catch((error: Error) => error.message)
    expect(refusal).toMatch(/give its id/)
    expect(refusal).not.toContain(key)
  })
})

describe('rotating a key', () => {
  test('the new key equals the old one, which keeps working for the overlap', async () => {
    const account = await paidAccount()
    const expiresAt = new Date('2027-01-01T00:00:00.000Z')
    const old = await createKey(office.at(start), account, {
      name: 'k',
      mode: 'test',
      scopes: ['billing:read'],
      expiresAt,
    })
    const rotated = await rotateKey(office.at(start), old.id, hourMs)
    expect(parseApiKey(rotated.key)).toEqual({ mode: 'test' })
    expect(rotated.replaced).toMatchObject({ id: old.id, expires_at: '2026-03-31T11:00:00.000Z' })
    const successor = (await listKeys(office.at(start), account)).find((key) => key.id === rotated.id)
    expect(successor).toMatchObject({
      name: 'k',
      mode: 'test',
      scopes: ['billing:read'],
      expires_at: expiresAt.toISOString(),
    })
    expect(await keyStatus(account, old.id, '2026-03-31T10:59:59.999Z')).toBe('active')
    expect(await keyStatus(account, old.id, '2026-03-31T11:00:00.000Z')).toBe('expired')
  })

  test('no overlap expires the old key at once; its own earlier expiry stays', async () => {
    const account = await paidAccount()
    const first = await createKey(office.at(start), account, { name: 'a' })
    await rotateKey(office.at(start), first.id, 0)
    expect(await keyStatus(account, first.id, start)).toBe('expired')
    const expiresAt = new Date('2026-03-31T10:10:00.000Z')
    const second = await createKey(office.at(start), account, { name: 'b', expiresAt })
    const { replaced } = await rotateKey(office.at(start), second.id, hourMs)
    expect(replaced.expires_at).toBe(expiresAt.toISOString())
  })

  test('an unusable key cannot be rotated', async () => {
    const account = await paidAccount()
    const { id } = await createKey(office.at(start), account, { name: 'k' })
    await suspendKey(office.at(start), id)
    await expect(rotateKey(office.at(start), id, hourMs)).rejects.toThrow(/is suspended/)
    await revokeKey(office.at(start), id)
    await expect(rotateKey(office.at(start), id, hourMs)).rejects.toThrow(/is revoked/)
    expect(await listKeys(office.at(start), account)).toHaveLength(1)
  })
})
