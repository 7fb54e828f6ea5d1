import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addCrowd, generous, storedUsage } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { type Assistant, type Combination, combinations, connectAssistant } from './support/assistant.ts'

const now = '2026-11-10T12:00:00.000Z'
let app: TestApp
let crowd: string[]
beforeAll(async () => {
  app = await startTestApp({ now })
  crowd = await addCrowd(app, 30)
})

const limits = { ...generous, contact_credits: 20, store_exports: 100 }
let taken = 0
/** People whom the client has not revealed. */
const strangers = (count: number) => {
  taken += count
  return crowd.slice(taken - count, taken)
}
const creditsOf = async (key: TestKey) => Number((await storedUsage(app, key)).counted)

/** The question to the person; what else the reveal does stands in brackets. */
const questionAbout = (people: number, credits: number, left: number) =>
  expect.stringMatching(new RegExp(`^Reveal ${people} people for ${credits} of ${left} credits( \\([^)]*\\))?\\?$`))

async function open(combination: Combination, canAsk: boolean, budget: object | null) {
  const key = await app.key({ limits, ...(budget && { budget }) })
  const assistant = await connectAssistant({ ...combination, url: app.url, secret: key.secret, canAsk })
  return { key, assistant }
}

const canBeAsked = combinations.filter(({ era, road }) => era === '2026' || road === 'stdio')

