import type { Client } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { addCrowd, generous, reveal, usageOf } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { connectClient, textOf } from './support.ts'

let app: TestApp
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  ids = await addCrowd(app, 40)
})

const newKey = (more: object = {}, budget = {}) =>
  app.key({ scopes, limits: { ...generous, contact_credits: 812, ...more }, budget })
const creditsOf = async (key: TestKey) => (await usageOf(key)).contact_credits.used

/** A client whose person answers; `questions` are what they read. */
async function askedClient(key: TestKey, action: 'accept' | 'decline' | 'cancel') {
  const questions: string[] = []
  const client = await connectClient(app, key, { capabilities: { elicitation: { form: {} } } })
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message)
    return action === 'accept' ? { action, content: {} } : { action }
  })
  return { client, questions }
}

const revealBy = (client: Client, args: Record<string, unknown>) =>
  client.callTool({ name: 'reveal_contacts', arguments: args })

describe('a client that can be asked', () => {
  test('asks before it spends, and reveals what was agreed to', async () => {
    const key = await newKey()
    const { client, questions } = await askedClient(key, 'accept')
    const answer = await revealBy(client, { contact_ids: ids.slice(0, 7) })
    expect(questions).toEqual(['Reveal 7 people for 7 of 812 credits (1 new store export)?'])
    expect(answer.isError, textOf(answer)).toBeUndefined()
    expect(answer.structuredContent).toMatchObject({ credits_spent: 7, credits_remaining: 805 })
    expect(textOf(answer)).toContain('person-3@crowd.example')
    expect(await creditsOf(key)).toBe(7)
  })

  test('spends nothing when the person does not agree', async () => {
    for (const action of ['decline', 'cancel'] as const) {
      const key = await newKey()
      const { client, questions } = await askedClient(key, action)
      const answer = await revealBy(client, { contact_ids: ids.slice(0, 7), quote: undefined })
      expect(questions).toHaveLength(1)
      expect(textOf(answer)).toContain('Nothing was revealed or spent.')
      expect(await creditsOf(key)).toBe(0)
    }
  })

  test('asks with a quote too, in parts of ten, each person once', async () => {
    const key = await newKey()
    const { client, questions } = await askedClient(key, 'accept')
    const { body } = await key.post('/quotes', { for: 'reveal', contact_ids: ids.slice(0, 25) })
    const answer = await revealBy(client, { quote: body.quote })
    expect(questions).toHaveLength(1)
    expect(answer.structuredContent).toMatchObject({ credits_spent: 25, credits_remaining: 787 })
    expect((answer.structuredContent as { data: object[] }).data).toHaveLength(25)
    expect(await creditsOf(key)).toBe(25)
  })

  test('is not asked about what is free', async () => {
    const key = await newKey()
    await reveal(key, ids.slice(0, 3))
    const { client, questions } = await askedClient(key, 'decline')
    const answer = await revealBy(client, { contact_ids: ids.slice(0, 3) })
    expect(answer.structuredContent).toMatchObject({ credits_spent: 0, data: [{}, {}, {}] })
    expect(questions).toEqual([])
  })

  test('is not asked about what would be refused', async () => {
    const key = await newKey({ contact_credits: 2 })
    const { client, questions } = await askedClient(key, 'accept')
    const answer = await revealBy(client, { contact_ids: ids.slice(0, 3) })
    expect(textOf(answer)).toMatch(
      /^Revealing 3 people for 3 of 2 credits.* more than what is left.*\ncode: insufficient_/,
    )
    expect(questions).toEqual([])
  })

  test('cannot answer for other people or with an altered question', async () => {
    const key = await newKey()
    const { client } = await askedClient(key, 'accept')
    const args = { contact_ids: ids.slice(0, 2) }
    const asked = (await client.request(
      { method: 'tools/call', params: { name: 'reveal_contacts', arguments: args } },
      { allowInputRequired: true } as never,
    )) as unknown as { resultType: string; requestState: string }
    expect(asked.resultType).toBe('input_required')
    const answerWith = (requestState: string, contact_ids: string[]) =>
      client.request({
        method: 'tools/call',
        params: {
          ...{ name: 'reveal_contacts', arguments: { contact_ids } },
          ...{ requestState, inputResponses: { spend: { action: 'accept', content: {} } } },
        },
      } as never) as Promise<{ content?: unknown }>
    const altered = `${asked.requestState.slice(0, -2)}${asked.requestState.endsWith('A') ? 'B' : 'A'}`
    await expect(answerWith(altered, args.contact_ids)).rejects.toThrow(/requestState/)
    expect(textOf(await answerWith(asked.requestState, ids.slice(2, 4)))).toContain('code: invalid_quote')
    expect(await creditsOf(key)).toBe(0)
    for (let i = 0; i < 2; i++)
      expect(await answerWith(asked.requestState, args.contact_ids)).toMatchObject({
        structuredContent: { credits_spent: 2 },
      })
    expect(await creditsOf(key)).toBe(2)
  })
})

