import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { operations } from './support/operations.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([{ domain: 'open-door.example', name: 'Open Door' }])
  key = await app.key({ scopes, limits: { requests_per_minute: 10_000, billing_links_per_hour: 1_000 } })
})

/** The contract gives these no 400. */
const ignoring = ['/usage', '/taxonomy', '/billing/status', '/billing/portal-link']
const all = Object.entries(operations).map(([name, operation]) => ({ name, operation }))
const pagePaths = ['/lists', '/lists/lst_live_TheListOfOurShop/items', '/exports', '/stores/open-door.example/history']

async function send(path: string, { method, body }: { method: string; body?: object }) {
  const reply = await fetch(`${app.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key.secret}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: (await reply.json()) as Json }
}

test.each(all)(
  '$name refuses a query parameter that it does not know, unless its contract has no 400',
  async ({ operation }) => {
    const { path } = operation
    for (const [query, param] of [
      ['surprise=1', 'surprise'],
      // Properties of a body, in the wrong place.
      ['include=contact_previews', 'include'],
      ['filters=', 'filters'],
    ] as const) {
      const { status, body } = await send(`${path}?${query}`, operation)
      if (ignoring.includes(path)) expect(body.error?.code, path).not.toBe('unknown_parameter')
      else
        expect([status, body.error], path).toEqual([
          400,
          expect.objectContaining({
            code: 'unknown_parameter',
            param,
            message: `${param} is not a query parameter of this request.`,
          }),
        ])
    }
  },
)

test('is documented wherever it is refused', async () => {
  const { paths } = (await (await fetch(`${app.url}/api/v1/openapi.json`)).json()) as { paths: Json }
  for (const [path, methods] of Object.entries<Json>(paths))
    for (const { operationId, responses } of Object.values<Json>(methods))
      if (responses?.[400])
        expect(Object.keys(responses[400].content['application/json'].examples), `${path} ${operationId}`).toContain(
          'unknown_parameter',
        )
})

test('a search with its limit in the address is not charged', async () => {
  const rows = async () => (await key.get('/usage')).body.search_rows.used
  const before = await rows()
  expect((await send('/stores/search?limit=2', { method: 'POST', body: { filters: {} } })).status).toBe(400)
  expect(await rows()).toBe(before)
})

test('a 304 has neither a length nor a type', async () => {
  for (const path of ['/api/v1/taxonomy', '/api/v1/openapi.json']) {
    const headers = { authorization: `Bearer ${key.secret}` }
    const first = await fetch(app.url + path, { headers })
    const again = await fetch(app.url + path, { headers: { ...headers, 'if-none-match': first.headers.get('etag')! } })
    expect([again.status, again.headers.get('content-length'), again.headers.get('content-type')], path).toEqual([
      304,
      null,
      null,
    ])
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  }
})

describe('limit in the address', () => {
  test.each(pagePaths)('of %s is a whole number from 1 to 100, and says so', async (path) => {
    for (const text of [
      '0',
      '101',
      '-1',
      '1.5',
      '1e1',
      '05',
      '+5',
      '0x5',
      ' 5',
      '٥',
      'ten',
      '',
      '9'.repeat(40),
      '5&limit=6',
    ]) {
      const { status, body } = await send(`${path}?limit=${text}`, { method: 'GET' })
      expect([status, body.error.code, body.error.param, body.error.message], text).toEqual([
        400,
        'invalid_limit',
        'limit',
        'limit must be a whole number from 1 to 100.',
      ])
    }
    for (const text of ['1', '25', '100']) {
      const { status, body } = await send(`${path}?limit=${text}`, { method: 'GET' })
      expect(status === 200 || body.error.code === 'list_not_found', text).toBe(true)
    }
  })

  test('is an integer in the document', async () => {
    const { paths } = (await (await fetch(`${app.url}/api/v1/openapi.json`)).json()) as { paths: Json }
    const found = Object.entries<Record<string, { parameters?: { name: string; schema: object }[] }>>(paths).flatMap(
      ([path, methods]) =>
        (methods.get?.parameters ?? []).filter(({ name }) => name === 'limit').map(({ schema }) => [path, schema]),
    )
    expect(found).toHaveLength(pagePaths.length)
    for (const [path, schema] of found)
      expect(schema, String(path)).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 })
  })
})
