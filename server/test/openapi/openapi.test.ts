import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'

const root = join(import.meta.dirname, '../../..')
const documentPath = join(root, 'openapi/v1.json')

// The statuses promised for each operation.
const promisedStatuses: Record<string, number[]> = {
  'GET /usage': [200, 401, 403],
  'GET /billing/status': [200, 401, 403, 429],
  'POST /billing/subscription-link': [200, 400, 401, 403, 409, 429, 503],
  'POST /billing/portal-link': [200, 401, 403, 404, 429, 503],
  'GET /taxonomy': [200, 401, 403],
  'GET /stores/{domain}': [200, 400, 401, 403, 404],
  'POST /stores/search': [200, 400, 401, 403],
  'POST /stores/enrich': [200, 400, 401, 403],
  'POST /contacts/search': [200, 400, 401, 403],
  'POST /contacts/reveal': [200, 400, 401, 402, 403, 404],
}

interface Operation {
  operationId: string
  summary: string
  security?: object[]
  responses: Record<string, { description: string; headers: object; content?: Record<string, { examples?: object }> }>
}

let app: TestApp
let operations: Map<string, Operation>
let text: string
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const { status, body } = await app.anon.get('/openapi.json')
  expect(status).toBe(200)
  text = `${JSON.stringify(body, null, 2)}\n`
  operations = new Map(
    Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  )
})

describe('the OpenAPI document', () => {
  test('is the committed one; run this test with -u to accept a change', async () => {
    await expect(text).toMatchFileSnapshot(documentPath)
  })

  test('has its fingerprint in the changelog', () => {
    const fingerprint = createHash('sha256').update(text).digest('hex').slice(0, 12)
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`contract ${fingerprint}`)
  })

  test('documents every promised operation with every promised status, and an example of each error', () => {
    expect([...operations.keys()].sort()).toEqual(Object.keys(promisedStatuses).sort())
    for (const [name, operation] of operations) {
      const documented = Object.keys(operation.responses).map(Number)
      expect(documented, name).toEqual(expect.arrayContaining([...promisedStatuses[name]!, 429, 500, 503]))
      for (const [status, reply] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        expect(Object.keys(reply.content?.['application/json']?.examples ?? {}), `${name} ${status}`).not.toEqual([])
      }
    }
  })

  test('is a 304 for a matching ETag, and needs no key', async () => {
    const first = await app.anon.get('/openapi.json')
    const again = await app.anon.get('/openapi.json', { 'if-none-match': first.headers.get('etag')! })
    expect(again.status).toBe(304)
  })
})

test('the reference page needs no key and loads nothing from other hosts', async () => {
  const page = await fetch(`${app.url}/docs`)
  const html = await page.text()
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
  expect(sources.filter((source) => /^(https?:)?\/\//.test(source))).toEqual([])
  for (const source of sources.filter((each) => each.endsWith('.js')))
    expect((await fetch(`${app.url}${source}`)).status).toBe(200)
})