describe.each(canBeAsked)('a client of $era over $road that can ask its person', (combination) => {
  let key: TestKey
  let assistant: Assistant
  beforeAll(async () => {
    taken = 0
    ;({ key, assistant } = await open(combination, true, null))
  })
  beforeEach(() => {
    assistant.person.asked = []
    assistant.person.answers = { action: 'accept', content: {} }
  })

  test('spends after a yes, once, and says what it asked for', async () => {
    const before = await creditsOf(key)
    const ids = strangers(2)
    const { isError, text, data } = await assistant.call('reveal_contacts', { contact_ids: ids })
    expect(isError, text).toBe(false)
    expect(assistant.person.asked).toEqual([questionAbout(2, 2, 20 - before)])
    expect(data.data.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(text).toContain('@crowd.example')
    expect(await creditsOf(key)).toBe(before + 2)
  })

  test.each(['decline', 'cancel'])('spends nothing after %s', async (action) => {
    const before = await creditsOf(key)
    assistant.person.answers = { action }
    const { text, data } = await assistant.call('reveal_contacts', { contact_ids: strangers(1) })
    expect(assistant.person.asked).toHaveLength(1)
    expect(text).not.toContain('@crowd.example')
    expect(JSON.stringify(data ?? {})).not.toContain('@crowd.example')
    expect(await creditsOf(key)).toBe(before)
  })

  test('an argument of the model does not stand in for the answer', async () => {
    const before = await creditsOf(key)
    assistant.person.answers = { action: 'decline' }
    for (const more of [{ confirm: true }, { confirmed: true }, { answer: 'accept' }])
      await assistant.call('reveal_contacts', { contact_ids: strangers(1), ...more }).catch(() => {})
    expect(await creditsOf(key)).toBe(before)
  })

  test('asks for what is left when fewer are new, and never twice for the same', async () => {
    const before = await creditsOf(key)
    const ids = strangers(2)
    await assistant.call('reveal_contacts', { contact_ids: ids.slice(0, 1) })
    assistant.person.asked = []
    await assistant.call('reveal_contacts', { contact_ids: ids })
    expect(assistant.person.asked).toEqual([questionAbout(2, 1, 20 - before - 1)])
    expect(await creditsOf(key)).toBe(before + 2)
  })

  test('learns from the API that the credits do not suffice', async () => {
    const { key: poor, assistant: poorer } = await open({ ...combination, road: 'http', era: '2026' }, true, null)
    await app.setAccount(poor.account, { limits: { contact_credits: 1 } })
    const { isError, text } = await poorer.call('reveal_contacts', { contact_ids: crowd.slice(0, 2) })
    expect(isError).toBe(true)
    expect(text).toContain('insufficient_contact_credits')
    expect(await creditsOf(poor)).toBe(0)
  })
})

const cannotBeAsked = [
  ...combinations.map((combination) => ({ ...combination, canAsk: false })),
  // A request of 2025 over HTTP has no way back to the client.
  { era: '2025' as const, road: 'http' as const, canAsk: true },
]

describe.each(cannotBeAsked)(
  'a client of $era over $road that cannot be asked (capable: $canAsk)',
  ({ canAsk, ...combination }) => {
    let key: TestKey
    let assistant: Assistant
    beforeAll(async () => {
      taken = 0
      ;({ key, assistant } = await open(combination, canAsk, { contact_credits: 6 }))
    })
    const quoteFor = async (ids: string[], by = assistant): Promise<string> =>
      (await by.call('quote_reveal', { contact_ids: ids })).data.quote

    test('is told to take a quote, and spends nothing', async () => {
      const { isError, text } = await assistant.call('reveal_contacts', { contact_ids: strangers(1) })
      expect(isError).toBe(true)
      expect(text).toContain('quote_reveal')
      expect(await creditsOf(key)).toBe(0)
    })

    test('an argument of the model does not help', async () => {
      for (const more of [{ confirm: true }, { confirmed: true }, { quote: 'yes' }, { quote: '' }])
        await assistant.call('reveal_contacts', { contact_ids: strangers(1), ...more }).catch(() => {})
      expect(await creditsOf(key)).toBe(0)
    })

    test('spends with a quote once, however often it is repeated', async () => {
      const before = await creditsOf(key)
      const ids = strangers(2)
      const quote = await quoteFor(ids)
      const [first, second] = await Promise.all([1, 2].map(() => assistant.call('reveal_contacts', { quote })))
      const third = await assistant.call('reveal_contacts', { quote })
      // Of two at once, one may find the other under way.
      const done = [first!, second!, third].filter(({ isError }) => !isError)
      expect(done.length, first!.text + second!.text + third.text).toBeGreaterThanOrEqual(2)
      for (const { data } of done) expect(data.data.map(({ id }: { id: string }) => id)).toEqual(ids)
      expect(await creditsOf(key)).toBe(before + 2)
      expect(assistant.person.asked).toEqual([])
    })

    test('spends up to the budget of its key, and is refused beyond it as by the API', async () => {
      const left = 6 - (await creditsOf(key))
      const ids = strangers(left + 1)
      const quote = await quoteFor(ids)
      const { isError, text } = await assistant.call('reveal_contacts', { quote })
      const { body } = await key.post('/contacts/reveal', { contact_ids: ids })
      expect(isError).toBe(true)
      expect(text).toContain(body.error.message)
      expect(text).toContain('insufficient_contact_credits')
      expect(text).toContain('key_budget.contact_credits')
      expect(await creditsOf(key)).toBe(6 - left)
    })
  },
)

describe.each(combinations.slice(0, 2))('a client of $era over http that cannot be asked', (combination) => {
  const connect = async (key: TestKey) =>
    connectAssistant({ ...combination, url: app.url, secret: key.secret, canAsk: false })
  const quoteFor = async (by: Assistant, ids = crowd.slice(0, 2)): Promise<string> =>
    (await by.call('quote_reveal', { contact_ids: ids })).data.quote
  const budget = { contact_credits: 10 }

  test('spends nothing with a key that has no budget', async () => {
    const { key, assistant } = await open(combination, false, null)
    const { isError, text } = await assistant.call('reveal_contacts', { quote: await quoteFor(assistant) })
    expect(isError).toBe(true)
    expect(text).toContain('budget')
    expect(await creditsOf(key)).toBe(0)
  })

  test('spends with a quote of POST /quotes as well', async () => {
    const { key, assistant } = await open(combination, false, budget)
    const { body } = await key.post('/quotes', { for: 'reveal', contact_ids: crowd.slice(0, 2) })
    const { isError, text } = await assistant.call('reveal_contacts', { quote: body.quote })
    expect(isError, text).toBe(false)
    expect(await creditsOf(key)).toBe(2)
  })

  test('spends nothing with a quote that has expired, was altered, or is of another account or mode', async () => {
    const { key, assistant } = await open(combination, false, budget)
    const other = await open(combination, false, budget)
    const sandbox = await connect(await app.keyOf(key.account, { mode: 'test', ...{ budget } }))
    const quote = await quoteFor(assistant)
    const middle = Math.floor(quote.length / 2)
    const flipped = quote.slice(0, middle) + (quote[middle] === 'A' ? 'B' : 'A') + quote.slice(middle + 1)
    const refused = async (by: Assistant, text: string) => {
      const result = await by.call('reveal_contacts', { quote: text })
      expect(result.text).toContain('invalid_quote')
      expect(result.isError).toBe(true)
    }
    for (const altered of [flipped, quote.slice(0, -1), `${quote}A`, quote.toLowerCase()])
      await refused(assistant, altered)
    await refused(other.assistant, quote)
    await refused(sandbox, quote)
    app.clock.advance(10 * 60_000)
    await refused(assistant, quote)
    app.clock.advance(-1)
    expect((await assistant.call('reveal_contacts', { quote })).isError).toBe(false)
    app.clock.set(now)
    expect([await creditsOf(key), await creditsOf(other.key)]).toEqual([2, 0])
  })

  test('spends nothing with a quote for an export', async () => {
    const { key, assistant } = await open(combination, false, budget)
    const wanted = { kind: 'contacts', max_rows: 5, max_credits: 5 }
    const manager = await app.keyOf(key.account, { scopes: ['exports:manage', 'contacts:reveal'] })
    const { status, body } = await manager.post('/quotes', { for: 'export', ...wanted })
    expect(status).toBe(200)
    expect((await assistant.call('reveal_contacts', { quote: body.quote })).isError).toBe(true)
    expect(await creditsOf(key)).toBe(0)
  })
})
