import type { ApiKey } from './queries.ts'
import type { Scope } from './scopes.ts'

// Calls that any account can make, the cheapest first. A reveal needs the id of a person, so there is none for it.
const calls: readonly { scope: Scope; path: string; body?: object; note?: string }[] = [
  { scope: 'usage:read', path: '/usage' },
  { scope: 'stores:read', path: '/taxonomy' },
  { scope: 'billing:read', path: '/billing/status' },
  {
    scope: 'contacts:search',
    path: '/contacts/search',
    body: { limit: 1 },
    note: 'This call uses a search row and, for a store that is new in this period, an export.',
  },
]

/** A command that works when it is pasted, with what the key may do; undefined for a key that may only reveal. */
export function firstCall(origin: string, key: ApiKey, secret: string): { command: string; note?: string } | undefined {
  const call = calls.find(({ scope }) => key.scopes.includes(scope))
  if (!call) return undefined
  const body = call.body ? ` \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(call.body)}'` : ''
  const command = `curl ${origin}/api/v1${call.path} \\\n  -H "Authorization: Bearer ${secret}"${body}`
  return { command, ...(call.note && { note: call.note }) }
}