describe('a client that cannot be asked', () => {
  test('needs a quote, and nothing stands in for it', async () => {
    const key = await newKey()
    for (const mode of [{}, { mode: 'legacy' as const, capabilities: { elicitation: {} } }]) {
      const client = await connectClient(app, key, mode)
      const refused = await revealBy(client, { contact_ids: ids.slice(0, 2) })
      expect([refused.isError, textOf(refused)]).toEqual([
        true,
        expect.stringMatching(/call quote_reveal.*\ncode: quote_required/),
      ])
      expect((await revealBy(client, { contact_ids: ids.slice(0, 2), confirm: true })).isError).toBe(true)
      expect((await revealBy(client, {})).isError).toBe(true)
    }
    expect(await creditsOf(key)).toBe(0)
  })

  const quoteBy = async (client: Client, contact_ids: string[]) => {
    const quoted = await client.callTool({ name: 'quote_reveal', arguments: { contact_ids } })
    return (quoted.structuredContent as { quote: string }).quote
  }

  test('needs a key with a credit budget', async () => {
    const key = await newKey()
    const client = await connectClient(app, key)
    const quote = await quoteBy(client, ids.slice(0, 2))
    expect(textOf(await revealBy(client, { quote }))).toMatch(/credit budget.*\ncode: budget_required\n/)
    expect(await creditsOf(key)).toBe(0)
  })

  test('reveals by a quote within the budget, once however often it is repeated', async () => {
    const key = await newKey({}, { contact_credits: 14 })
    for (const mode of [{}, { mode: 'legacy' as const }]) {
      const client = await connectClient(app, key, mode)
      const quote = await quoteBy(client, ids.slice(0, 12))
      for (let i = 0; i < 2; i++) {
        const answer = await revealBy(client, { quote })
        expect(answer.isError, textOf(answer)).toBeUndefined()
        expect((answer.structuredContent as { data: object[] }).data).toHaveLength(12)
      }
      expect(await creditsOf(key)).toBe(12)
    }
  })

  test('reveals by a quote of the API, and by no other', async () => {
    const key = await newKey({}, { contact_credits: 14 })
    const client = await connectClient(app, key)
    const { body } = await key.post('/quotes', { for: 'reveal', contact_ids: ids.slice(0, 2) })
    expect(textOf(await revealBy(client, { quote: `${body.quote}A` }))).toContain('code: invalid_quote')
    expect(textOf(await revealBy(client, { quote: body.quote, contact_ids: ids.slice(1, 3) }))).toContain(
      'code: invalid_quote',
    )
    expect((await revealBy(client, { quote: body.quote })).structuredContent).toMatchObject({ credits_spent: 2 })
  })

  test('is refused past the budget, before anything is spent', async () => {
    const key = await newKey({}, { contact_credits: 14 })
    const client = await connectClient(app, key)
    const [one, many] = [await quoteBy(client, ids.slice(0, 8)), await quoteBy(client, ids.slice(0, 14))]
    await reveal(key, ids.slice(30, 37))
    expect(textOf(await revealBy(client, { quote: one }))).toMatch(
      /\ncode: insufficient_contact_credits\nparam: key_budget\.contact_credits\n/,
    )
    expect(textOf(await revealBy(client, { quote: many }))).toMatch(
      /^Revealing 14 people for 14 of 7 credits.*nothing was revealed\.\ncode: insufficient_contact_credits$/,
    )
    expect(await creditsOf(key)).toBe(7)
  })

  test('that is stopped half way tells what it revealed, and goes on when it is called again', async () => {
    const key = await newKey({ requests_per_minute: 4 }, { contact_credits: 30 })
    const client = await connectClient(app, key)
    // To connect counts to the minute as well.
    app.clock.advance(60_000)
    const quote = await quoteBy(client, ids.slice(0, 25))
    const stopped = await revealBy(client, { quote })
    expect(stopped.isError).toBe(true)
    expect(textOf(stopped)).toMatch(
      /^10 revealed for 10 credits.*\nThen it stopped\..*\n.*\ncode: rate_limit_exceeded\n/,
    )
    expect((stopped.structuredContent as { data: object[] }).data).toHaveLength(10)
    app.clock.advance(60_000)
    await revealBy(client, { quote })
    app.clock.advance(60_000)
    expect(await creditsOf(key)).toBe(20)
  })
})
