import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { chooseEncoding } from '../../../src/foundation/http/compression/negotiate.ts'
import { etagMatches } from '../../../src/foundation/http/replies.ts'
import { sendRaw, startTestServer } from './support/test-server.ts'

const text = (bytes: number) => 'compressible '.repeat(bytes).slice(0, bytes)
const { url, port, finished } = await startTestServer((api) => {
  api.get('/each/:bytes', { config: { compresses: 'each' } }, (req) =>
    text(Number((req.params as { bytes: string }).bytes)),
  )
  api.get('/noise', { config: { compresses: 'each' } }, () => Buffer.alloc(2_000).map(() => Math.random() * 256))
  api.get('/failure', { config: { compresses: 'each' } }, (_req, reply) => reply.code(404).send(text(5_000)))
  api.route({
    method: ['GET', 'HEAD'],
    url: '/once',
    config: { compresses: 'once' },
    handler: (req, reply) => {
      reply.headers({ etag: '"v1"', vary: 'accept' })
      return etagMatches(req.headers['if-none-match'], '"v1"') ? reply.code(304).send() : reply.send(text(9_000))
    },
  })
  api.get('/secret', () => text(5_000))
  api.get('/console', { config: { compresses: 'each', door: 'member' } }, () => text(5_000))
})

/** Without the decoding of `fetch`. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string | undefined>; body: Buffer }>(
    (resolve, reject) => {
      request(`${url}/api/v1${path}`, { headers, method }, (reply) =>
        buffer(reply).then(
          (body) => resolve({ status: reply.statusCode!, headers: reply.headers as Record<string, string>, body }),
          reject,
        ),
      )
        .on('error', reject)
        .end()
    },
  )
}

describe.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('a reply in %s', (encoding, decompress) => {
  test.each(['/each/5000', '/each/5000', '/once', '/once'])(
    'of %s is the same text, with its own length',
    async (path) => {
      const plain = await get(path)
      const { status, headers, body } = await get(path, { 'accept-encoding': encoding })
      expect([status, headers['content-encoding'], headers['content-length']]).toEqual([
        200,
        encoding,
        String(body.length),
      ])
      expect(headers.vary).toMatch(/(^|, )accept-encoding$/)
      expect(plain.headers.vary).toBe(headers.vary)
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(body.length).toBeLessThan(plain.body.length / 10)
      expect(decompress(body).equals(plain.body)).toBe(true)
    },
  )

  test('has an ETag of its own; each of them, from any encoding, is a 304 without a body', async () => {
    const tag = `"v1-${encoding}"`
    expect((await get('/once', { 'accept-encoding': encoding })).headers.etag).toBe(tag)
    expect((await get('/once')).headers.etag).toBe('"v1"')
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const reply = await get('/once', { 'accept-encoding': encoding, 'if-none-match': known })
      expect([reply.status, reply.headers.etag, reply.headers['content-encoding'], reply.body.length]).toEqual([
        304,
        tag,
        undefined,
        0,
      ])
      expect(reply.headers.vary).toBe('accept, accept-encoding')
    }
    expect((await get('/once', { 'accept-encoding': encoding, 'if-none-match': '"v1"' })).status).toBe(304)
    expect((await get('/once', { 'if-none-match': `"v2-${encoding}"` })).status).toBe(200)
  })

  test('has the same headers for HEAD', async () => {
    const [whole, head] = [
      await get('/once', { 'accept-encoding': encoding }),
      await get('/once', { 'accept-encoding': encoding }, 'HEAD'),
    ]
    expect(head.body.length).toBe(0)
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect(head.headers[name], name).toBe(whole.headers[name])
  })
})

test('a reply stays as it is below 1 KB, when that is shorter, when it fails, and where nothing is declared', async () => {
  const accepts = { 'accept-encoding': 'br, gzip' }
  for (const path of ['/each/1023', '/noise', '/failure', '/secret', '/console'])
    expect((await get(path, accepts)).headers['content-encoding'], path).toBeUndefined()
  expect((await get('/each/1024', accepts)).headers['content-encoding']).toBe('br')
  for (const path of ['/secret', '/console']) expect((await get(path, accepts)).headers.vary, path).toBeUndefined()
})

test.each([
  [undefined, null],
  ['', null],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['GZIP ; Q=0.5', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', null],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', null],
  ['identity, br;q=0.5', null],
  ['identity;q=0', null],
  ['identity;q=0, gzip', 'gzip'],
  ['deflate, zstd', null],
  ['br;q=x, gzip;q=', null],
  [',;,;q=1', null],
])('Accept-Encoding %j means %s', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding)
})

test('clients that disconnect, and many at once, leave nothing behind', async () => {
  const before = finished.length
  const target = 'GET /api/v1/each/400000 HTTP/1.1\r\nhost: a\r\naccept-encoding: br\r\n\r\n'
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(target, () => socket.destroy())
      await once(socket, 'close')
    }),
  )
  const many = await Promise.all(Array.from({ length: 40 }, () => get('/each/200000', { 'accept-encoding': 'gzip' })))
  for (const { status, headers, body } of many)
    expect([status, (headers['content-encoding'] ? gunzipSync(body) : body).length]).toEqual([200, 200_000])
  // All places are free again.
  await expect
    .poll(async () => (await get('/each/5000', { 'accept-encoding': 'br' })).headers['content-encoding'])
    .toBe('br')
  expect(finished.length).toBeGreaterThanOrEqual(before + 41)
  const [reply] = await sendRaw(port, target.replace('400000', '2000'), 1)
  expect(reply!.status).toBe(200)
})
