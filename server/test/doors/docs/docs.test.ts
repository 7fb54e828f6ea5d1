import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publicDocument } from '../../../src/doors/api/openapi-document.ts'
import { registerDocs } from '../../../src/doors/docs/routes.ts'
import { createHttpServer } from '../../../src/foundation/http/server.ts'
import { findProjectDir } from '../../../src/operations/config.ts'
import { call, expectEnvelope } from '../../foundation/http/support/test-server.ts'
import { atEnd } from '../../support/cleanup.ts'

const projectDir = findProjectDir(import.meta.dirname)
const publicUrl = 'https://storedex.example'

async function startDocs(folder: string) {
  const app = createHttpServer({
    observers: [],
    checkReadiness: async () => null,
    openapi: [publicDocument(publicUrl)],
  })
  registerDocs(app, { projectDir: folder, publicUrl })
  app.register(async (api) => {
    const schema = {
      operationId: 'weighThings',
      tags: ['things'],
      summary: 'Weigh **things**',
      description: 'In `grams`.',
    }
    api.post('/api/v1/things/weigh', { schema }, () => ({}))
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  atEnd(() => app.close())
  return url
}

const url = await startDocs(projectDir)
const get = (path: string, headers: Record<string, string> = {}) => call(url + path, { headers })
const linksOf = (body: string) => [...body.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!)
const pages = linksOf((await get('/docs/guide')).body.replace(/^.*<footer>/s, ''))
  .filter((href) => href.startsWith('/docs/') && !href.endsWith('.md'))
  .filter((href, at, all) => all.indexOf(href) === at)

describe('the site', () => {
  test('names its pages for customers in the bar of every page, those for operators only below', async () => {
    expect(pages).toEqual(
      expect.arrayContaining(['/docs/guide', '/docs/clients', '/docs/privacy', '/docs/status-codes']),
    )
    for (const path of ['/docs', ...pages, '/docs/search']) {
      const { body } = await get(path)
      const bar = /<nav class="bar".*?<\/nav>/s.exec(body)![0]
      const labels = [...bar.matchAll(/>([^<>]+)<\/a>/g)].map(([, label]) => label)
      expect(labels, path).toEqual([
        ...['Reference', 'Tutorial', 'Guide', 'Clients', 'Sandbox', 'Exports', 'Changelog', 'Console', 'Search'],
      ])
    }
  })

  test('leads from where the reference and its document are looked for to where they are', async () => {
    for (const [path, target] of Object.entries({ '/docs/': '/docs', '/openapi.json': '/api/v1/openapi.json' }))
      expect((await fetch(url + path, { redirect: 'manual' })).headers.get('location')).toBe(target)
  })

  test('has no link that leads nowhere, and no heading that is missed', async () => {
    const bodies = new Map<string, string>()
    for (const path of ['/docs', ...pages, '/docs/search']) bodies.set(path, (await get(path)).body)
    for (const [page, body] of bodies)
      for (const href of linksOf(body)) {
        if (href === 'data:,' || href === '/' || /^https:/.test(href)) continue
        const [path = '', fragment] = href.split('#')
        const known = bodies.get(path || page)
        const reply = known === undefined ? await get(path) : { status: 200, body: known }
        expect(reply.status, `${href} on ${page}`).toBe(200)
        bodies.set(path || page, reply.body)
        if (fragment) expect(reply.body, `${href} on ${page}`).toContain(`id="${fragment}"`)
      }
  }, 20_000)

  test.each(pages)('%s has one main heading, a title, a description and its address', async (path) => {
    const { status, headers, body } = await get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-.*; script-src 'self'$/,
    )
    expect(body.match(/<h1 /g)).toHaveLength(1)
    expect(body).toMatch(/<title>[^<]+ · Storedex<\/title>\s*<meta name="description" content="[^"]+\." \/>/)
    expect(body).toContain(`<link rel="canonical" href="${publicUrl}${path}" />`)
    expect(body).not.toMatch(/127\.0\.0\.1:8080|<script(?! src="\/docs\/page\.js" defer><)/)
  })

  test('shows every heading of the guide, and the address of this installation in its examples', async () => {
    const { body } = await get('/docs/guide')
    expect(body).toContain(`STOREDEX_URL=${publicUrl}`)
    const source = readFileSync(join(projectDir, 'docs/api.md'), 'utf8').replace(/^```.*?^```/gms, '')
    const headings = [...source.matchAll(/^#+ (.+)$/gm)].map(([, text]) => text!.replaceAll('`', ''))
    const shown = [...body.matchAll(/<h([1-6]) id="[^"]+">(.*?)<\/h\1>/g)].map(([, , text]) =>
      text!.replace(/<[^>]+>/g, ''),
    )
    expect(shown).toEqual(headings)
  })

  test('shows of the changelog what concerns the API', async () => {
    const { body } = await get('/docs/changelog')
    expect(body).toContain('>API</a></h3>')
    expect(body).not.toContain('>Added</a></h3>')
  })

  test('is an empty 304 for a reader who has the page, in each of its forms', async () => {
    for (const path of ['/docs', '/docs/guide', '/docs/guide.md', '/llms.txt', '/docs/page.js', '/docs/start.js']) {
      const etag = (await get(path)).headers.get('etag')!
      expect(etag, path).toMatch(/^"[\w-]{27}(-gzip)?"$/)
      expect(await get(path, { 'if-none-match': etag }), path).toMatchObject({ status: 304, body: '' })
    }
    const page = (await get('/docs/guide')).headers.get('etag')!
    expect((await get('/docs/guide', { accept: 'text/markdown', 'if-none-match': page })).status).toBe(200)
  })

  test('has nothing else, and leaves out documents that are not there', async () => {
    for (const path of ['/docs/api.md', '/docs/constructor', '/docs/openapi.json', '/docs/..%2fpackage.json'])
      expectEnvelope(await get(path), 404, 'route_not_found')
    const empty = await startDocs('/nowhere')
    expect((await call(`${empty}/docs/guide`)).status).toBe(404)
    expect((await call(`${empty}/docs`)).body).not.toContain('/docs/guide')
    expect((await call(`${empty}/llms.txt`)).status).toBe(200)
  })
})

describe('Markdown', () => {
  test('of the reference is the list of pages', async () => {
    expect((await get('/docs', { accept: 'text/markdown' })).body).toBe((await get('/llms.txt')).body)
  })

  test('is sent to those who prefer it, and at an address of its own', async () => {
    const own = await get('/docs/guide.md')
    expect(own.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(own.body).toMatch(/^# The API/)
    const preferred = await get('/docs/guide', { accept: 'text/markdown, text/html;q=0.5' })
    expect(preferred.body).toBe(own.body)
    expect(preferred.headers.get('vary')).toContain('accept')
    for (const accept of ['*/*', 'text/html, text/markdown;q=0.9', 'text/markdown;q=0'])
      expect((await get('/docs/guide', { accept })).body, accept).toMatch(/^<!doctype html>/)
  })

  test.each(pages)('of %s has absolute links only', async (path) => {
    const { body } = await get(`${path}.md`)
    const prose = body.replace(/^ *```.*?^ *```/gms, '').replace(/`[^`\n]*`/g, '')
    for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) expect(target).toMatch(/^https:\/\//)
    expect(body).not.toContain('127.0.0.1:8080')
  })

  test('is listed for assistants, with the OpenAPI document', async () => {
    const { headers, body } = await get('/llms.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(body).toMatch(/^# Storedex API\n\n> /)
    const listed = [...body.matchAll(/\]\(https:\/\/storedex\.example([^)]*)\): \S.*\.$/gm)].map(([, path]) => path!)
    expect(listed).toEqual(expect.arrayContaining(['/api/v1/openapi.json', ...pages.map((path) => `${path}.md`)]))
    for (const path of listed) expect((await get(path)).status, path).toBe(200)
    expect((await get('/docs/llms.txt')).body).toBe(body)
  })
})

describe('the search', () => {
  const search = async (q: string) => {
    const { body } = await get(`/docs/search?q=${encodeURIComponent(q)}`)
    return {
      body,
      results: [...body.matchAll(/<h2><a href="([^"]+)">(.*?)<\/a><\/h2>/g)].map(([, href, text]) => ({
        href: href!,
        text: text!,
      })),
    }
  }

  test('finds what contains all words, headings first, with the words marked', async () => {
    const { results } = await search('Retrying reveal')
    expect(results[0]).toEqual({
      href: '/docs/guide#retrying-a-reveal',
      text: '<mark>Retrying</mark> a <mark>reveal</mark>',
    })
    for (const { href } of results.filter(({ href: each }) => !each.startsWith('/docs#')))
      expect((await get(href)).body).toContain(`id="${href.split('#')[1]}"`)
  })

  test('finds operations by name, path and words, without marks of Markdown', async () => {
    for (const q of ['weighThings', '/things/weigh', 'grams']) {
      const { body, results } = await search(q)
      expect(results[0]?.href, q).toBe('/docs#tag/things/POST/things/weigh')
      expect(body.replace(/^.*<main>/s, ''), q).not.toMatch(/\*\*|`/)
    }
  })

  test('says when nothing is found, and shows an empty form without a query', async () => {
    expect((await search('xyzzy')).body).toContain('Nothing contains all of these words.')
    const { body } = await get('/docs/search')
    expect(body).toContain('<form class="search"')
    expect(body).not.toContain('role="status"')
  })

  test('shows the query as text, and refuses a long one', async () => {
    expect((await search('"><script>x')).body).not.toContain('<script>x')
    expect((await get(`/docs/search?q=${'a'.repeat(101)}`)).status).toBe(400)
    expect((await search('İ'.repeat(100))).results).toEqual([])
    for (const q of ['?!', ' ', '.*', '()']) expect((await search(q)).results, q).toEqual([])
  })
})

describe('the reference', () => {
  test('runs only our own scripts, and loads nothing from other hosts', async () => {
    const page = await get('/docs')
    expect(page.body).toContain('<title>Storedex API reference</title>')
    expect(page.body).toContain('<a href="/docs" aria-current="page">Reference</a>')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none';script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(policy).not.toMatch(/unsafe-eval|https?:/)
    const scripts = [...page.body.matchAll(/<script([^>]*)>([^<]*)/g)]
    expect(scripts.map(([, attributes, inline]) => [attributes, inline])).toEqual([
      [' src="/docs/scalar.js"', ''],
      [' src="/docs/start.js"', ''],
    ])
    for (const path of ['/docs/scalar.js', '/docs/start.js']) {
      const script = await get(path)
      expect(script.status).toBe(200)
      expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    }
  })
})
