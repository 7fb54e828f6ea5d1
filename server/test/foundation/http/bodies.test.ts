import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { call, expectEnvelope, sendRaw, startTestServer } from './support/test-server.ts'

const server = await startTestServer()
const url = `${server.url}/api/v1/stores/search`
const post = (body: RequestInit['body'] | undefined, headers: Record<string, string> = {}) =>
  call(url, { method: 'POST', ...(body !== undefined && { body }), headers })
const json = { 'content-type': 'application/json' }

const suite: Record<string, string> = JSON.parse(
  readFileSync(new URL('../../data/json-parsing/cases.json', import.meta.url), 'utf8'),
)

describe('the media type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf8"',
    'Application/JSON',
    'application/json; version=1',
  ])('%s is read', async (type) => {
    expect((await post('{"a":1}', { 'content-type': type })).body).toBe('{"body":{"a":1}}')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/vnd.api+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'multipart/form-data; boundary=x',
    'json',
    'application/json, text/plain',
    '',
  ])('"%s" is a 415', async (type) => {
    expectEnvelope(await post('{"a":1}', { 'content-type': type }), 415, 'unsupported_media_type')
  })

  test('is required for a body', async () => {
    expectEnvelope(await post(new Blob(['{"a":1}'])), 415, 'unsupported_media_type')
  })
})

test.each(['gzip', 'br', 'x-unknown'])('a body in Content-Encoding %s is a 415', async (encoding) => {
  const reply = await post(gzipSync('{"a":1}'), { ...json, 'content-encoding': encoding })
  expectEnvelope(reply, 415, 'unsupported_media_type')
})

test.each([
  ['none and no type', undefined, {}],
  ['none but a type', undefined, json],
  ['an empty one', '', json],
])('%s counts as no body', async (_what, body, headers) => {
  expect((await post(body, headers)).body).toBe('{"body":null}')
})

test('the body of a GET is ignored', async () => {
  const request = 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n{{{'
  const replies = await sendRaw(server.port, request.repeat(2), 2)
  expect(replies.map((reply) => reply.status)).toEqual([200, 200])
})

describe('a body of more than 262,144 bytes is a 413', () => {
  const tooLong = JSON.stringify('x'.repeat(262_143))

  test('when its length is declared', async () => {
    expect(tooLong).toHaveLength(262_145)
    const { message } = expectEnvelope(await post(tooLong, json), 413, 'payload_too_large')
    expect(message).toContain('262,144 bytes')
  })

  test('when it is sent in chunks', async () => {
    const chunks = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(100_000).fill(0x20))
        if (++sent === 30) controller.close()
      },
    })
    let sent = 0
    const reply = await call(url, { method: 'POST', body: chunks, headers: json, duplex: 'half' } as RequestInit)
    expectEnvelope(reply, 413, 'payload_too_large')
  })

  test('when only its declared length exceeds the limit', async () => {
    const head = 'POST /api/v1/stores/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
    const [reply] = await sendRaw(server.port, `${head}Content-Length: 9000000000\r\n\r\n{`, 1)
    expectEnvelope(reply!, 413, 'payload_too_large')
  })
})

// Rejected for their depth before their syntax is checked.
const deepCases = new Set(['n_structure_100000_opening_arrays', 'n_structure_open_array_object'])

describe('the published JSON parsing cases', () => {
  const cases = Object.entries(suite).map(([name, base64]) => ({ name, bytes: Buffer.from(base64, 'base64') }))

  test('are parsed as JSON.parse does, or rejected with the envelope', async () => {
    for (const { name, bytes } of cases) {
      const reply = await post(new Uint8Array(bytes), json)
      const repeatsKey = name.startsWith('y_object_duplicated_key')
      const isEmpty = bytes.length === 0
      if ((name.startsWith('y_') && !repeatsKey) || isEmpty) {
        expect(reply.status, name).toBe(200)
        if (!isEmpty) expect(JSON.parse(reply.body), name).toEqual({ body: asReplied(bytes) })
      } else if (name.startsWith('i_')) expect([200, 400], name).toContain(reply.status)
      else expectEnvelope(reply, 400, deepCases.has(name) ? 'invalid_request' : 'invalid_json')
    }
  })
})

// JSON.stringify turns -0 into 0.
const asReplied = (bytes: Buffer) => JSON.parse(JSON.stringify(JSON.parse(bytes.toString())))

describe('a body that would take long to parse is a 400 before it is parsed', () => {
  const list = (marks: number) => `[${'0,'.repeat(marks - 2)}0]`

  test('when it is nested more than 32 levels deep', async () => {
    expect((await post('['.repeat(32) + ']'.repeat(32), json)).status).toBe(200)
    expectEnvelope(await post('['.repeat(33) + ']'.repeat(33), json), 400, 'invalid_request')
    // Beyond the bounds the syntax is not checked.
    expectEnvelope(await post('{"a":'.repeat(33), json), 400, 'invalid_request')
    expectEnvelope(await post('['.repeat(200_000), json), 400, 'invalid_request')
  })

  test('when it has more than 20,000 commas, colons and brackets', async () => {
    expect((await post(list(20_000), json)).status).toBe(200)
    expectEnvelope(await post(list(20_001), json), 400, 'invalid_request')
    const keys = Array.from({ length: 12_000 }, (_, i) => `"${i}":0`).join()
    expectEnvelope(await post(`{${keys}}`, json), 400, 'invalid_request')
    expectEnvelope(await post(','.repeat(200_000), json), 400, 'invalid_request')
  })

  test('but not when only its strings contain them', async () => {
    const text = JSON.stringify(['[{,:'.repeat(30_000), '\\"['.repeat(20_000)])
    expect((await post(text, json)).status).toBe(200)
  })
})

test('__proto__ and constructor are ordinary keys', async () => {
  const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  expect((await post(body, json)).body).toBe(`{"body":${body}}`)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})
