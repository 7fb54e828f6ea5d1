import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { call } from '../../foundation/http/support/test-server.ts'
import { methodsOf, operations } from '../access/support/operations.ts'
import {
  errorIn,
  expectHarmlessReply,
  forEachInParallel,
  knownDomain,
  marker,
  startHostileApp,
} from './support/hostile-app.ts'

const world = await startHostileApp()
const { app, key } = world

const paths = [...new Set(Object.values(operations).map(({ path }) => path))]
const posts = Object.values(operations).filter(({ body }) => body !== undefined)
const unsupported = { status: 415, code: 'unsupported_media_type' }
const badJson = { status: 400, code: 'invalid_json' }

describe('a method', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH']

  test.each(methods)('%s is accepted by exactly the operations that have it', async (method) => {
    for (const path of paths) {
      const allowed = methodsOf(path)
      if (allowed.split(', ').includes(method)) continue
      const request = `${method} /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n`
      const [reply] = await world.raw(request)
      expect(reply!.status, path).toBe(405)
      expect(reply!.headers.get('allow'), path).toBe(allowed)
    }
  })

  test.each(methods)('%s makes no other path exist', async (method) => {
    for (const path of ['/api', '/api/v1', '/api/v1/', '/api/v2/usage', '/api/v1/stores', '/.env', '/admin']) {
      const [reply] = await world.raw(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect([404, 405], path).toContain(reply!.status)
    }
  })

  test('cannot be overridden by a header or a query', async () => {
    const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'POST' }
    expect((await key.get('/usage?_method=DELETE', headers)).status).toBe(200)
  })
})

describe.each(posts)('$method $path', ({ method, path, body }) => {
  const text = JSON.stringify(body)
  // Well-formed, and rejected only for its content.
  const refusedText = JSON.stringify({ ...body, [marker]: 1 })
  const send = async (bytes: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    errorIn(await world.send(method, path, bytes, headers))

  test('accepts only uncompressed JSON in UTF-8', async () => {
    const types = [
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'application/json; charset=iso-8859-1',
      'application/json,text/plain',
      'application/jsonx',
      'application/*',
      `application/${marker}`,
      '"',
      '',
    ]
    await forEachInParallel(types, async (type) =>
      expect(await send(text, { 'content-type': type }), type).toEqual(unsupported),
    )
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'identity, gzip', marker])
      expect(await send(gzipSync(text), { 'content-encoding': encoding }), encoding).toEqual(unsupported)
    // Compressed without Content-Encoding.
    expect(await send(gzipSync(text))).toEqual(badJson)
  })

  test('accepts every spelling of the JSON media type', async () => {
    for (const type of [
      'application/json',
      'APPLICATION/JSON',
      'application/json;charset=UTF-8',
      'application/json; a=b',
    ])
      expect(await send(refusedText, { 'content-type': type }), type).toMatchObject({ code: 'unknown_parameter' })
  })

  test('treats a missing body as a missing object', async () => {
    for (const empty of ['', ' ', '\n', '\0']) expect((await send(empty)).status).toBe(400)
  })

  test('rejects invalid UTF-8 at every position', async () => {
    for (const bytes of ['80', 'c0af', 'eda080', 'f4908080', 'ff', 'fffe', 'e282']) {
      const stray = Buffer.from(bytes, 'hex')
      for (const [before, after] of [
        ['', text],
        [text, ''],
        [`${text.slice(0, 2)}`, text.slice(2)],
      ] as const)
        expect(await send(Buffer.concat([Buffer.from(before), stray, Buffer.from(after)])), bytes).toEqual(badJson)
    }
    expect(await send(Buffer.from(`\ufeff${text}`)), 'a byte order mark').toEqual(badJson)
    expect(await send(Buffer.from(text, 'utf16le'))).toEqual(badJson)
  })

  test('rejects raw control characters and trailing data', async () => {
    for (const wrong of [
      `${text}\0`,
      `\0${text}`,
      text.replace('{"', '{"\0'),
      text.replace('{"', '{"\n'),
      `${text}{}`,
      `${text},`,
    ])
      expect(await send(wrong)).toEqual(badJson)
  })

  test.each([
    ['lists', '[', ']', ''],
    ['objects', '{"filters":', '}', '1'],
    ['lists in objects', '{"domains":[', ']}', ''],
    ['objects in lists', '[{"":', '}]', '0'],
  ])('rejects deeply nested %s', async (_what, open, close, inner) => {
    for (const depth of [33, 1_000, Math.floor(260_000 / (open.length + close.length))]) {
      const whole = open.repeat(depth) + inner + close.repeat(depth)
      expect((await send(whole)).status).toBe(400)
      const inPlace = `{"${Object.keys(body!)[0]}":${whole}}`
      expect((await send(inPlace)).status).toBe(400)
    }
    // The depth is checked before the syntax.
    const unfinished = open.repeat(Math.floor(260_000 / open.length))
    expect(await send(unfinished)).toEqual({ status: 400, code: 'invalid_request' })
  })

  test('rejects very many keys and items, and very long strings', async () => {
    const keys = (count: number) => Array.from({ length: count }, (_, i) => `"${i.toString(36)}":0`).join()
    expect(await send(`{${keys(9_000)}}`)).toMatchObject({ status: 400, code: expect.stringMatching('_parameter$') })
    const tooMany = { status: 400, code: 'invalid_request' }
    expect(await send(`{${keys(24_000)}}`)).toEqual(tooMany)
    expect((await send(`{"filters":{${keys(9_000)}},"domains":[]}`)).status).toBe(400)
    expect((await send(`[${'0,'.repeat(19_000)}0]`)).status).toBe(400)
    expect(await send(`[${'0,'.repeat(120_000)}0]`)).toEqual(tooMany)
    expect((await send(`{"domains":[${'"",'.repeat(19_000)}""]}`)).status).toBe(400)
    expect((await send(`{"filters":{"countries":[${'"DE",'.repeat(19_000)}"DE"]}}`)).status).toBe(400)
    expect((await send(`{"domains":["${'é'.repeat(130_000)}"]}`)).status).toBe(400)
    expect((await send(`{"filters":{"countries":["${marker.repeat(29_000)}"]}}`)).status).toBe(400)
    expect((await send(`{"limit":${'9'.repeat(260_000)},"filters":{}}`)).status).toBe(400)
  })

  test('rejects more than 262,144 bytes, declared or not', async () => {
    const tooLarge = { status: 413, code: 'payload_too_large' }
    const padded = text.slice(0, -1) + ' '.repeat(262_145 - text.length) + text.slice(-1)
    expect(await send(padded)).toEqual(tooLarge)
    const head = `${method} /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n`
    const [declared] = await world.raw(`${head}Content-Length: 99999999999\r\n\r\n{`, 1)
    expect(errorIn(declared!)).toEqual(tooLarge)
    const chunk = `${(100_000).toString(16)}\r\n${' '.repeat(100_000)}\r\n`
    const [chunked] = await world.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(11)}0\r\n\r\n`, 1)
    expect(errorIn(chunked!)).toEqual(tooLarge)
  })

  test('reads a body sent in tiny chunks', async () => {
    const crumbs = [...refusedText].map((letter) => `1\r\n${letter}\r\n`).join('')
    const head = `${method} /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n`
    const [reply] = await world.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${crumbs}0\r\n\r\n`, 1)
    expect(errorIn(reply!)).toEqual({ status: 400, code: 'unknown_parameter', param: marker })
  })

  test('rejects a body with an ambiguous length', async () => {
    const head = `${method} /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n`
    const smuggled = `${head}Content-Length: ${text.length + 9}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${text}`
    const replies = await world.raw(smuggled)
    expect(replies.map(errorIn)).toEqual([{ status: 400, code: 'invalid_request' }])
  })
})

