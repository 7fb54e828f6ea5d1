import { describe, expect, test } from 'vitest'
import { addEchoRoute, call, expectEnvelope, logLinesOf, sendRaw, startTestServer } from './support/test-server.ts'

const server = await startTestServer((api) => {
  addEchoRoute(api)
  // The more general pattern is declared first.
  for (const path of ['/a/:x/shops/:shop', '/a/:x/shops/:shop/people', '/a/:x/:kind/all/:page'])
    api.get(path, (request) => ({ [path]: request.params }))
  for (const path of ['/a/:x/shops/search', '/a/own/shops/:shop']) api.post(path, () => ({ [path]: null }))
})
const at = (method: string, path: string) => call(server.url + path, { method })
const raw = (requestLine: string, headers = '') =>
  sendRaw(server.port, `${requestLine} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`)

describe('an unknown path', () => {
  test.each([
    '/nowhere',
    '/api/v1',
    '/api/v1/',
    '/api/v2/usage',
    '/api/v1/usage/',
    '/api/v1//usage',
    '//api/v1/usage',
    '/api/v1/USAGE',
    '/api/v1/stores/',
    '/api/v1/stores/a/b',
    '/api/v1/stores%2Fsearch',
    '/docs/',
    '/docs/../../package.json',
    '/docs/%2e%2e/package.json',
    '/constructor',
    '/__proto__',
  ])('%s is a 404', async (path) => {
    const [reply] = await raw(`GET ${path}`)
    expectEnvelope(reply!, 404, 'route_not_found')
  })

  test.each([
    ['/api/v1/a/x/shops/https://aurora.example/pages', '/api/v1/a/x/shops/https%3A%2F%2Faurora.example%2Fpages'],
    ['/api/v1/a/x/shops/https:/aurora.example', '/api/v1/a/x/shops/https%3A%2Faurora.example'],
    ['/api/v1/a/x/shops/HTTP://aurora.example/', '/api/v1/a/x/shops/HTTP%3A%2F%2Faurora.example%2F'],
    ['/api/v1/a/x/shops/aurora.example/pages/about', '/api/v1/a/x/shops/aurora.example%2Fpages%2Fabout'],
    ['/api/v1/a/x/shops/https%3A//aurora.example', '/api/v1/a/x/shops/https%3A%2F%2Faurora.example'],
    ['/api/v1/a/x/shops/https://aurora.example/a%20b', '/api/v1/a/x/shops/https%3A%2F%2Faurora.example%2Fa%20b'],
    ['/api/v1/a/x/shops/https://aurora.example/a%0Ab', '/api/v1/a/x/shops/https%3A%2F%2Faurora.example%2Fa%0Ab'],
  ])('%s asks for the URL to be percent-encoded', async (path, encoded) => {
    const [reply] = await raw(`GET ${path}`)
    expectEnvelope(reply!, 404, 'route_not_found')
    expect(JSON.parse(reply!.body).error.message).toBe(
      `Percent-encode a URL within a path; this one is ${encoded} then.`,
    )
    const [found] = await raw(`GET ${encoded}`)
    expect(found!.status).toBe(200)
  })

  test.each([
    '/nowhere/https://aurora.example',
    `/api/v1/a/x/shops/https://${'a'.repeat(400)}.example/`,
    '/api/v1/a/x/shops/no/where',
  ])('%s asks for nothing of the kind', async (path) => {
    const [reply] = await raw(`GET ${path}`)
    expectEnvelope(reply!, 404, 'route_not_found')
    expect(JSON.parse(reply!.body).error.message).toBe('There is nothing at this path; see /docs for what there is.')
  })

  test('is rejected before its body is checked', async () => {
    const reply = await call(`${server.url}/nowhere`, { method: 'POST', body: '{', headers: { 'content-type': 'x/y' } })
    expectEnvelope(reply, 404, 'route_not_found')
  })

  test('is a 404 for every method, and not repeated in the log', async () => {
    const reply = await at('PROPFIND', '/sdx_live_secret?key=sdx_live_secret')
    expectEnvelope(reply, 404, 'route_not_found')
    const [line] = await logLinesOf(server, reply)
    expect(line).toMatchObject({ route: '(none)', status: 404 })
    expect(JSON.stringify(line)).not.toContain('secret')
  })
})

