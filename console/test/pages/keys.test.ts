import { expect, test } from 'vitest'
import { expiresAt } from '../../src/pages/keys/expiry.ts'
import { firstCall } from '../../src/pages/keys/first-call.ts'
import { describeScopes, type Scope } from '../../src/pages/keys/scopes.ts'

const key = (...scopes: Scope[]) => ({ scopes }) as Parameters<typeof firstCall>[1]

test('the first call is one that the key may make', () => {
  const pathOf = (...scopes: Scope[]) => {
    const call = firstCall('https://storedex.example', key(...scopes), 'sdx_live_x')
    return call && /^curl https:\/\/storedex\.example(\S+)/.exec(call.command)?.[1]
  }
  expect(pathOf('contacts:search', 'usage:read')).toBe('/api/v1/usage')
  expect(pathOf('stores:read')).toBe('/api/v1/taxonomy')
  expect(pathOf('billing:read')).toBe('/api/v1/billing/status')
  expect(pathOf('contacts:search')).toBe('/api/v1/contacts/search')
  expect(pathOf('contacts:reveal')).toBeUndefined()
})

test('scopes are named in few words', () => {
  const data: Scope[] = ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal']
  expect(describeScopes(data)).toBe('all data')
  expect(describeScopes([...data, 'billing:read'])).toBe('all data, billing')
  expect(describeScopes(['contacts:reveal', 'usage:read'])).toBe('usage, reveal')
})

test('a key ends after its days, at the end of its last day, or never', () => {
  const nowMs = Date.parse('2026-11-20T10:00:00Z')
  expect(expiresAt('never', '', nowMs)).toBeNull()
  expect(expiresAt('30', '', nowMs)).toBe('2026-12-20T10:00:00.000Z')
  expect(expiresAt('date', '2026-12-24', nowMs)).toBe(new Date('2026-12-24T23:59:59').toISOString())
  expect(expiresAt('date', '', nowMs)).toBeUndefined()
})
