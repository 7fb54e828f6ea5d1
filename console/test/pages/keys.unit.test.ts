import { expect, test } from 'vitest'
import { expiresAt } from '../../src/pages/keys/api.ts'
import { budgetProblem, changesOf, draftOf, effectOf, emptyDraft } from '../../src/pages/keys/budget/budget.ts'
import { firstCalls } from '../../src/pages/keys/first-call.ts'
import { describeScopes, type Scope } from '../../src/pages/keys/scopes/scopes.ts'

const origin = 'https://storedex.example'
const secret = 'sdx_live_x'
const noBudget = { contact_credits: null, store_exports: null, search_rows: null }
const callsOf = (scopes: Scope[], budget: Parameters<typeof firstCalls>[1]['budget'] = noBudget) =>
  Object.fromEntries(firstCalls(origin, { scopes, budget }, secret).map((call) => [call.id, call]))

test('the first call is one that the key may make', () => {
  const pathOf = (...scopes: Scope[]) =>
    /^curl https:\/\/storedex\.example(\S+)/.exec(callsOf(scopes).curl?.parts[0]?.code ?? '')?.[1]
  expect(pathOf('contacts:search', 'usage:read')).toBe('/api/v1/usage')
  expect(pathOf('stores:read')).toBe('/api/v1/taxonomy')
  expect(pathOf('billing:read')).toBe('/api/v1/billing/status')
  expect(pathOf('contacts:search')).toBe('/api/v1/contacts/search')
  expect(pathOf('contacts:reveal')).toBeUndefined()
  expect(Object.keys(callsOf(['contacts:reveal']))).toEqual(['mcp'])
  expect(Object.keys(callsOf(['billing:read']))).toEqual(['curl', 'typescript'])
})

test('a first program does not hold the secret', () => {
  const [part] = callsOf(['usage:read']).typescript!.parts
  expect(part!.code).toContain("baseUrl: 'https://storedex.example'")
  expect(part!.code).toContain('storedex.usage.get()')
  expect(part!.code).not.toContain(secret)
})

test('the configuration of an assistant is for an address, or for a command', () => {
  const [overHttp, asCommand] = callsOf(['stores:read']).mcp!.parts.map(
    ({ code }) => JSON.parse(code).mcpServers.storedex,
  )
  expect(overHttp).toEqual({
    type: 'http',
    url: 'https://storedex.example/mcp',
    headers: { Authorization: 'Bearer sdx_live_x' },
  })
  expect(asCommand).toEqual({
    command: 'npx',
    args: ['storedex', 'mcp'],
    env: { STOREDEX_URL: origin, STOREDEX_API_KEY: secret },
  })
})

test('a key that reveals for an assistant is advised to have a budget, unless it has one', () => {
  const budget = { ...noBudget, contact_credits: { limit: 5, used: 0, remaining: 5 } }
  expect(callsOf(['contacts:reveal']).mcp!.notes.at(-1)).toContain('a budget of contact credits')
  for (const { mcp } of [callsOf(['contacts:reveal'], budget), callsOf(['stores:read'])])
    expect(mcp!.notes.join()).not.toContain('budget')
})

test('a figure of a budget is a whole number that a counter can hold, or none', () => {
  for (const figure of [Number.NaN, 0, 1, 2 ** 31 - 1]) expect(budgetProblem(figure)).toBeUndefined()
  expect(budgetProblem(2.5)).toBe('Enter a whole number.')
  for (const figure of [-1, 2 ** 31, Number.POSITIVE_INFINITY]) expect(budgetProblem(figure)).toBeDefined()
})

test('only budgets that were changed are sent, and an emptied field removes one', () => {
  const before = draftOf({ budget: { ...noBudget, contact_credits: { limit: 5, used: 2, remaining: 3 } } })
  expect(before).toEqual({ ...emptyDraft, contact_credits: 5 })
  expect(changesOf(before, before)).toEqual({})
  expect(changesOf({ ...before, search_rows: 0 }, before)).toEqual({ search_rows: 0 })
  expect(changesOf(emptyDraft, before)).toEqual({ contact_credits: null })
})

test('a budget of no more than what is taken says that nothing more can be spent', () => {
  const current = { limit: 20, used: 7, remaining: 10 }
  expect(effectOf(11, current)).toBeUndefined()
  expect(effectOf(10, current)).toBe('10 used or reserved so far: nothing more can be spent this period.')
  expect(effectOf(4, { limit: 5, used: 7, remaining: 0 })).toContain('7 used so far')
  expect(effectOf(0, null)).toBe('Nothing can be spent.')
  expect(effectOf(Number.NaN, current)).toBeUndefined()
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