describe('headers', () => {
  const usage = 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n'

  test.each([
    ['one that is too long', `A: ${marker.repeat(3_000)}\r\n`],
    ['too many', 'A: b\r\n'.repeat(300)],
    ['far too many', 'A: b\r\n'.repeat(20_000)],
  ])('(%s) are a 431', async (_what, headers) => {
    const replies = await world.raw(`${usage}${headers}\r\n`)
    expect(replies.map(errorIn)).toEqual([{ status: 431, code: 'header_too_large' }])
  })

  test('with unusual names change nothing', async () => {
    const odd = [
      'Accept: image/webp',
      'Accept-Encoding: gzip, br;q=0',
      'Accept-Language: *',
      `Cookie: session=${marker}`,
      'Range: bytes=0-1',
      'If-Match: "x"',
      'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
      'X-Forwarded-For: 127.0.0.1, unknown',
      'X-Forwarded-Host: elsewhere.example',
      'X-Original-URL: /healthz',
      'Forwarded: for="[::1]"',
      'Expect: nothing',
      'Origin: https://elsewhere.example',
      `Referer: https://x.example/?key=${marker}`,
      `User-Agent: ${marker}`,
    ].join('\r\n')
    const [reply] = await world.raw(`${usage}${odd}\r\nConnection: close\r\n\r\n`)
    expect(reply!.status).toBe(200)
    expect(reply!.body).not.toContain('elsewhere')
    expect(reply!.headers.has('access-control-allow-origin')).toBe(false)
    expect(reply!.headers.has('set-cookie')).toBe(false)
  })

  test.each([
    ['is given back when short and printable', `${marker} 7`, true],
    ['is given back, looking like one of ours', 'req_AAAAAAAAAAAAAAAAAAAAAAAA', true],
    ['is not when it is long', marker.repeat(40), false],
    ['is not when it is not printable', 'caf\u00e9', false],
  ])('X-Request-Id of a caller is never used, and %s', async (_when, id, isEchoed) => {
    for (const path of ['/usage', '/nowhere', `/stores/${marker}`]) {
      const reply = await call(`${app.url}/api/v1${path}`, {
        headers: { 'x-request-id': id, authorization: `Bearer ${key.secret}` },
      })
      expect(reply.headers.get('x-request-id')).not.toBe(id)
      expect(reply.headers.get('x-client-request-id')).toBe(isEchoed ? id : null)
      expect(world.log()).not.toContain(id)
    }
  })
})

test('a path has only one spelling', async () => {
  for (const path of [`/STORES/${knownDomain}`, `/stores/${knownDomain}/`, `/stores//${knownDomain}`]) {
    const reply = await call(`${app.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key.secret}` } })
    expect(errorIn(expectHarmlessReply(reply))).toEqual({ status: 404, code: 'route_not_found' })
  }
})

test('concurrent requests are all answered, each with its own request id', async () => {
  const storm = Array.from({ length: 200 }, (_, i) => i)
  const sendNonsense = ({ method, path }: (typeof posts)[number], i: number) =>
    world.send(method, path, `{"${marker}":${i % 2 ? '[' : '1}'}`)
  const ids = await Promise.all(
    storm.map(async (i) => {
      const reply =
        i % 3 === 0
          ? await world.lookup(`${marker}${i}.unknown.example`)
          : await sendNonsense(posts[i % posts.length]!, i)
      expect([400, 404]).toContain(reply.status)
      return reply.headers.get('x-request-id')
    }),
  )
  expect(new Set(ids).size).toBe(storm.length)
})
