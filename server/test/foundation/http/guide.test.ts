import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { registerGuide } from '../../../src/foundation/http/docs/guide.ts'
import { renderMarkdown } from '../../../src/foundation/http/docs/markdown.ts'
import { findProjectDir } from '../../../src/operations/config.ts'
import { call, startTestServer } from './support/test-server.ts'

const projectDir = findProjectDir(import.meta.dirname)
const server = await startTestServer()
const pages = ['/docs/guide', '/docs/sandbox']

async function startGuide(folder: string) {
  const { app, url } = await startTestServer(
    (api) => void registerGuide(api, { projectDir: folder, publicUrl: 'https://storedex.example' }),
  )
  await app.ready()
  return url
}

test('the guide is the one in docs/, with the address of this installation in its examples', async () => {
  const url = await startGuide(projectDir)
  const { status, headers, body } = await call(`${url}/api/v1/docs/guide`)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
  expect(body).toContain('STOREDEX_URL=https://storedex.example')
  expect(body).not.toContain('127.0.0.1:8080')
  expect(body).not.toContain('<script')
  const source = readFileSync(join(projectDir, 'docs/api.md'), 'utf8').replace(/^```.*?^```/gms, '')
  const headings = [...source.matchAll(/^#+ (.+)$/gm)].map(([, text]) => text)
  expect([...body.matchAll(/<h[123] id="[^"]+">(?:<a [^>]+>)?([^<]+)/g)].map(([, text]) => text)).toEqual(headings)
})

test('every link of the documents leads somewhere', async () => {
  const url = await startGuide(projectDir)
  const bodies = new Map<string, string>()
  for (const path of pages) bodies.set(path, (await call(`${url}/api/v1${path}`)).body)
  let links = 0
  for (const [page, body] of bodies)
    for (const [, path, fragment] of body.matchAll(/href="([^"#]*)(?:#([^"]*))?"/g)) {
      if (path === 'data:,' || path === '/' || path === '/docs') continue
      links++
      const target = bodies.get(path || page)
      expect(target, `${path} on ${page}`).toBeDefined()
      if (fragment) expect(target, `#${fragment} on ${page}`).toContain(`id="${fragment}"`)
    }
  expect(links).toBeGreaterThan(40)
})

test('a document that cannot be read is an error, and is read again for the next request', async () => {
  const url = await startGuide('/nowhere')
  for (let attempt = 0; attempt < 2; attempt++) expect((await call(`${url}/api/v1/docs/guide`)).status).toBe(500)
  expect((await call(`${server.url}/docs/guide`)).status).toBe(404)
})

test('headings get the ids of GitHub, code and markup are text, and links without a target too', () => {
  const text = [
    '# A `title`',
    '## What a **change** of the plan does',
    '## Same',
    '## Same',
    'See [there](other.md#x), [here](#same-1) or [nowhere](gone.md), <b>not bold</b>.',
    '| a | b |',
    '| --- | --- |',
    '| `x<y` | "q" |',
  ]
  const { title, sections, body } = renderMarkdown(text.join('\n'), (target) =>
    target.startsWith('other.md') ? '/docs/other#x' : null,
  )
  expect(title).toBe('A title')
  expect(sections.map(({ id }) => id)).toEqual(['what-a-change-of-the-plan-does', 'same', 'same-1'])
  expect(body.text).toContain('<a href="/docs/other#x">there</a>, <a href="#same-1">here</a> or nowhere')
  expect(body.text).toContain('&#60;b&#62;not bold')
  expect(body.text).toContain('<code>x&lt;y</code>')
})
