import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { addCrowd, generous, usageOf } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { connectClient, textOf } from './support.ts'

let app: TestApp
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', engine: 'memory' })
  ids = await addCrowd(app, 30)
})

const newKey = (more: object = {}) => app.key({ scopes, limits: { ...generous, ...more } })

/** What an account has used, without the request that asks for it. */
async function usedBy(key: TestKey) {
  const { contact_credits, store_exports, search_rows, api_requests } = await usageOf(key)
  return [contact_credits.used, store_exports.used, search_rows.used, api_requests.used - 1]
}

interface Case {
  args: object
  /** The same call of the API. */
  call: (key: TestKey) => Promise<{ status: number }>
  shows: object
}

const cases: Record<string, Case> = {
  taxonomy_lookup: {
    args: { facet: 'roles', text: 'Market' },
    call: (key) => key.get('/taxonomy'),
    shows: { values: [{ value: 'marketing', label: 'Marketing' }] },
  },
  count_stores: {
    args: { filters: {}, exclude: { exported: true }, facets: ['platform_plus'] },
    call: (key) => key.post('/stores/count', { filters: {}, facets: ['platform_plus'] }),
    shows: { total: 3, new_exports: 3, facets: { platform_plus: [{ value: 'false', count: 3 }] } },
  },
  search_stores: {
    args: { filters: {}, limit: 2 },
    call: (key) => key.post('/stores/search', { filters: {}, limit: 2 }),
    shows: { data: [{ domain: 'crowd-0.example' }, { domain: 'crowd-1.example' }], has_more: true },
  },
  get_store: {
    args: { domain: 'https://crowd-1.example/pages' },
    call: (key) => key.get('/stores/crowd-1.example'),
    shows: { store: { domain: 'crowd-1.example' } },
  },
  enrich_stores: {
    args: { domains: ['crowd-1.example', 'no.example'], include: ['contact_previews'] },
    call: (key) => key.post('/stores/enrich', { domains: ['crowd-1.example', 'no.example'] }),
    shows: { found: 1, not_found: 1, data: [{ status: 'found', contact_previews: [{}] }, { status: 'not_found' }] },
  },
  search_contacts: {
    args: { person: { has_verified_email: true }, max_contacts_per_store: 2, limit: 5 },
    call: (key) => key.post('/contacts/search', { max_contacts_per_store: 2, limit: 5 }),
    shows: { data: [{ store: { domain: 'crowd-0.example' } }, {}, {}, {}, {}], has_more: true },
  },
  quote_reveal: {
    get args() {
      return { contact_ids: ids.slice(0, 12) }
    },
    call: (key) => key.post('/quotes', { for: 'reveal', contact_ids: ids.slice(0, 12) }),
    shows: { credits: 12, new_exports: 2, sufficient: true, quote: expect.stringMatching(/^quo_/) },
  },
  usage: {
    args: {},
    call: (key) => key.get('/usage'),
    shows: { contact_credits: { used: 0 }, key: { mode: 'live' } },
  },
}

