import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import {
  addEchoRoute,
  call,
  expectEnvelope,
  logLinesOf,
  postJson,
  sendRaw,
  startTestServer,
} from './support/test-server.ts'

const server = await startTestServer((api) => {
  addEchoRoute(api)
  api.get('/late', async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return { late: true }
  })
})
const hurriedServer = await startTestServer(undefined, {
  timeouts: { headersMs: 300, requestMs: 600, keepAliveMs: 5_000, stalledMs: 5_000 },
})
const usage = 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\n'
const search = 'POST /api/v1/stores/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

afterEach(async () => {
  expect((await call(`${server.url}/healthz`)).status, 'the server still answers').toBe(200)
})

describe('invalid HTTP', () => {
  test.each([
    ['noise', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['no version', 'GET /healthz\r\n\r\n'],
    ['an unknown method', 'FETCH /api/v1/usage HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method in small letters', 'get /api/v1/usage HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['two Host headers', 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['two keys', 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n'],
    ['a header without a colon', 'GET /api/v1/usage HTTP/1.1\r\nHost x\r\n\r\n'],
    ['a NUL in a header', 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'],
    ['a space before the colon', 'GET /api/v1/usage HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['two lengths', `${search}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a length and chunks', `${search}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a length that is no number', `${search}Content-Length: two\r\n\r\n{}`],
    ['a length below zero', `${search}Content-Length: -1\r\n\r\n{}`],
    ['chunks of no known size', `${search}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['no Host', 'GET /api/v1/usage HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['another transfer encoding', `${search}Transfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`],
  ])('(%s) gets one complete 400, and the connection ends', async (_what, bytes) => {
    const replies = await sendRaw(server.port, Buffer.from(bytes, 'latin1'))
    expect(replies).toHaveLength(1)
    expectEnvelope(replies[0]!, 400, 'invalid_request')
    expect(replies[0]!.headers.get('connection')).toBe('close')
  })

  test('is logged without the received bytes', async () => {
    const [reply] = await sendRaw(server.port, 'FETCH /sdx_live_secret HTTP/1.1\r\n\r\n')
    expect(await logLinesOf(server, reply!)).toEqual([
      expect.objectContaining({ method: '(unread)', route: '(none)', status: 400, code: 'invalid_request' }),
    ])
    expect(JSON.stringify(server.log)).not.toContain('secret')
  })
})

test('HTTP/1.0 is answered without a Host', async () => {
  const [reply] = await sendRaw(server.port, 'GET /api/v1/usage HTTP/1.0\r\n\r\n')
  expect(reply!.status).toBe(200)
})

describe('headers beyond 16 KB or 200', () => {
  test.each([
    ['one long header', `${usage}A: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['many headers', `${usage}${'A: b\r\n'.repeat(300)}\r\n`],
    ['more headers than Node keeps', `${usage}${'A: b\r\n'.repeat(5_000)}\r\n`],
    ['a long URL', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a flood', `${usage}${`A: ${'x'.repeat(1_000)}\r\n`.repeat(5_000)}\r\n`],
  ])('(%s) are a 431', async (_what, bytes) => {
    const replies = await sendRaw(server.port, bytes)
    expect(replies).toHaveLength(1)
    expectEnvelope(replies[0]!, 431, 'header_too_large')
  })

  test('are counted together: 15 KB pass', async () => {
    const [reply] = await sendRaw(server.port, `${usage}Connection: close\r\nA: ${'x'.repeat(15_000)}\r\n\r\n`)
    expect(reply!.status).toBe(200)
  })
})

describe('an incomplete request', () => {
  test.each([
    ['within its headers', 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nA'],
    ['within its body', `${search}Content-Length: 100\r\n\r\n{"a":`],
    ['within its chunks', `${search}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`],
  ])('%s gets an error in time', async (_where, bytes) => {
    const replies = await sendRaw(hurriedServer.port, bytes)
    expect(replies).toHaveLength(1)
    expectEnvelope(replies[0]!, 400, 'invalid_request')
  })

  test('that was already rejected gets no second reply', async () => {
    const replies = await sendRaw(hurriedServer.port, `${search}Content-Length: 9000000000\r\n\r\n{`)
    expect(replies.map((reply) => reply.status)).toEqual([413])
  })

  test('on an unused connection ends without a reply', async () => {
    expect(await sendRaw(hurriedServer.port, '')).toEqual([])
  })

  test('whose client disconnected is logged as aborted', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`${search}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n`)
    // The server waits for the body now.
    const [asked] = (await once(socket, 'data')) as [Buffer]
    expect(asked.toString()).toContain('100 Continue')
    socket.write('{"a":')
    socket.destroy()
    const hungUp = expect.objectContaining({ aborted: true, route: '/api/v1/stores/search' })
    await expect.poll(() => server.finished).toContainEqual(hungUp)
  })
})

describe('on one connection', () => {
  test('pipelined requests are answered in order', async () => {
    const replies = await sendRaw(server.port, `${usage}\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n${usage}\r\n`, 3)
    expect(replies.map((reply) => reply.status)).toEqual([200, 404, 200])
  })

  test.each(['usage', 'late'])('invalid bytes after a request (%s) do not corrupt its reply', async (path) => {
    const replies = await sendRaw(server.port, `GET /api/v1/${path} HTTP/1.1\r\nHost: x\r\n\r\nnoise\r\n\r\n`)
    expect(replies.map((reply) => reply.status)).toEqual([200, 400])
    expectEnvelope(replies[1]!, 400, 'invalid_request')
  })

  test('a rejected body does not affect the next request', async () => {
    const bad = `${search}Content-Length: 1\r\n\r\n{`
    const replies = await sendRaw(server.port, `${bad}${usage}\r\n`, 2)
    expect(replies.map((reply) => reply.status)).toEqual([400, 200])
  })

  test('a body beyond the limit is discarded, and the next request answered', async () => {
    const body = 'x'.repeat(1_000_001)
    const replies = await sendRaw(server.port, `${search}Content-Length: ${body.length}\r\n\r\n${body}${usage}\r\n`, 2)
    expect(replies.map((reply) => reply.status)).toEqual([413, 200])
  })
})

describe('unusual HTTP', () => {
  test('CONNECT is a 405', async () => {
    const replies = await sendRaw(server.port, 'CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(replies).toHaveLength(1)
    expectEnvelope(replies[0]!, 405, 'method_not_allowed')
    expect(replies[0]!.headers.get('allow')).toBe('GET, POST')
  })

  test('an Upgrade is ignored', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
    const [reply] = await sendRaw(server.port, `${usage}${upgrade}\r\n`, 1)
    expect(reply!.status).toBe(200)
  })

  test('an unknown expectation is ignored', async () => {
    const [reply] = await sendRaw(server.port, `${usage}Expect: the-unexpected\r\n\r\n`, 1)
    expect(reply!.status).toBe(200)
  })

  test('Expect: 100-continue gets a 100', async () => {
    const [reply] = await sendRaw(server.port, `${search}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`, 1)
    expect(reply!).toMatchObject({ status: 200, body: '{"body":{}}' })
  })

  test('an invalid Host is ignored', async () => {
    const [reply] = await sendRaw(server.port, 'GET /healthz HTTP/1.1\r\nHost: a b/<c>\r\n\r\n', 1)
    expect(reply!.status).toBe(200)
  })
})

test('a body of the maximum size is accepted', async () => {
  const body = JSON.stringify('x'.repeat(262_142))
  expect(body).toHaveLength(262_144)
  expect((await postJson(`${server.url}/api/v1/stores/search`, body)).status).toBe(200)
})
