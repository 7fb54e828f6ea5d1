import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { AbortError, ConnectionError, RateLimitError, ServerError, TimeoutError } from '../src/index.ts'
import { type Answer, apiError, cut, cutBody, serve, silence } from './support/server.ts'

const done: Answer = { body: { object: 'usage' } }
const busy = apiError(503, 'service_unavailable', {}, { 'retry-after': '0' })
const reveal = { contact_ids: ['ct_live_1'] }

// The shortest of the random pauses.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

describe('a request is repeated', () => {
  test.each([
    ['after a broken connection', cut],
    ['after a body that was cut', cutBody],
    ['after a body that was cut without notice', { body: undefined, headers: {} } satisfies Answer],
    ['after a 503', busy],
    ['after a 503 of something between', ((response) => response.writeHead(503).end('<html>')) satisfies Answer],
    ['after the limit of the minute', apiError(429, 'rate_limit_exceeded', { param: 'requests_per_minute' })],
  ] as [string, Answer][])('%s', async (name, fault) => {
    const broken: Answer = name.includes('without notice')
      ? (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":')
      : fault
    const server = await serve(broken, broken, done)
    expect(await server.client().usage.get()).toEqual({ object: 'usage' })
    expect(server.received).toHaveLength(3)
  })

  test('as often as maxRetries says, by the client or by the call', async () => {
    const server = await serve(busy)
    await expect(server.client({ maxRetries: 1 }).usage.get()).rejects.toThrow(ServerError)
    expect(server.received).toHaveLength(2)
    await expect(server.client().usage.get({ maxRetries: 0 })).rejects.toMatchObject({ status: 503, retryable: true })
    expect(server.received).toHaveLength(3)
  })

  test('with the same Idempotency-Key, which differs from call to call', async () => {
    const server = await serve(cut, busy, { body: { data: [] } }, { body: { data: [] } })
    const storedex = server.client()
    await storedex.contacts.reveal(reveal)
    await storedex.contacts.reveal(reveal)
    const keys = server.received.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(keys[3]).not.toBe(keys[0])
  })

  test('until its own first attempt has ended', async () => {
    const running = apiError(409, 'idempotency_in_progress', {}, { 'retry-after': '0' })
    const server = await serve(cut, running, running, running, running, { body: { data: [] } })
    await server.client({ maxRetries: 1 }).contacts.reveal(reveal)
    expect(server.received).toHaveLength(6)
  })
})

describe('a request is not repeated', () => {
  test.each(['requests_per_day', 'search_rows', 'store_exports', 'exports', 'billing_links', 'key_budget.search_rows'])(
    'at the limit %s',
    async (param) => {
      const server = await serve(apiError(429, 'rate_limit_exceeded', { param }, { 'retry-after': '1' }))
      await expect(server.client().usage.get()).rejects.toMatchObject({ param, retryAfterMs: 1000, retryable: false })
      expect(server.received).toHaveLength(1)
    },
  )

  test.each([400, 401, 402, 403, 404, 409, 410, 500, 502, 504])('after a %d', async (status) => {
    const server = await serve(apiError(status, 'anything'))
    await expect(server.client().usage.get()).rejects.toMatchObject({ status, retryable: false })
    expect(server.received).toHaveLength(1)
  })

  test('when it would have to wait for more than a minute', async () => {
    const full = apiError(429, 'rate_limit_exceeded', { param: 'requests_per_minute' }, { 'retry-after': '61' })
    const server = await serve(full)
    await expect(server.client().usage.get()).rejects.toThrow(RateLimitError)
    expect(server.received).toHaveLength(1)
  })

  test('when the pause would end after totalTimeoutMs', async () => {
    const server = await serve(apiError(503, 'service_unavailable', {}, { 'retry-after': '30' }))
    await expect(server.client({ totalTimeoutMs: 5_000 }).usage.get()).rejects.toMatchObject({ status: 503 })
    expect(server.received).toHaveLength(1)
  })

  test('when the service may have done what must not be done twice', async () => {
    const server = await serve(cut)
    const { lists, billing } = server.client()
    await expect(lists.create({ name: 'Shops', kind: 'stores' })).rejects.toMatchObject({ retryable: false })
    await expect(lists.delete('lst_live_1')).rejects.toThrow(ConnectionError)
    await expect(billing.createPortalLink()).rejects.toThrow(ConnectionError)
    expect(server.received).toHaveLength(3)
  })
})

describe('time', () => {
  test('an attempt that gets no reply ends after timeoutMs, and is repeated', async () => {
    const server = await serve(silence, done)
    expect(await server.client({ timeoutMs: 200 }).usage.get()).toEqual({ object: 'usage' })
  })

  test('an attempt whose body stops ends after timeoutMs', async () => {
    const server = await serve((response) => void response.writeHead(200).write('{'))
    const slow = server.client({ timeoutMs: 200, maxRetries: 0 }).usage.get()
    await expect(slow).rejects.toThrow(TimeoutError)
  })

  test('a call ends after totalTimeoutMs', async () => {
    const server = await serve(silence)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const timeout = { name: 'TimeoutError', code: 'timeout', retryable: false }
    const slow = expect(server.client({ totalTimeoutMs: 200 }).usage.get()).rejects.toMatchObject(timeout)
    await expect.poll(() => server.received).toHaveLength(1)
    vi.advanceTimersByTime(200)
    await slow
    expect(server.received).toHaveLength(1)
  })

  test('a fetch that does not heed its signal is not waited for', async () => {
    const server = await serve(done)
    const deaf = () => new Promise<never>(() => {})
    const slow = server.client({ fetch: deaf, timeoutMs: 50, maxRetries: 0 }).usage.get()
    await expect(slow).rejects.toThrow(TimeoutError)
  })
})

describe('a signal ends a call', () => {
  test('before it begins', async () => {
    const server = await serve(done)
    const call = server.client().usage.get({ signal: AbortSignal.abort('enough') })
    await expect(call).rejects.toMatchObject({ name: 'AbortError', code: 'aborted', cause: 'enough' })
    expect(server.received).toHaveLength(0)
  })

  test.each([
    ['while it waits for a reply', silence],
    ['while it reads the body', ((response) => void response.writeHead(200).write('{')) satisfies Answer],
    ['while it waits for the next attempt', apiError(503, 'service_unavailable', {}, { 'retry-after': '30' })],
  ] as [string, Answer][])('%s', async (_, answer) => {
    const server = await serve(answer)
    const controller = new AbortController()
    const call = server.client().usage.get({ signal: controller.signal })
    await expect.poll(() => server.received.length).toBe(1)
    controller.abort()
    await expect(call).rejects.toThrow(AbortError)
    expect(server.received).toHaveLength(1)
  })
})
