import type { ApiKey } from './api.ts'
import type { Scope } from './scopes/scopes.ts'

// Calls that any account can make, the cheapest first. A reveal needs the id of a person, so there is none for it.
const calls: readonly { scope: Scope; path: string; method: string; body?: object; note?: string }[] = [
  { scope: 'usage:read', path: '/usage', method: 'usage.get()' },
  { scope: 'stores:read', path: '/taxonomy', method: 'taxonomy.get()' },
  { scope: 'billing:read', path: '/billing/status', method: 'billing.status()' },
  {
    scope: 'contacts:search',
    path: '/contacts/search',
    method: 'contacts.search({}).toArray({ maxRows: 1 })',
    body: { limit: 1 },
    note: 'This call uses a search row and, for a store that is new in this period, an export.',
  },
]

/** A way to use a new key. */
export interface FirstCall {
  id: 'curl' | 'typescript' | 'mcp'
  label: string
  /** Parts to copy, each with its name; with a title where there are several. */
  parts: readonly { label: string; code: string; title?: string }[]
  notes: readonly string[]
}

/**
 * A call that works as pasted, within the key's scopes. Program text does not hold the secret, which would end up in its
 * history; a command and a configuration have no other place for it.
 */
export function firstCalls(origin: string, key: Pick<ApiKey, 'scopes' | 'budget'>, secret: string): FirstCall[] {
  const call = calls.find(({ scope }) => key.scopes.includes(scope))
  const notes = call?.note ? [call.note] : []
  const ways: FirstCall[] = []
  if (call) {
    const body = call.body ? ` \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(call.body)}'` : ''
    const command = `curl ${origin}/api/v1${call.path} \\\n  -H "Authorization: Bearer ${secret}"${body}`
    ways.push({ id: 'curl', label: 'curl', parts: [{ label: 'command', code: command }], notes })
    ways.push({
      id: 'typescript',
      label: 'TypeScript',
      parts: [{ label: 'program', code: programOf(origin, call.method) }],
      notes: ['Set STOREDEX_API_KEY to the secret key before you run it.', ...notes],
    })
  }
  if (key.scopes.some((scope) => toolScopes.includes(scope)))
    ways.push({ id: 'mcp', label: 'MCP', parts: mcpParts(origin, secret), notes: mcpNotes(key) })
  return ways
}

function programOf(origin: string, method: string): string {
  return `import { Storedex } from '@storedex/client'

const storedex = new Storedex({
  apiKey: process.env.STOREDEX_API_KEY!,
  baseUrl: '${origin}',
})
console.log(await storedex.${method})
`
}

/** The operations that an assistant's tools call. */
const toolScopes: readonly Scope[] = ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal']

function mcpParts(origin: string, secret: string): FirstCall['parts'] {
  const overHttp = { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${secret}` } }
  const asCommand = {
    command: 'npx',
    args: ['storedex', 'mcp'],
    env: { STOREDEX_URL: origin, STOREDEX_API_KEY: secret },
  }
  const configurationOf = (storedex: object) => JSON.stringify({ mcpServers: { storedex } }, null, 2)
  return [
    { title: 'Over HTTP', label: 'configuration with an address', code: configurationOf(overHttp) },
    { title: 'As a command', label: 'configuration with a command', code: configurationOf(asCommand) },
  ]
}

function mcpNotes({ scopes, budget }: Pick<ApiKey, 'scopes' | 'budget'>): string[] {
  const notes = [
    'Either goes into the configuration of the assistant’s program. The command is found in the folder of Storedex; elsewhere, give node and the path of bin/storedex.mjs.',
  ]
  if (scopes.includes('contacts:reveal') && !budget.contact_credits)
    notes.push('A program that cannot ask its person reveals only with a key that has a budget of contact credits.')
  return notes
}
