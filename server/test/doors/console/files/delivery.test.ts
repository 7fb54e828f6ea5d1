import { rmSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import { index, script, writeMadeUpBuilds } from './support/made-up-build.ts'

interface FileReply {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

// What Chromium sends.
const ofBrowsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

// What it sends for a script.
const ofScripts = { accept: '*/*' }

let app: TestApp
let folder: string
beforeAll(async () => {
  folder = writeMadeUpBuilds()
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', environment: { CONSOLE_DIR: folder } })
})

/** Sends a request as it is: `fetch` would decompress the reply and shorten the path. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET', url = app.url): Promise<FileReply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { accept: ofBrowsers, ...headers } }, (reply) => {
      buffer(reply).then((body) => resolve({ status: reply.statusCode!, headers: reply.headers, body }), reject)
    })
    sent.on('error', reject).end()
  })
}

const errorCode = ({ body }: FileReply) => JSON.parse(body.toString()).error.code

describe('a page', () => {
  test.each(['/', '/sign-in', '/stores/shop.example', '/sign-in?next=%2Fstores'])(
    '%s is the index, checked for changes each time',
    async (path) => {
      const reply = await ask(path)
      expect(reply.status).toBe(200)
      expect(reply.body.toString()).toBe(index)
      expect(reply.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: 'accept',
      })
      expect(reply.headers.etag).toMatch(/^"[\w-]{27}"$/)
    },
  )

  test('names its own scripts as well, so that they are fetched at once', async () => {
    const { body } = await ask('/stores')
    const link = '<link rel="modulepreload" crossorigin href="/assets/stores-d4.js">'
    expect(body.toString().replace(/\s*<link.*>\s*/, '')).toBe(index)
    expect(body.toString().match(/<link.*?>/g)).toEqual([link])
  })

  test('is a 304 while it is unchanged, and has no body for HEAD', async () => {
    const { headers } = await ask('/stores')
    const again = await ask('/stores', { 'if-none-match': headers.etag! })
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag])
    expect((await ask('/stores', { 'if-none-match': '"other"' })).status).toBe(200)
    const head = await ask('/stores', {}, 'HEAD')
    expect([head.status, head.body.length, head.headers.etag]).toEqual([200, 0, headers.etag])
  })

  test('runs nothing inline or from elsewhere, cannot be framed, and sends its address nowhere', async () => {
    const { headers } = await ask('/sign-in')
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    )
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*|nonce|sha256/)
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    })
    expect(headers['permissions-policy']).toContain('camera=()')
  })

  test('other than the root is a 404 in the envelope for programs that ask for JSON', async () => {
    const reply = await ask('/stores/shop.example', { accept: 'application/json' })
    expect([reply.status, errorCode(reply), reply.headers.vary]).toEqual([404, 'route_not_found', 'accept'])
    expect((await ask('/stores', { accept: '*/*' })).status).toBe(200)
  })

  test.each(['/nowhere', '/gone', '/stores/', '/stores/a/b', '/index.html', '/pages.json', '/.vite/manifest.json'])(
    'is not at %s; a browser gets a page that says so, a program the envelope',
    async (path) => {
      const page = await ask(path)
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
      expect(page.body.toString()).toContain('There is no page here')
      const reply = await ask(path, { accept: '*/*' })
      expect([reply.status, errorCode(reply)]).toEqual([404, 'route_not_found'])
    },
  )

  test('takes no other method', async () => {
    const reply = await ask('/stores', {}, 'POST')
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

describe('the root', () => {
  test.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0', 'text/*'])(
    'leads to the reference for Accept: %s',
    async (accept) => {
      const reply = await ask('/', { accept: accept ?? '' })
      expect([reply.status, reply.headers.location, reply.headers.vary]).toEqual([302, '/docs', 'accept'])
    },
  )

  test.each(['text/html', 'TEXT/HTML;q=0.5, */*', 'application/json;q=0.9, text/html'])(
    'is the console for Accept: %s',
    async (accept) => {
      expect((await ask('/', { accept })).body.toString()).toBe(index)
    },
  )
})

describe('a file of the build', () => {
  const asset = '/assets/index-b2.js'

  test('is kept by browsers for a year', async () => {
    const reply = await ask(asset)
    expect(reply.body.toString()).toBe(script)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': String(script.length),
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    expect(reply.headers['content-encoding']).toBeUndefined()
  })

  test.each([
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['gzip', 'gzip, deflate', gunzipSync],
  ])('is sent as it was compressed by the build, here by %s', async (encoding, accepted, decompress) => {
    const reply = await ask(asset, { 'accept-encoding': accepted })
    expect(decompress(reply.body).toString()).toBe(script)
    expect(reply.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(reply.body.length),
      'content-type': 'application/javascript; charset=utf-8',
      vary: 'accept-encoding',
    })
  })

  test('is sent as it is when the build did not compress it', async () => {
    const reply = await ask('/assets/icon-c3.svg', { ...ofScripts, 'accept-encoding': 'br' })
    expect([reply.status, reply.headers['content-type'], reply.headers['content-encoding']]).toEqual([
      200,
      'image/svg+xml',
      undefined,
    ])
  })

  test('answers conditions and ranges', async () => {
    const { headers } = await ask(asset)
    expect((await ask(asset, { 'if-none-match': headers.etag! })).status).toBe(304)
    expect((await ask(asset, { 'if-modified-since': headers['last-modified']! })).status).toBe(304)
    const part = await ask(asset, { range: 'bytes=0-5' })
    expect([part.status, part.body.toString()]).toEqual([206, 'export'])
    expect(part.headers['content-range']).toBe(`bytes 0-5/${script.length}`)
    const beyond = await ask(asset, { range: 'bytes=999999-' })
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${script.length}`])
    expect((await ask(asset, { 'if-match': '"other"' })).status).toBe(412)
    const head = await ask(asset, {}, 'HEAD')
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, String(script.length)])
  })

  test('of an earlier build is served to pages that are still open', async () => {
    expect((await ask('/assets/index-a1.js')).body.toString()).toBe('export {}\n')
  })

  test('with a fixed name is checked for changes each time', async () => {
    const reply = await ask('/theme.js')
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-cache'])
    expect((await ask('/theme.js', { 'if-none-match': reply.headers.etag! })).status).toBe(304)
  })

  test.each([
    '/assets/unknown.js',
    '/assets/foreign.js',
    '/assets/index-b2.js.br',
    '/assets/',
    '/assets/..',
    '/assets/../secret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%2fetc%2fpasswd',
    '/assets/index-b2.js%00',
    '/assets/./index-b2.js',
    '/assets//index-b2.js',
    '/assets/__proto__',
    '/../secret.txt',
    '//secret.txt',
  ])('%s is a 404 in the envelope', async (path) => {
    const reply = await ask(path, ofScripts)
    expect([reply.status, errorCode(reply), reply.headers['cache-control']]).toEqual([
      404,
      'route_not_found',
      'no-store',
    ])
  })

  test('that was removed since the start is a 404 in the envelope', async () => {
    rmSync(join(folder, 'assets/icon-c3.svg'))
    const reply = await ask('/assets/icon-c3.svg', { ...ofScripts, 'accept-encoding': 'br' })
    expect([reply.status, errorCode(reply), reply.headers['cache-control']]).toEqual([
      404,
      'route_not_found',
      'no-store',
    ])
  })
})

describe('without a build', () => {
  test('the root tells people how to make one, and other pages do not exist', async () => {
    const { url } = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
    const root = await ask('/', {}, 'GET', url)
    expect([root.status, root.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
    expect(root.body.toString()).toContain('npm start')
    expect((await ask('/stores', {}, 'GET', url)).status).toBe(404)
    expect((await ask('/', { accept: '*/*' }, 'GET', url)).headers.location).toBe('/docs')
  })

  test('a folder that holds none is refused at the start', async () => {
    await expect(
      startTestApp({ now: '2026-11-10T12:00:00.000Z', environment: { CONSOLE_DIR: '/nowhere' } }),
    ).rejects.toThrow('CONSOLE_DIR must name a folder with a built console; /nowhere is none.')
  })
})
