import { describe, expect, test } from 'vitest'
import { createHttpServer } from '../../../src/foundation/http/server.ts'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import { atEnd } from '../../support/cleanup.ts'
import { call, expectEnvelope, startTestServer } from './support/test-server.ts'

const ofBrowsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

const server = await startTestServer((api) => api.get('/usage', () => ({ object: 'usage' })))
const ask = (path: string, accept: string) => call(server.url + path, { headers: { accept } })

describe('an unknown path', () => {
  test('is a page in a browser, with ways onward and the reference that support asks for', async () => {
    const { status, headers, body } = await ask('/nothing/here?token=secret', ofBrowsers)
    expect(status).toBe(404)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('vary')).toBe('accept')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(body).toMatch(
      /<html lang="en">.*<title>There is no page here · Storedex<\/title>.*<h1>There is no page here</s,
    )
    for (const link of ['href="/"', 'href="/docs"']) expect(body).toContain(link)
    expect(body).toContain(`Reference for support: ${headers.get('x-request-id')}`)
    expect(body).not.toMatch(/<script|secret/)
  })

  test.each(['*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0'])(
    'is an error in JSON for a program that accepts %s',
    async (accept) => {
      expectEnvelope(await ask('/nothing/here', accept), 404, 'route_not_found')
    },
  )

  test.each(['/api', '/api/v1/nothing', '/api/v2/usage', '/console/api/nothing', '/webhooks/nothing', '/healthz/x'])(
    'under %s, which programs call, is JSON in a browser too',
    async (path) => {
      expectEnvelope(await ask(path, ofBrowsers), 404, 'route_not_found')
    },
  )

  test('that only begins like one of programs is a page', async () => {
    expect((await ask('/apiary', ofBrowsers)).body).toContain('There is no page here')
  })
})

test.each([
  [
    503,
    new Refusal('service_unavailable', 'The service is busy.', { retryAfterSeconds: 7 }),
    'Please try again in a moment',
  ],
  [500, new Error('of the disk'), 'Something went wrong'],
])('a failure with %i and another method are pages in a browser, without a cause', async (status, failure, title) => {
  const app = createHttpServer({ observers: [], checkReadiness: async () => null })
  app.register(async (site) => {
    site.get('/page', () => {
      throw failure
    })
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  atEnd(() => app.close())
  const other = await call(`${url}/page`, { method: 'POST', headers: { accept: ofBrowsers } })
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET'])
  expect(other.body).toContain('This does not work here')
  const page = await call(`${url}/page`, { headers: { accept: ofBrowsers } })
  expect(page.status).toBe(status)
  expect(page.headers.get('retry-after')).toBe(status === 503 ? '7' : null)
  expect(page.body).toContain(`<h1>${title}</h1>`)
  expect(page.body).not.toContain('of the disk')
  expectEnvelope(await call(`${url}/page`), status, status === 503 ? 'service_unavailable' : 'internal_error')
})
