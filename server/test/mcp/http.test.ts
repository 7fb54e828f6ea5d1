import { beforeAll, describe, expect, test } from 'vitest'
import { generous, usageOf } from '../contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../support/app.ts'

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

  test('counts for nothing itself', async () => {
    const before = await usageOf(key)
    for (let i = 0; i < 3; i++) expect((await send()).status).toBe(200)
    expect((await usageOf(key)).api_requests.used).toBe(before.api_requests.used + 1)
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
