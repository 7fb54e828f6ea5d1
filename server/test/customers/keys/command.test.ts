import { describe, expect, test } from 'vitest'
import { changeAccount, createAccount } from '../../../src/customers/administration/change-account.ts'
import { resumeKey, revokeKey, suspendKey } from '../../../src/customers/keys/change-key.ts'
import { createKey, rotateKey } from '../../../src/customers/keys/create-key.ts'
import { listAllKeys } from '../../../src/customers/keys/find-keys.ts'
import { hashApiKey, parseApiKey } from '../../../src/foundation/kernel/api-key.ts'
import { openAccountsContext } from '../administration/support/accounts-context.ts'

const office = openAccountsContext()
const start = '2026-03-31T10:00:00.000Z'
const hour = { overlap_seconds: 3600 }

async function paidAccount(): Promise<number> {
  return (await createAccount(office.at(start), { name: 'Aurora Candles', plan: 'pro' })).id
}

const publicId = (account: number) => office.at(start).ids.seal('account', account)

async function keyStatus(account: number, keyId: string, at: string): Promise<string | undefined> {
  return (await listAllKeys(office.at(at), account)).find((key) => key.id === keyId)?.status
}

describe('issuing a key', () => {
  test('returns the secret once and stores only its hash', async () => {
    const account = await paidAccount()
    const { key: issued, secret: key } = await createKey(office.at(start), account, { name: 'shop sync', mode: 'test' })
    const { id } = issued
    expect(id).toMatch(/^key_[A-Za-z]{16}$/)
    expect(parseApiKey(key)).toEqual({ mode: 'test' })
    const { rows } = await office.db.query('select * from api_keys where secret_hash = $1::bytea', [hashApiKey(key)])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(key.slice(14, 30))
    const [listed] = await listAllKeys(office.at(start), account)
    expect(listed).toEqual(issued)
    expect(listed).toEqual({
      id,
      account: publicId(account),
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
      await changeAccount(office.at(start), publicId(account), { status })
      await expect(createKey(office.at(start), account, { name: 'late' })).rejects.toThrow(/has no active paid plan/)
    }
    expect(await listAllKeys(office.at(start), account)).toEqual([])
    await changeAccount(office.at(start), publicId(account), { status: 'trialing' })
    await createKey(office.at(start), account, { name: 'in time' })
  })

  test('rejects an expiry in the past', async () => {
    const input = { name: 'late', expires_at: start }
    await expect(createKey(office.at(start), await paidAccount(), input)).rejects.toThrow(
      /must be a date and time in the future/,
    )
  })
})

describe('ending a key', () => {
  test('suspending disables it until it is resumed; revoking is permanent', async () => {
    const account = await paidAccount()
    const { id } = (await createKey(office.at(start), account, { name: 'k' })).key
    expect(await suspendKey(office.at(start), id)).toMatchObject({ status: 'suspended', suspended_at: start })
    expect(await resumeKey(office.at(start), id)).toMatchObject({ status: 'active', suspended_at: null })
    expect(await revokeKey(office.at(start), id)).toMatchObject({ status: 'revoked', revoked_at: start })
    expect(await revokeKey(office.at('2026-04-01T00:00:00.000Z'), id)).toMatchObject({ revoked_at: start })
    for (const late of [suspendKey, resumeKey]) await expect(late(office.at(start), id)).rejects.toThrow(/permanent/)
  })

  test('concurrent changes are all applied', async () => {
    const account = await paidAccount()
    const { id } = (await createKey(office.at(start), account, { name: 'k' })).key
    await Promise.all(
      [rotateKey(office.at(start), id, hour), suspendKey(office.at(start), id)].map((p) => p.catch(() => {})),
    )
    const old = (await listAllKeys(office.at(start), account)).find((key) => key.id === id)
    expect(old?.suspended_at).toBe(start)
  })

  test('an unknown id is rejected, and a pasted secret is not repeated', async () => {
    const account = await paidAccount()
    const { secret: key } = await createKey(office.at(start), account, { name: 'k' })
    await expect(revokeKey(office.at(start), publicId(account))).rejects.toThrow(/is an id of kind "account"/)
    const refusal = await revokeKey(office.at(start), key).catch((error: Error) => error.message)
    expect(refusal).toMatch(/give its id/)
    expect(refusal).not.toContain(key)
  })
})

describe('rotating a key', () => {
  test('the new key equals the old one, which keeps working for the overlap', async () => {
    const account = await paidAccount()
    const expires_at = '2027-01-01T00:00:00.000Z'
    const traits = { name: 'k', mode: 'test', scopes: ['billing:read'], expires_at } as const
    const { key: old } = await createKey(office.at(start), account, traits)
    const rotated = await rotateKey(office.at(start), old.id, hour)
    expect(parseApiKey(rotated.secret)).toEqual({ mode: 'test' })
    expect(rotated.replaced).toMatchObject({ id: old.id, expires_at: '2026-03-31T11:00:00.000Z' })
    const successor = (await listAllKeys(office.at(start), account)).find((key) => key.id === rotated.key.id)
    expect(successor).toMatchObject({
      name: 'k',
      mode: 'test',
      scopes: ['billing:read'],
      expires_at,
    })
    expect(await keyStatus(account, old.id, '2026-03-31T10:59:59.999Z')).toBe('active')
    expect(await keyStatus(account, old.id, '2026-03-31T11:00:00.000Z')).toBe('expired')
  })

  test('no overlap expires the old key at once; its own earlier expiry stays', async () => {
    const account = await paidAccount()
    const { key: first } = await createKey(office.at(start), account, { name: 'a' })
    await rotateKey(office.at(start), first.id, { overlap_seconds: 0 })
    expect(await keyStatus(account, first.id, start)).toBe('expired')
    const expires_at = '2026-03-31T10:10:00.000Z'
    const { key: second } = await createKey(office.at(start), account, { name: 'b', expires_at })
    const { replaced } = await rotateKey(office.at(start), second.id, hour)
    expect(replaced.expires_at).toBe(expires_at)
  })

  test('an unusable key cannot be rotated', async () => {
    const account = await paidAccount()
    const { id } = (await createKey(office.at(start), account, { name: 'k' })).key
    await suspendKey(office.at(start), id)
    await expect(rotateKey(office.at(start), id, hour)).rejects.toThrow(/is suspended/)
    await revokeKey(office.at(start), id)
    await expect(rotateKey(office.at(start), id, hour)).rejects.toThrow(/is revoked/)
    expect(await listAllKeys(office.at(start), account)).toHaveLength(1)
  })
})
