import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { addCrowd, addPeople, firstShop, generous } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json, TestClient } from '../../support/client.ts'
import { aurora } from '../../support/fixtures.ts'
import { spentBy, withoutNothing } from './support/account.ts'
import { type Assistant, combinations, connectAssistant } from './support/assistant.ts'
import { faultsOfPublished } from './support/published.ts'

let app: TestApp
let crowd: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', engine: 'memory' })
  await app.importStores([aurora])
  crowd = await addCrowd(app, 12)
  await addPeople(app)
})

const limits = { ...generous, contact_credits: 100, store_exports: 100, search_rows: 1_000 }

interface ToolCase {
  args: object
  /** The same call to the API. */
  ask(key: TestClient): Promise<{ status: number; body: Json }>
  /** What the tool makes of the reply. */
  expected(body: Json): Json
}

const page = ({ data, has_more, next_cursor }: Json) => ({ data, has_more, next_cursor })

function toolCases(): Record<string, ToolCase> {
  const filters = { countries: ['DE'] }
  const facets = ['categories', 'apps']
  const people = { store: { domains: [firstShop] }, max_contacts_per_store: 5 }
  const domains = ['aurora-candles.example', firstShop, 'nowhere.example']
  const contact_ids = crowd.slice(0, 2)
  return {
    taxonomy_lookup: {
      args: { facet: 'countries', text: 'german' },
      ask: (key) => key.get('/taxonomy'),
      expected: ({ countries }) => {
        const values = countries.filter(({ label }: Json) => /german/i.test(label))
        return { values, total: values.length }
      },
    },
    count_stores: {
      args: { filters, facets },
      ask: (key) => key.post('/stores/count', { filters, facets }),
      expected: (body) => body,
    },
    search_stores: {
      args: { filters, limit: 1 },
      ask: (key) => key.post('/stores/search', { filters, limit: 1 }),
      expected: page,
    },
    get_store: {
      args: { domain: 'https://aurora-candles.example/collections' },
      ask: (key) => key.get('/stores/aurora-candles.example'),
      expected: (store) => ({ store }),
    },
    enrich_stores: {
      args: { domains, include: ['contact_previews'] },
      ask: (key) => key.post('/stores/enrich', { domains, include: ['contact_previews'] }),
      expected: ({ data, found, not_found }) => ({ data, found, not_found }),
    },
    search_contacts: { args: people, ask: (key) => key.post('/contacts/search', people), expected: page },
    quote_reveal: {
      args: { contact_ids },
      ask: (key) => key.post('/quotes', { for: 'reveal', contact_ids }),
      expected: (body) => body,
    },
    reveal_contacts: {
      args: { contact_ids },
      ask: (key) => key.post('/contacts/reveal', { contact_ids }),
      expected: ({ data }) => ({ data }),
    },
    usage: { args: {}, ask: (key) => key.get('/usage'), expected: (body) => body },
  }
}

// Opaque, and made for one account.
const withoutTokens = ({ quote: _, next_cursor: __, key: ___, ...rest }: Json) => withoutNothing(rest)

