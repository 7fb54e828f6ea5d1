import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { generateClientTypes } from '../../../../client/generate-types.mjs'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { atEnd } from '../../support/cleanup.ts'

const root = join(import.meta.dirname, '../../../..')
const documentPath = join(root, 'openapi/v1.json')

// The statuses promised for each operation.
const promisedStatuses: Record<string, number[]> = {
  'GET /usage': [200, 401, 403],
  'GET /billing/status': [200, 401, 403, 429],
  'POST /billing/subscription-link': [200, 400, 401, 403, 409, 429, 503],
  'POST /billing/portal-link': [200, 401, 403, 404, 429, 503],
  'GET /taxonomy': [200, 401, 403],
  'GET /stores/{domain}': [200, 400, 401, 403, 404],
  'GET /stores/{domain}/history': [200, 400, 401, 403, 404],
  'POST /stores/search': [200, 400, 401, 403],
  'POST /stores/enrich': [200, 400, 401, 403],
  'POST /contacts/search': [200, 400, 401, 403],
  'POST /contacts/reveal': [200, 400, 401, 402, 403, 404],
  'POST /lists': [201, 400, 401, 403, 409],
  'GET /lists': [200, 400, 401, 403],
  'GET /lists/{id}': [200, 400, 401, 403, 404],
  'PATCH /lists/{id}': [200, 400, 401, 403, 404, 409],
  'DELETE /lists/{id}': [200, 400, 401, 403, 404],
  'GET /lists/{id}/items': [200, 400, 401, 403, 404],
  'POST /lists/{id}/items': [200, 400, 401, 403, 404, 409],
  'POST /lists/{id}/items/remove': [200, 400, 401, 403, 404],
  'POST /exports': [201, 400, 401, 403, 404, 409],
  'GET /exports': [200, 400, 401, 403],
  'GET /exports/{id}': [200, 400, 401, 403, 404],
  'POST /exports/{id}/cancel': [200, 400, 401, 403, 404],
  'DELETE /exports/{id}': [200, 400, 401, 403, 404],
  'GET /exports/{id}/file': [200, 206, 400, 401, 403, 404, 409, 410, 416],
  'POST /stores/count': [200, 400, 401, 403],
  'POST /contacts/count': [200, 400, 401, 403],
  'POST /quotes': [200, 400, 401, 403, 409],
}

interface Operation {
  operationId: string
  summary: string
  security?: object[]
  responses: Record<string, { description: string; headers: object; content?: Record<string, { examples?: object }> }>
}

interface Schema {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

interface Content {
  content?: Record<string, { schema: Schema }>
}

interface Contents {
  requestBody?: Content
  responses: Record<string, Content>
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

  test('gives every object a name, so that clients get a type for each', () => {
    const { paths, components } = JSON.parse(text)
    const unnamed: string[] = []
    const visit = (node: unknown, path: string, isSchema: boolean): void => {
      if (typeof node !== 'object' || node === null) return
      if (isSchema && (node as { type?: unknown }).type === 'object') unnamed.push(path)
      for (const [key, value] of Object.entries(node)) visit(value, `${path}/${key}`, isSchema || key === 'schema')
    }
    visit(paths, 'paths', false)
    for (const [name, schema] of Object.entries<object>(components.schemas))
      for (const [key, value] of Object.entries(schema)) visit(value, `${name}/${key}`, true)
    expect(unnamed).toEqual([])
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['Store', 'ContactPreview', 'Error']))
  })

  // What a generator would have to invent a name for, or to spell out in the signature of a method.
  test('has no object without a name anywhere in the types of an operation', () => {
    const { paths, components } = JSON.parse(text)
    const schemas = components.schemas as Record<string, object>
    const anonymous = new Set<string>()
    const visit = (schema: Schema, path: string, seen: readonly string[]): void => {
      const name = schema.$ref?.replace('#/components/schemas/', '')
      if (name !== undefined) {
        expect(schemas, path).toHaveProperty(name)
        if (!seen.includes(name)) visit(schemas[name]!, name, [...seen, name])
        return
      }
      const isNamed = path in schemas
      if ((schema.properties || schema.type === 'object') && !isNamed) anonymous.add(path)
      const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = schema
      for (const [property, value] of Object.entries(properties)) visit(value, `${path}.${property}`, seen)
      const rest = [items, additionalProperties, ...anyOf, ...oneOf, ...allOf]
      for (const value of rest) if (typeof value === 'object') visit(value, `${path}[]`, seen)
    }
    for (const [path, methods] of Object.entries<Record<string, Contents>>(paths))
      for (const [method, { requestBody, responses }] of Object.entries(methods))
        for (const [where, { content = {} }] of Object.entries({ body: requestBody ?? {}, ...responses }))
          for (const { schema } of Object.values(content)) visit(schema, `${method} ${path} ${where}`, [])
    expect([...anonymous]).toEqual([])
  })

  test('shows each tag with a capital, under the name that generated clients use', async () => {
    const { tags } = JSON.parse(text)
    expect(tags.map((tag: Record<string, string>) => [tag.name, tag['x-displayName']])).toEqual([
      ['usage', 'Usage'],
      ['billing', 'Billing'],
      ['taxonomy', 'Taxonomy'],
      ['stores', 'Stores'],
      ['contacts', 'Contacts'],
      ['lists', 'Lists'],
      ['exports', 'Exports'],
      ['quotes', 'Quotes'],
    ])
  })

  test('is a 304 for a matching ETag, and needs no key', async () => {
    const first = await app.anon.get('/openapi.json')
    const again = await app.anon.get('/openapi.json', { 'if-none-match': first.headers.get('etag')! })
    expect(again.status).toBe(304)
  })
})

test("the client's types are those of the document; run this test with -u to write them", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-openapi-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const document = join(folder, 'v1.json')
  writeFileSync(document, text)
  await expect(await generateClientTypes(document)).toMatchFileSnapshot(join(root, 'client/src/generated/types.ts'))
})

test('the reference page needs no key and loads nothing from other hosts', async () => {
  const page = await fetch(`${app.url}/docs`)
  const html = await page.text()
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const sources = [...html.replace(/<link rel="canonical".*/, '').matchAll(/(?:src|href)="([^"]+)"/g)].map(
    (match) => match[1]!,
  )
  expect(sources.filter((source) => /^(https?:)?\/\//.test(source))).toEqual([])
  for (const source of sources.filter((each) => each.endsWith('.js')))
    expect((await fetch(`${app.url}${source}`)).status).toBe(200)
})
