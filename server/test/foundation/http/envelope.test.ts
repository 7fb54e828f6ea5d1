import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import { call, expectEnvelope, logLinesOf, type RawReply, startTestServer } from './support/test-server.ts'

const secret = 'mara@aurora-candles.example'

function databaseError(code: string, message: string): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, 'error')
  return Object.assign(error, {
    code,
    detail: `Key (email)=(${secret}) already exists.`,
    where: secret,
    table: 'contacts',
  })
}

const failures: Record<string, () => unknown> = {
  bug: () => new TypeError(`cannot read ${secret}`, { cause: new Error('deeper https://user:pw@host/path') }),
  thrownText: () => `just ${secret}`,
  nothing: () => null,
  duplicate: () => databaseError('23505', 'duplicate key value violates unique constraint "contacts_email"'),
  badValue: () => databaseError('22P02', `invalid input syntax for type integer: "${secret}"`),
  parser: () => new SyntaxError(`Unexpected token, "${secret}" is not valid JSON`),
  refusal: () =>
    new Refusal('rate_limit_exceeded', 'All 60 requests of this minute are used.', {
      param: 'requests_per_minute',
      retryAfterSeconds: 11.2,
    }),
  noKey: () => new Refusal('missing_api_key', 'Send your API key.'),
  lapsed: () =>
    new Refusal('api_access_required', 'This account has no active paid plan.', {
      billing: {
        action: 'manage_billing',
        url: 'https://storedex.example/billing',
        endpoint: '/api/v1/billing/portal-link',
      },
    }),
  wrongSetting: () =>
    new Refusal('billing_provider_unavailable', 'The payment provider cannot be used now.', {
      needsOperator: true,
      cause: new Error('Stripe refuses the key'),
    }),
  shutdown: () => databaseError('57P01', 'terminating connection due to administrator command'),
  cancelled: () => databaseError('57014', 'canceling statement due to statement timeout'),
  tooMany: () => databaseError('53300', 'sorry, too many clients already'),
  lost: () => databaseError('08006', 'connection failure'),
  refused: () => new AggregateError([], '', { cause: undefined }),
  poolTimeout: () => new Error('timeout exceeded when trying to connect'),
  terminated: () => new Error('Connection terminated unexpectedly'),
}

const server = await startTestServer((api) => {
  for (const [name, make] of Object.entries(failures))
    api.get(`/${name}`, (_request, reply) => {
      reply.headers({ etag: '"x"', 'cache-control': 'public' })
      const error = make()
      if (name === 'refused') Object.assign(error as Error, { code: 'ECONNREFUSED' })
      throw error
    })
  api.get('/private', (_request, reply) => reply.header('cache-control', 'private, max-age=60').send({}))
  api.get('/plain', () => ({}))
})
const get = (path: string, headers: Record<string, string> = {}) => call(`${server.url}/api/v1/${path}`, { headers })
const linesOf = (reply: RawReply) => logLinesOf(server, reply)

describe('a request id', () => {
  test('is on every reply and unique', async () => {
    const ids = (await Promise.all([get('plain'), get('plain'), get('bug')])).map((r) => r.headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^req_[A-Za-z0-9]{24}$/)
  })

  test("is never the caller's own, which is returned in another header", async () => {
    const reply = await get('plain', { 'x-request-id': 'my request, 7' })
    expect(reply.headers.get('x-client-request-id')).toBe('my request, 7')
    expect(reply.headers.get('x-request-id')).not.toBe('my request, 7')
  })

  test.each([
    ['too long', 'x'.repeat(129)],
    ['unprintable', 'caf\u00e9'],
    ['empty', ''],
  ])('from the caller that is %s is not returned', async (_why, id) => {
    const reply = await get('plain', { 'x-request-id': id })
    expect(reply.headers.has('x-client-request-id')).toBe(false)
  })
})

describe('an unexpected failure', () => {
  test.each(['bug', 'thrownText', 'nothing', 'duplicate', 'badValue', 'parser'])(
    '(%s) is a 500 without details, logged once, without quoted data',
    async (name) => {
      const reply = await get(name)
      expectEnvelope(reply, 500, 'internal_error')
      expect(reply.headers.has('etag')).toBe(false)
      const lines = await linesOf(reply)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatchObject({ level: 50, status: 500, code: 'internal_error', route: `/api/v1/${name}` })
      expect(lines[0]!.cause).toMatchObject({ message: expect.any(String) })
      expect(reply.body + JSON.stringify(lines)).not.toContain('aurora')
      expect(JSON.stringify(lines)).not.toContain('pw@')
    },
  )

  test('is logged with code, table, stack and cause', async () => {
    const [line] = await linesOf(await get('duplicate'))
    expect(line!.cause).toMatchObject({ name: 'error', code: '23505', table: 'contacts' })
    const [bug] = await linesOf(await get('bug'))
    const cause = bug!.cause as { stack: string[]; cause: { name: string } }
    expect(cause.stack[0]).toMatch(/^at .*envelope\.test\.ts/)
    expect(cause.cause.name).toBe('Error')
  })
})

test.each(['shutdown', 'cancelled', 'tooMany', 'lost', 'refused', 'poolTimeout', 'terminated'])(
  'an unavailable database (%s) is a 503 with Retry-After',
  async (name) => {
    const reply = await get(name)
    expectEnvelope(reply, 503, 'service_unavailable')
    expect(reply.headers.get('retry-after')).toBe('1')
    expect(await linesOf(reply)).toEqual([expect.objectContaining({ level: 40, cause: expect.anything() })])
  },
)

test('a failure that lasts until the operator acts is a 503, logged as an error, once', async () => {
  const reply = await get('wrongSetting')
  expectEnvelope(reply, 503, 'billing_provider_unavailable')
  expect(reply.headers.get('retry-after')).toBe('1')
  expect(await linesOf(reply)).toEqual([
    expect.objectContaining({ level: 50, cause: expect.objectContaining({ message: 'Stripe refuses the key' }) }),
  ])
})

describe('an error reply', () => {
  test('carries its param and Retry-After in whole seconds, rounded up', async () => {
    const reply = await get('refusal')
    expect(expectEnvelope(reply, 429, 'rate_limit_exceeded').param).toBe('requests_per_minute')
    expect(reply.headers.get('retry-after')).toBe('12')
    expect((await linesOf(reply))[0]).toMatchObject({
      level: 30,
      code: 'rate_limit_exceeded',
      limit: 'requests_per_minute',
    })
  })

  test('without a key says how to authenticate', async () => {
    const reply = await get('noKey')
    expectEnvelope(reply, 401, 'missing_api_key')
    expect(reply.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('without access says how to get it', async () => {
    const error = expectEnvelope(await get('lapsed'), 403, 'api_access_required')
    expect(error).toMatchObject({ billing: { action: 'manage_billing' } })
  })
})

test('a reply is not cacheable unless its route allows it', async () => {
  expect((await get('plain')).headers.get('cache-control')).toBe('no-store')
  expect((await get('private')).headers.get('cache-control')).toBe('private, max-age=60')
})