describe('a known path with another method', () => {
  test.each([
    ['GET', '/api/v1/stores/search', 'POST'],
    ['GET', '/api/v1/stores/%73earch', 'POST'],
    ['POST', '/api/v1/stores/x.example', 'GET'],
    ['POST', '/api/v1/usage', 'GET'],
    ['DELETE', '/api/v1/usage?x=1', 'GET'],
    ['OPTIONS', '/api/v1/usage', 'GET'],
    ['HEAD', '/api/v1/usage', 'GET'],
    ['PROPFIND', '/api/v1/usage', 'GET'],
    ['QUERY', '/api/v1/stores/search', 'POST'],
    ['M-SEARCH', '/api/v1/stores/search', 'POST'],
    ['TRACE', '/api/v1/usage', 'GET'],
    ['PUT', '/healthz', 'GET'],
    ['POST', '/api/v1/openapi.json', 'GET'],
  ])('%s %s is a 405 that allows %s', async (method, path, allowed) => {
    const [reply] = await raw(`${method} ${path}`)
    expect(reply!.headers.get('allow')).toBe(allowed)
    expect(reply!.status).toBe(405)
    if (method === 'HEAD') return
    expectEnvelope(reply!, 405, 'method_not_allowed')
  })

  test('HEAD gets a 405 without a body', async () => {
    const reply = await at('HEAD', '/api/v1/usage')
    expect(reply).toMatchObject({ status: 405, body: '' })
    expect(reply.headers.get('x-request-id')).toMatch(/^req_/)
  })
})

describe('of several patterns that fit', () => {
  test.each([
    ['GET', '/a/1/shops/2', { '/a/:x/shops/:shop': { x: '1', shop: '2' } }],
    ['GET', '/a/1/shops/all/2', { '/a/:x/:kind/all/:page': { x: '1', kind: 'shops', page: '2' } }],
    ['GET', '/a/own/shops/2/people', { '/a/:x/shops/:shop/people': { x: 'own', shop: '2' } }],
    ['POST', '/a/1/shops/search', { '/a/:x/shops/search': null }],
    ['POST', '/a/own/shops/search', { '/a/own/shops/:shop': null }],
  ])('%s %s goes to the most literal one', async (method, path, body) => {
    const [reply] = await raw(`${method} /api/v1${path}`, 'Content-Length: 0\r\n')
    expect(JSON.parse(reply!.body)).toEqual(body)
  })

  test.each([
    ['GET', '/a/1/shops/search', 'POST'],
    ['GET', '/a/own/shops/1', 'POST'],
    ['POST', '/a/1/shops/1', 'GET'],
  ])('the most literal one decides that %s %s is a 405', async (method, path, allowed) => {
    const [reply] = await raw(`${method} /api/v1${path}`)
    expect([reply!.status, reply!.headers.get('allow')]).toEqual([405, allowed])
  })

  test.each(['/a/1/shops/', '/a//shops/1', '/a/1/shops/2/3'])('%s fits none', async (path) => {
    const [reply] = await raw(`GET /api/v1${path}`)
    expectEnvelope(reply!, 404, 'route_not_found')
  })
})

describe('a path parameter', () => {
  test.each([
    ['x.example', 'x.example'],
    ['https%3A%2F%2Fx.example%2Fa%3Fb', 'https://x.example/a?b'],
    ['50%', '50%'],
    ['%zz%41', '%zzA'],
    ['%ff%fe', '%ff%fe'],
    ['caf%C3%A9', 'café'],
    ['caf%C3', 'caf%C3'],
    ['%2525', '%25'],
    ['a%00b', 'a\0b'],
    ['%0d%0ax-evil:1', '\r\nx-evil:1'],
    ['search%20', 'search '],
    ['%2e%2e', '..'],
    ['..', '..'],
    ['Search', 'Search'],
    ['a;b', 'a;b'],
    ['x'.repeat(9_000), 'x'.repeat(9_000)],
  ])('%s arrives decoded', async (encoded, decoded) => {
    const [reply] = await raw(`GET /api/v1/stores/${encoded}`)
    expect(reply!.status).toBe(200)
    expect(JSON.parse(reply!.body)).toEqual({ domain: decoded })
    expect(reply!.headers.has('x-evil')).toBe(false)
  })
})

test.each([
  ['the absolute form', 'GET http://elsewhere.example/api/v1/usage', 200],
  ['the absolute form without a path', 'GET http://elsewhere.example', 404],
  ['the asterisk form', 'OPTIONS *', 404],
])('%s of a target is routed by its path', async (_form, requestLine, status) => {
  const [reply] = await raw(requestLine)
  expect(reply!.status).toBe(status)
  expect(reply!.headers.get('x-request-id')).toMatch(/^req_/)
})

test('an Accept-Version header changes nothing', async () => {
  const [reply] = await raw('GET /api/v1/usage', 'Accept-Version: 7.x\r\n')
  expect(reply!.status).toBe(200)
})