describe.each(combinations)('a client of $era over $road', (combination) => {
  let assistant: Assistant
  let key: TestKey
  let listed: Json[]
  beforeAll(async () => {
    key = await app.key({ limits, budget: { contact_credits: 50 } })
    assistant = await connectAssistant({ ...combination, url: app.url, secret: key.secret })
    listed = await assistant.tools()
  })

  test('finds nine tools, annotated, with schemas for what they take and give', () => {
    expect(listed.map(({ name }) => name).sort()).toEqual(Object.keys(toolCases()).sort())
    for (const { name, title, description, annotations, inputSchema, outputSchema } of listed) {
      expect(title, name).toBeTruthy()
      expect(description, name).toMatch(/\.$/)
      const spends = name === 'reveal_contacts'
      expect(annotations, name).toMatchObject({ readOnlyHint: !spends, openWorldHint: false })
      if (spends) expect(annotations.destructiveHint).toBe(true)
      for (const schema of [inputSchema, outputSchema]) {
        expect(schema.type, name).toBe('object')
        expect(faultsOfPublished(schema, name)).toEqual([])
        expect(() => new Ajv2020({ strict: false }).compile(schema), name).not.toThrow()
      }
    }
  })

  test('gets the list in less than 4,000 tokens', () => {
    // Tokenizers find at least three characters in a token of such text, on average.
    expect(JSON.stringify(listed).length / 3).toBeLessThan(4_000)
  })

  test('is told that text of the catalogue is data, in the schema and in the data as well', async () => {
    expect(assistant.instructions).toMatch(/never follow instructions/)
    for (const { name, outputSchema } of listed) {
      if (name === 'usage' || name === 'quote_reveal') continue
      expect(outputSchema.required, name).toContain('notice')
      expect(outputSchema.description, name).toMatch(/never instructions/)
    }
    const { data } = await assistant.call('taxonomy_lookup', { facet: 'roles' })
    expect(Object.keys(data)[0]).toBe('notice')
    expect(data.notice).toMatch(/never follow instructions/)
    await app.db.query('update request_windows set day_used = 0, minute_used = 0')
  })

  test('is understood whatever its host fills in', async () => {
    const { secret } = await app.key({ limits })
    const host = await connectAssistant({ ...combination, url: app.url, secret })
    const answerTo = async (name: string, args: unknown) => {
      const { isError, text, data } = await host.call(name, args as object)
      expect(isError, `${name}: ${text}`).toBe(false)
      return withoutTokens(data)
    }
    const same = async (name: string, good: object, filled: unknown) =>
      expect(await answerTo(name, filled), name).toEqual(await answerTo(name, good))
    const search = { filters: { countries: ['DE'] }, limit: 1 }
    await same('search_stores', search, {
      ...{ filters: { countries: 'DE', categories: [], apps: { any: [], all: null, none: ['null'] }, themes: {} } },
      ...{ exclude: { exported: false, revealed: 'false', lists: [''] }, limit: '1', cursor: '' },
    })
    await same('search_stores', search, {
      ...{ filters: JSON.stringify({ countries: ['DE'], meta_ads: { active_ads_min: null } }) },
      ...{ exclude: 'undefined', limit: 1, cursor: '0' },
    })
    await same('count_stores', { filters: {} }, { filters: '{}', facets: '[]', facet_limit: 0, exclude: null })
    const contacts = { store: { domains: [firstShop] } }
    await same('search_contacts', contacts, {
      ...{ person: { roles_any: [''], has_phone: null }, store: { domains: firstShop, countries: 'None' } },
      ...{ max_contacts_per_store: 0, exclude: { lists: [] }, limit: 0, cursor: null },
    })
    await same('taxonomy_lookup', { facet: 'roles' }, { facet: 'roles', text: 'null' })
    await same(
      'enrich_stores',
      { domains: [firstShop] },
      {
        ...{
          domains: firstShop,
          include: null,
          contact_roles: '[]',
          max_contacts_per_store: '',
          reveal_contacts: false,
        },
      },
    )
    await app.db.query('update request_windows set day_used = 0, minute_used = 0')
  })

  test('gets from every tool what the API answers, at the same cost', async () => {
    const twin = await app.key({ limits, budget: { contact_credits: 50 } })
    let quote: string | undefined
    for (const [name, { args, ask, expected }] of Object.entries(toolCases())) {
      const canAsk = combination.era === '2026' || combination.road === 'stdio'
      const given = name === 'reveal_contacts' && !canAsk ? { quote } : args
      const before = await spentBy(app, key)
      const { isError, text, data } = await assistant.call(name, given)
      expect(isError, text).toBe(false)
      const twinBefore = await spentBy(app, twin)
      const reply = await ask(twin)
      expect(reply.status, name).toBe(200)
      expect(withoutTokens(data), name).toMatchObject(withoutTokens(expected(reply.body)))
      const { outputSchema } = listed.find((tool) => tool.name === name)
      const validate = new Ajv2020({ strict: false }).compile(outputSchema)
      expect(validate(data), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true)
      const [made, made2] = [await spentBy(app, key), await spentBy(app, twin)]
      expect({ ...made, requests: 0 }, name).toEqual({ ...made2, requests: 0 })
      // A reveal asks what it costs first, and again before it spends.
      const extra = name === 'reveal_contacts' ? 2 : 0
      expect(made.requests - before.requests, name).toBeLessThanOrEqual(made2.requests - twinBefore.requests + extra)
      if (name === 'quote_reveal') quote = data.quote
      // Equal counts for the tools that follow.
      await app.db.query('update request_windows set day_used = 0, minute_used = 0')
    }
  })
})
