import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Storedex, type StoredexOptions } from '../src/index.ts'
import { version } from '../src/version.ts'
import { secret, serve } from './support/server.ts'

const given = { apiKey: secret, baseUrl: 'https://storedex.example' }

describe('baseUrl', () => {
  test.each(['', '/', '/behind/a/prefix', '/behind/a/prefix/'])('can end with %j', async (end) => {
    const server = await serve({})
    await new Storedex({ ...given, baseUrl: server.url + end }).usage.get()
    expect(server.received[0]!.path).toBe(`${end.replace(/\/$/, '')}/api/v1/usage`)
  })

  test.each([
    ['https://storedex.example/api/v1', 'without /api/v1'],
    ['https://storedex.example/prefix/api/v1/', 'without /api/v1'],
    ['https://storedex.example/api', 'without /api/v1'],
    ['ftp://storedex.example', 'must be the address'],
    ['storedex.example', 'must be the address'],
    ['', 'must be the address'],
    ['https://me:password@storedex.example', 'user or a password'],
    ['https://storedex.example?a=b', 'query'],
  ])('cannot be %j', (baseUrl, message) => {
    expect(() => new Storedex({ ...given, baseUrl })).toThrow(message)
    expect(() => new Storedex({ ...given, baseUrl })).not.toThrow('password@')
  })
})

test.each<[string, Partial<StoredexOptions>]>([
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: `${secret}\n` }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['totalTimeoutMs', { totalTimeoutMs: -1 }],
  ['maxRetries', { maxRetries: 1.5 }],
])('a wrong %s is refused at once, without being repeated: %j', (param, options) => {
  const create = () => new Storedex({ ...given, ...options })
  expect(create).toThrow(expect.objectContaining({ name: 'ValidationError', code: 'invalid_argument', param }))
  expect(create).not.toThrow(secret)
})

test.each(['', ' ', '.', '..'])('an id of %j is refused, because it would be another path', async (id) => {
  const server = await serve({})
  expect(() => server.client().lists.delete(id)).toThrow('id')
  expect(server.received).toHaveLength(0)
})

test('a request says who sends it and to whom, and nothing else', async () => {
  const server = await serve({})
  await server.client().usage.get()
  const { authorization, accept, 'user-agent': agent } = server.received[0]!.headers
  expect([authorization, accept, agent]).toEqual([`Bearer ${secret}`, 'application/json', `storedex-client/${version}`])
  const { version: packed } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  expect(version).toBe(packed)
})

test('withResponse tells what is left', async () => {
  const server = await serve({
    body: { object: 'usage' },
    headers: {
      'x-request-id': 'req_9',
      ratelimit: '"requests_per_minute";r=57;t=60, "requests_per_day";r=4997;t=67567',
      'x-search-rows-remaining': '12',
      'idempotent-replayed': 'true',
    },
  })
  const reply = await server.client().usage.get().withResponse()
  expect(reply).toMatchObject({ data: { object: 'usage' }, status: 200, requestId: 'req_9', replayed: true })
  expect(reply.headers.get('x-request-id')).toBe('req_9')
  expect(reply.remaining).toEqual({ requests_per_minute: 57, requests_per_day: 4997, search_rows: 12 })
})

test('any request below /api/v1 can be made', async () => {
  const server = await serve({ body: { ok: true } })
  const query = { limit: 5, cursor: undefined }
  const call = server.client().request<{ ok: boolean }>({ method: 'GET', path: '/lists', query, timeoutMs: 5_000 })
  expect(await call).toEqual({ ok: true })
  expect(String(server.received[0]!.query)).toBe('limit=5')
})
