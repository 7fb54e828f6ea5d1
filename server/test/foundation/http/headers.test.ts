import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { call, postJson, sendRaw } from './support/test-server.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({})
})

const port = () => Number(new URL(app.url).port)
const withKey = () => ({ authorization: `Bearer ${key.secret}`, origin: 'https://elsewhere.example' })

const replies = {
  'an answer': () => call(`${app.url}/api/v1/usage`, { headers: withKey() }),
  'an open answer': () => call(`${app.url}/api/v1/openapi.json`),
  'the health': () => call(`${app.url}/healthz`),
  'a refusal for want of a key': () => call(`${app.url}/api/v1/usage`),
  'a refusal of a body': () => postJson(`${app.url}/api/v1/stores/search`, '{', withKey()),
  'an unknown path': () => call(`${app.url}/api/v2/usage`, { headers: withKey() }),
  'an unknown method': () => call(`${app.url}/api/v1/usage`, { method: 'DELETE', headers: withKey() }),
  'a preflight': () => call(`${app.url}/api/v1/usage`, { method: 'OPTIONS', headers: withKey() }),
  'a TRACE': async () =>
    (await sendRaw(port(), 'TRACE /api/v1/usage HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))[0]!,
  'an event that nobody signed': () => postJson(`${app.url}/webhooks/stripe`, {}),
  'what is no HTTP': async () => (await sendRaw(port(), 'nonsense\r\n\r\n'))[0]!,
  'headers that are too long': async () =>
    (await sendRaw(port(), `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`))[0]!,
  'the reference': () => call(`${app.url}/docs`),
  'a script of the reference': () => call(`${app.url}/docs/start.js`),
  'the guide': () => call(`${app.url}/docs/guide`),
  'an unknown page': () => call(`${app.url}/nothing`, { headers: { accept: 'text/html' } }),
  'a page after payment': () => call(`${app.url}/billing/done`),
  'a page of a trial link': () => call(`${app.url}/billing/trial?token=none`),
}

const publicReplies = ['an open answer', 'the reference', 'a script of the reference', 'the guide']

describe.each(Object.entries(replies))('%s', (name, ask) => {
  test('forbids sniffing, framing and scripts', async () => {
    const { headers } = await ask()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
  })

  test('allows no other origin, sets no cookie, and names no software', async () => {
    const { headers } = await ask()
    const names = [...headers].map(([name]) => name)
    expect(names.filter((name) => /^(access-control-|set-cookie|server$|x-powered-by)/.test(name))).toEqual([])
  })

  test('is not cacheable, unless it is public', async () => {
    const { headers } = await ask()
    expect(headers.get('cache-control')).toBe(publicReplies.includes(name) ? 'no-cache' : 'no-store')
  })
})
