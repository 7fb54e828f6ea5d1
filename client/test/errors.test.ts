import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as client from '../src/index.ts'
import { apiError, cutBody, secret, serve } from './support/server.ts'

const { Storedex } = client
const exported: Record<string, unknown> = { ...client }

describe('errors have a class for each family', () => {
  test.each([
    [400, 'invalid_filter_value', 'ValidationError'],
    [401, 'invalid_api_key', 'AuthenticationError'],
    [402, 'insufficient_contact_credits', 'InsufficientCreditsError'],
    [403, 'insufficient_scope', 'PermissionError'],
    [403, 'api_access_required', 'AccessRequiredError'],
    [404, 'store_not_found', 'NotFoundError'],
    [405, 'method_not_allowed', 'ValidationError'],
    [409, 'list_name_taken', 'ConflictError'],
    [410, 'export_file_gone', 'NotFoundError'],
    [413, 'payload_too_large', 'ValidationError'],
    [429, 'rate_limit_exceeded', 'RateLimitError'],
    [500, 'internal_error', 'ServerError'],
    [503, 'billing_provider_unavailable', 'ServerError'],
    [507, 'a_code_of_tomorrow', 'ServerError'],
    [400, 'a_code_of_tomorrow', 'ValidationError'],
    [418, 'a_code_of_tomorrow', 'StoredexError'],
  ] as const)('%d %s is a %s', async (status, code, name) => {
    const server = await serve(apiError(status, code, { param: 'filters' }, { 'retry-after': '5' }))
    const error = await server
      .client({ maxRetries: 0 })
      .usage.get()
      .catch((caught) => caught)
    expect(error).toBeInstanceOf(exported[name])
    expect(error).toBeInstanceOf(client.StoredexError)
    expect(error).toMatchObject({ name, status, code, param: 'filters', requestId: 'req_1', retryAfterMs: 5_000 })
    expect(error.message).toBe(`${code}.`)
  })

  test('a reply without an error of the API has the status and the request id', async () => {
    const server = await serve((response) => response.writeHead(502, { 'x-request-id': 'req_2' }).end('<html>'))
    const error = await server
      .client()
      .usage.get()
      .catch((caught) => caught)
    expect(error).toMatchObject({ name: 'ServerError', status: 502, code: 'unexpected_reply', requestId: 'req_2' })
  })

  test('a page instead of JSON names the address as the likely cause', async () => {
    const server = await serve((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
    await expect(server.client().usage.get()).rejects.toThrow('baseUrl')
  })

  test('a redirect is not followed with the key', async () => {
    const other = await serve({})
    const server = await serve((response) => response.writeHead(308, { location: `${other.url}/x?y` }).end())
    await expect(server.client().usage.get()).rejects.toMatchObject({ code: 'redirected', status: 308 })
    await expect(server.client().usage.get()).rejects.toThrow(other.url)
    expect(other.received).toHaveLength(0)
  })
})

describe('the key and people are never printed', () => {
  const person = 'mara@aurora.example'
  const link = 'https://storedex.example/billing/capability'
  const found = {
    object: 'contact_reveal_result',
    credits: { spent: 1, remaining: 1 },
    data: [{ id: 'ct_live_1', emails: [{ email: person }] }],
  }

  const options = [{}, { showHidden: true }, { showHidden: true, getters: true }]

  /** What logs could make of a value. */
  function printed(value: unknown): string {
    const texts = options.flatMap((each) => [
      inspect(value, { depth: Infinity, ...each }),
      inspect({ nested: [value] }, { depth: Infinity, ...each }),
    ])
    const { stack, message } = value instanceof Error ? value : { stack: '', message: '' }
    return [
      ...texts,
      JSON.stringify(value),
      JSON.stringify({ ...(value as object) }),
      String(value),
      stack,
      message,
    ].join()
  }

  test('not by a client, nor by its parts and calls', async () => {
    const server = await serve({ body: found })
    const storedex = server.client()
    const call = storedex.contacts.reveal({ contact_ids: ['ct_live_1'] })
    await call
    const pages = storedex.contacts.search()
    for (const value of [storedex, storedex.contacts, call, pages, pages.pages()]) {
      expect(printed(value)).not.toContain(secret)
      expect(printed(value)).not.toContain(person)
    }
  })

  test('not by an error that tells what was done', async () => {
    const billing = { action: 'end_trial_to_unlock_pro_credits', url: link }
    const server = await serve({ body: found }, apiError(402, 'insufficient_contact_credits', { billing }))
    const contact_ids = Array.from({ length: 11 }, (_, index) => `ct_live_${index}`)
    const error = await server
      .client()
      .contacts.reveal({ contact_ids })
      .catch((caught) => caught)
    expect(error.partial).toEqual(found)
    expect(error.billing).toEqual(billing)
    for (const hidden of [secret, person, link]) expect(printed(error)).not.toContain(hidden)
    expect(inspect(error)).toContain('InsufficientCreditsError: insufficient_contact_credits.')
    expect(inspect(error)).toContain("requestId: 'req_1'")
  })

  test('not by an error of a body that was cut', async () => {
    const server = await serve(cutBody)
    const call = server.client({ maxRetries: 0 }).contacts.reveal({ contact_ids: ['ct_live_1'] })
    const error = await call.catch((caught) => caught)
    expect(error).toMatchObject({ code: 'connection_failed' })
    expect(printed(error)).not.toContain('mara')
    expect(printed(error)).not.toContain(secret)
  })

  test('not by an error of a body that does not parse', async () => {
    const server = await serve((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"email":"${person}"`),
    )
    const call = server.client({ maxRetries: 0 }).usage.get()
    expect(printed(await call.catch((caught) => caught))).not.toContain(person)
  })

  test('not by a cause, whatever a fetch of the caller attaches to it', async () => {
    const fetch = (_url: string, init: object) => {
      const inner = Object.assign(new Error(`bad header Bearer ${secret}`), { code: 'EBAD', init })
      return Promise.reject(Object.assign(new TypeError('fetch failed', { cause: inner }), { request: init }))
    }
    const storedex = new Storedex({ apiKey: secret, baseUrl: 'http://localhost', fetch, maxRetries: 0 })
    const error = await storedex.usage.get().catch((caught) => caught)
    expect(printed(error)).not.toContain(secret)
    expect(error.cause).toMatchObject({ message: 'fetch failed', cause: { code: 'EBAD' } })
  })

  test('not by an error of the service that repeats the request', async () => {
    const server = await serve(apiError(400, 'invalid_request', { message: `Bearer ${secret} is odd.` }))
    expect(
      printed(
        await server
          .client()
          .usage.get()
          .catch((caught) => caught),
      ),
    ).not.toContain(secret)
  })
})