describe('a tool', () => {
  test.each(Object.keys(cases))('%s answers, and counts and costs what the same call of the API does', async (name) => {
    const { args, call, shows } = cases[name]!
    const [byTool, byApi] = [await newKey(), await newKey()]
    const client = await connectClient(app, byTool)
    const answer = await client.callTool({ name, arguments: args as Record<string, unknown> })
    expect(answer.isError, textOf(answer)).toBeUndefined()
    expect(answer.structuredContent).toMatchObject(shows)
    expect((await call(byApi)).status).toBe(200)
    expect(await usedBy(byTool)).toEqual(await usedBy(byApi))
  })

  test('has a name, a title, both schemas and annotations', async () => {
    const { tools } = await (await connectClient(app, await newKey())).listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([...Object.keys(cases), 'reveal_contacts'].sort())
    for (const { title, description, inputSchema, outputSchema, annotations } of tools) {
      expect([title, description, inputSchema, outputSchema]).not.toContain(undefined)
      expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean), openWorldHint: false })
    }
    expect(tools.filter(({ annotations }) => !annotations!.readOnlyHint).map(({ name }) => name)).toEqual([
      'reveal_contacts',
    ])
    expect(JSON.stringify(tools).length).toBeLessThan(16_000)
  })

  test('goes on with the cursor of the page before', async () => {
    const client = await connectClient(app, await newKey())
    const search = (more: object) =>
      client.callTool({ name: 'search_stores', arguments: { filters: {}, limit: 2, ...more } })
    const first = await search({})
    const { next_cursor } = first.structuredContent as { next_cursor: string }
    expect(textOf(first)).toMatch(/^2 stores\. There are more\.\n.*cursor: cur_\S+\n<catalogue-data>\n\{.*\}\n\{.*\}\n/)
    const second = await search({ cursor: next_cursor })
    expect(second.structuredContent).toMatchObject({ data: [{ domain: 'crowd-2.example' }], has_more: false })
    expect(textOf(second)).toMatch(/^1 stores, no more\.\n/)
  })

  test('says why a page is the last one although more matches', async () => {
    const bounded = await startTestApp({
      now: '2026-11-10T12:00:00.000Z',
      engine: 'memory',
      plans: { search: { max_rows_walked: 100, max_rows_walked_unfiltered: 2 } },
    })
    await addCrowd(bounded, 30)
    const end = 'This search has returned 2 rows, the most it may; add a filter to see others.'
    const client = await connectClient(bounded, await bounded.key({ scopes, limits: generous }))
    for (const [name, more] of [
      ['search_stores', { filters: {} }],
      ['search_contacts', {}],
    ] as const) {
      const result = await client.callTool({ name, arguments: { ...more, limit: 2 } })
      expect(result.structuredContent).toMatchObject({ has_more: false, search_end: end })
      expect(textOf(result)).toContain(end)
      expect(textOf(result)).not.toContain('no more')
    }
    const { structuredContent } = await client.callTool({
      name: 'search_stores',
      arguments: { filters: { countries: ['AQ'] } },
    })
    expect(structuredContent).not.toHaveProperty('search_end')
  })

  test('refuses with the sentence, code, param and request id of the API', async () => {
    const client = await connectClient(app, await newKey())
    const refusal = async (name: string, args: Record<string, unknown>) => {
      const { isError, ...rest } = await client.callTool({ name, arguments: args })
      expect(isError).toBe(true)
      return textOf(rest).split('\n')
    }
    expect(await refusal('search_stores', { filters: {}, filterz: {} })).toEqual([
      'filterz is not a parameter of this request.',
      'code: unknown_parameter',
      'param: filterz',
      expect.stringMatching(/^request id: req_\w{20,}$/),
    ])
    expect(await refusal('get_store', { domain: 'no.example' })).toContain('code: store_not_found')
    expect(await refusal('get_store', { domain: '..' })).toContain('code: invalid_domain')
    expect(await refusal('search_contacts', { limit: 1_000 })).toContain('code: invalid_limit')
  })

  test('says when a limit of the minute can be tried again', async () => {
    const client = await connectClient(app, await newKey({ requests_per_minute: 1 }))
    await client.callTool({ name: 'usage' })
    expect(textOf(await client.callTool({ name: 'usage' }))).toMatch(
      /\ncode: rate_limit_exceeded\nparam: requests_per_minute\nretry after: \d+ s\n/,
    )
  })

  test('needs the scope that its call needs', async () => {
    const client = await connectClient(app, await app.key({ scopes: ['usage:read'] }))
    expect(textOf(await client.callTool({ name: 'search_contacts' }))).toContain('lacks the scope contacts:search')
  })

  test('serves clients of 2025', async () => {
    const client = await connectClient(app, await newKey(), { mode: 'legacy' })
    expect((await client.listTools()).tools).toHaveLength(9)
    const answer = await client.callTool({ name: 'get_store', arguments: { domain: 'crowd-1.example' } })
    expect(answer.structuredContent).toMatchObject({ store: { domain: 'crowd-1.example' } })
  })

  test('suggests the nearest values for a text that none contains', async () => {
    const client = await connectClient(app, await newKey())
    const answer = await client.callTool({ name: 'taxonomy_lookup', arguments: { facet: 'roles', text: 'marketting' } })
    expect(answer.structuredContent).toMatchObject({ total: 0, values: [{ value: 'marketing' }] })
    const none = await client.callTool({ name: 'taxonomy_lookup', arguments: { facet: 'theme_types', text: 'zzz' } })
    expect(JSON.stringify(none.content)).toContain('No value of theme_types resembles this text')
    expect(none.structuredContent).toMatchObject({ total: 0, values: [{}, {}, {}] })
  })
})
