import http from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { generous } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({ limits: generous })
})

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

function send(headers: Record<string, string> = {}, body: unknown = list, method = 'POST'): Promise<Response> {
  return fetch(new URL('/mcp', app.url), {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key.secret}`,
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code

describe('/mcp', () => {
  test('needs a key that may be used', async () => {
    const unknown = `${key.secret.slice(0, 9)}${key.secret.slice(9).split('').reverse().join('')}`
    for (const authorization of ['', 'Bearer nonsense', `Bearer ${unknown}`]) {
      const refused = await send({ authorization })
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    const ended = await app.key({})
    await app.revokeKey(ended)
    const refused = await send({ authorization: `Bearer ${ended.secret}` })
    expect([refused.status, await codeOf(refused)]).toEqual([401, 'revoked_api_key'])
  })

  test('refuses a key of an account without access, as the API does, and its tools say where to restore it', async () => {
    const lapsed = await app.key({})
    await app.setAccount(lapsed.account, { status: 'canceled' })
    const byApi = await lapsed.get('/usage')
    const refused = await send({ authorization: `Bearer ${lapsed.secret}` })
    const body = (await refused.json()) as Json
    expect([refused.status, body.error.code]).toEqual([byApi.status, 'api_access_required'])
    expect(body.error.billing).toEqual(byApi.body.error.billing)
    const call = { ...list, method: 'tools/call', params: { name: 'usage', arguments: {} } }
    const { result } = (await (await send({ authorization: `Bearer ${lapsed.secret}` }, call)).json()) as Json
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('code: api_access_required')
    expect(result.content[0].text).toContain(`to restore it: ${body.error.billing.url}`)
    // A call that reaches no operation is refused alike.
    const useless = { ...call, params: { name: 'get_store', arguments: { domain: '..' } } }
    const answer = (await (await send({ authorization: `Bearer ${lapsed.secret}` }, useless)).json()) as Json
    expect(answer.result.content[0].text).toContain('code: api_access_required')
  })

  test('has one method', async () => {
    for (const method of ['GET', 'DELETE']) {
      const refused = await send({}, undefined, method)
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
      await refused.body?.cancel()
    }
  })

  test('refuses pages of other sites, and names pointed to this machine', async () => {
    const statusFor = async (headers: Record<string, string>) => {
      const response = await send(headers)
      await response.body?.cancel()
      return response.status
    }
    expect(await statusFor({ origin: 'https://shop.example' })).toBe(403)
    expect(await statusFor({ origin: 'null' })).toBe(403)
    expect(await statusFor({ origin: new URL(app.url).origin })).toBe(200)
    expect(await statusFor({ origin: 'http://localhost:6274' })).toBe(200)
    expect(await statusFor({ 'sec-fetch-site': 'same-origin' })).toBe(403)
  })

  test('refuses what is no message, too many messages, and too large ones', async () => {
    expect(await codeOf(await send({}, '{"jsonrpc":'))).toBe('invalid_json')
    expect(await codeOf(await send({}, Array(11).fill(list)))).toBe('invalid_request')
    expect(await codeOf(await send({}, { ...list, params: { text: 'x'.repeat(300_000) } }))).toBe('payload_too_large')
    expect((await send({}, '')).status).toBe(400)
    expect((await send({}, { jsonrpc: '2.0', id: 1, method: 'tools/burn' })).status).toBeLessThan(500)
  })

  test('keeps no stream open: the tools never change', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const response = await send(
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' },
        params: { _meta: meta, notifications: { toolsListChanged: true } },
      },
    )
    expect(await response.text()).toContain('"error"')
  })
})

describe('messages', () => {
  const call = (name: string, args: object = {}) => ({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: args },
  })
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' }

  /** What counts by then, without the request that asks. */
  async function windowsOf(of: TestKey) {
    const { rows } = await app.db.query<{ minute: number; day: number }>(
      'select minute_used as minute, day_used as day from request_windows where account_id = $1',
      [app.accountNumber(of.account)],
    )
    return rows[0] ?? { minute: 0, day: 0 }
  }
  const sendAs = (of: TestKey, body: unknown) => send({ authorization: `Bearer ${of.secret}` }, body)

  test('count to the minute and not to the day; calls of tools as their requests of the API', async () => {
    const one = await app.key({ limits: generous })
    expect((await sendAs(one, list)).status).toBe(200)
    expect(await windowsOf(one)).toEqual({ minute: 1, day: 0 })
    expect((await sendAs(one, [note, { ...list, id: 2 }, { ...list, id: 3 }])).status).toBe(200)
    expect(await windowsOf(one)).toEqual({ minute: 4, day: 0 })
    expect((await sendAs(one, call('usage'))).status).toBe(200)
    expect(await windowsOf(one)).toEqual({ minute: 5, day: 1 })
    // Not a tool, and calls that are answered without the API.
    for (const [index, free] of [
      call('erase'),
      call('reveal_contacts'),
      call('get_store', { domain: '..' }),
    ].entries()) {
      expect((await sendAs(one, free)).status).toBe(200)
      expect(await windowsOf(one)).toEqual({ minute: 6 + index, day: 1 })
    }
  })

  test('of one request count all or none, and are refused when the minute has no room for them', async () => {
    const one = await app.key({ limits: { ...generous, requests_per_minute: 5 } })
    const four = [1, 2, 3, 4].map((id) => ({ ...list, id }))
    const first = await sendAs(one, four)
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([200, '1'])
    const refused = await sendAs(one, four)
    const { error } = (await refused.json()) as Json
    expect([refused.status, error.code, error.param]).toEqual([429, 'rate_limit_exceeded', 'requests_per_minute'])
    expect(error.message).toMatch(/^4 messages count to the minute, which has 1 of 5 requests left; send fewer, or try/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await windowsOf(one)).toEqual({ minute: 4, day: 0 })
    expect((await sendAs(one, list)).status).toBe(200)
    for (const more of [list, note, call('erase')]) expect((await sendAs(one, more)).status).toBe(429)
    const { result } = (await (await sendAs(one, call('get_store', { domain: '..' }))).json()) as Json
    expect(result.content[0].text).toContain('code: rate_limit_exceeded')
    expect(await windowsOf(one)).toEqual({ minute: 5, day: 0 })
    app.clock.advance(60_000)
    expect((await sendAs(one, four)).status).toBe(200)
  })

  test('sent at once by many never pass the limit', async () => {
    const one = await app.key({ limits: { ...generous, requests_per_minute: 20 } })
    const three = [1, 2, 3].map((id) => ({ ...list, id }))
    const replies = await Promise.all(Array.from({ length: 12 }, () => sendAs(one, three)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(6)
    expect(await windowsOf(one)).toEqual({ minute: 18, day: 0 })
  })

  test('are answered when a body cancels what it begins, or uses an id twice', async () => {
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    for (const body of [[call('usage'), cancel], [cancel, call('usage')], [call('usage'), list], cancel])
      expect((await send({}, body)).status).toBeLessThan(500)
  })

  test('list the tools as one text, which clients may keep', async () => {
    const [a, b] = [await (await send()).text(), await (await send()).text()]
    expect(a).toBe(b)
  })
})

describe('Accept', () => {
  const accepted = async (accept: string | null, body: unknown = list) => {
    const response = await send(accept === null ? { accept: '' } : { accept }, body)
    const text = await response.text()
    const type = response.headers.get('content-type')!
    if (response.status === 200 && type === 'text/event-stream') {
      expect(text).toMatch(/^event: message\ndata: \{.*\}\n\n$/)
      expect(JSON.parse(text.slice(text.indexOf('{'))).result.tools).toHaveLength(9)
    } else expect(JSON.parse(text).result.tools).toHaveLength(9)
    return [response.status, type.split(';')[0]]
  }

  test.each([
    ['application/json, text/event-stream', 'application/json'],
    ['text/event-stream, application/json', 'text/event-stream'],
    ['application/json', 'application/json'],
    ['Application/JSON', 'application/json'],
    ['application/json;q=0.5, text/event-stream;q=0.1', 'application/json'],
    ['application/json; charset=utf-8', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['*/*;q=0.1', 'application/json'],
    ['text/html, */*;q=0.8', 'application/json'],
    [null, 'application/json'],
    ['application/json, application/mcp+json', 'application/json'],
    // Nothing that is served here: the header is disregarded.
    ['text/html', 'application/json'],
    ['application/json;q=0, text/event-stream;q=0', 'application/json'],
    ['nonsense', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['TEXT/Event-Stream', 'text/event-stream'],
    ['text/*', 'text/event-stream'],
    ['text/event-stream, application/json;q=0', 'text/event-stream'],
    ['application/json;q=0.1, text/event-stream;q=0.9', 'text/event-stream'],
    ['*/*;q=0.1, text/event-stream', 'text/event-stream'],
  ])('%s gets %s', async (accept, type) => {
    expect(await accepted(accept)).toEqual([200, type])
  })

  test('of nothing at all gets JSON, in both revisions', async () => {
    const { port } = new URL(app.url)
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    for (const [body, headers] of [
      [list, {}],
      [
        { ...list, params: { _meta: meta } },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
      ],
    ] as const) {
      const text = await new Promise<string>((resolve, reject) => {
        const request = http.request(
          {
            port,
            path: '/mcp',
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${key.secret}`, ...headers },
          },
          (response) => {
            response.setEncoding('utf8').on('error', reject)
            let received = ''
            response.on('data', (chunk) => {
              received += chunk
            })
            response.on('end', () => resolve(received))
          },
        )
        request.on('error', reject).end(JSON.stringify(body))
      })
      expect(JSON.parse(text).result.tools).toHaveLength(9)
    }
  })
})
