import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { errorReplies } from '../../../src/foundation/http/openapi/openapi.ts'
import { errorTable } from '../../../src/foundation/kernel/errors.ts'
import { ClosedObject } from '../../../src/foundation/kernel/shapes.ts'
import { call, startTestServer } from './support/test-server.ts'

const server = await startTestServer(
  (api) => {
    api.get(
      '/things/:name',
      {
        schema: {
          operationId: 'getThing',
          tags: ['test'],
          params: ClosedObject({ name: Type.String({ maxLength: 10 }) }),
          response: { 200: ClosedObject({ size: Type.Integer({ minimum: 0 }) }), ...errorReplies(400, 401, 404) },
        },
      },
      () => ({ size: 1 }),
    )
    api.post(
      '/things',
      {
        schema: {
          operationId: 'makeThing',
          tags: ['test'],
          body: ClosedObject({ size: Type.Integer({ minimum: 1, maximum: 9 }) }),
          response: { 200: ClosedObject({ size: Type.Integer() }), ...errorReplies(401) },
        },
      },
      (request) => request.body,
    )
  },
  {
    openapi: {
      tags: [{ name: 'test', description: 'Things.' }],
      headersOf: (route) => (route.method === 'GET' ? ['X-Store-Exports-Remaining'] : []),
    },
  },
)
const url = `${server.url}/api/v1/openapi.json`
const document = JSON.parse((await call(url)).body)

describe('the published document', () => {
  test('is OpenAPI 3.1 of version 1.0.0, with paths below the server it names', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: '/api/v1' }],
      security: [{ bearerKey: [] }],
    })
    expect(Object.keys(document.paths)).toEqual(['/things/{name}', '/things'])
  })

  test('documents every error of an operation, its own and the common ones', () => {
    expect(Object.keys(document.paths['/things/{name}'].get.responses)).toEqual([
      '200',
      '400',
      '401',
      '404',
      '429',
      '500',
      '503',
    ])
    expect(Object.keys(document.paths['/things'].post.responses)).toEqual([
      '200',
      '401',
      '413',
      '415',
      '429',
      '500',
      '503',
    ])
  })

  test('has an example of each code that matches the error schema', () => {
    const { content, description } = document.paths['/things/{name}'].get.responses['404']
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' })
    // Codes sent before an operation and codes of specific operations are excluded, unless an operation names them.
    expect(Object.keys(content['application/json'].examples)).toEqual(['store_not_found', 'no_revealable_contacts'])
    const { examples } = document.paths['/things/{name}'].get.responses['401'].content['application/json']
    const codesOf401 = Object.entries(errorTable).filter(([, [status]]) => status === 401)
    expect(Object.keys(examples)).toEqual(codesOf401.map(([code]) => code))
    expect(description).toContain('store_not_found')
    const { error } = content['application/json'].examples.store_not_found.value
    expect(error).toMatchObject({ type: 'not_found_error', code: 'store_not_found' })
  })

  test('documents the headers of every reply', () => {
    const { responses } = document.paths['/things/{name}'].get
    expect(Object.keys(responses['200'].headers)).toContain('X-Store-Exports-Remaining')
    expect(Object.keys(responses['401'].headers)).toContain('WWW-Authenticate')
    expect(Object.keys(responses['429'].headers)).toContain('Retry-After')
    for (const reply of Object.values<{ headers: Record<string, { $ref: string }> }>(responses))
      for (const [name, { $ref }] of Object.entries(reply.headers)) {
        expect($ref).toBe(`#/components/headers/${name}`)
        expect(document.components.headers[name].description).toMatch(/\.$/)
      }
  })

  test('bounds every integer', () => {
    const { schema } = document.paths['/things'].post.requestBody.content['application/json']
    expect(schema.properties.size).toEqual({ type: 'integer', format: 'int32', minimum: 1, maximum: 9 })
  })

  test('needs no key, and is a 304 for a matching ETag', async () => {
    const reply = await call(url)
    const etag = reply.headers.get('etag')!
    expect(etag).toMatch(/^"[\w-]{27}(-gzip)?"$/)
    expect(await call(url, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304, body: '' })
    expect((await call(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })
})

test('the document of an installation with a public address names it', async () => {
  const openapi = { tags: [], publicUrl: 'https://storedex.example' }
  const elsewhere = await startTestServer(undefined, { openapi })
  const { body } = await call(`${elsewhere.url}/api/v1/openapi.json`)
  expect(JSON.parse(body).servers).toMatchObject([{ url: 'https://storedex.example/api/v1' }])
})
