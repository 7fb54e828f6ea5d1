import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { errorReplies } from '../../../src/foundation/http/openapi/errors.ts'
import { ClosedObject } from '../../../src/foundation/kernel/shapes.ts'
import { call, startTestServer, testDocument } from './support/test-server.ts'

const server = await startTestServer((api) => {
  api.get(
    '/things/:name',
    {
      config: { sendsHeaders: { 200: ['ETag'], 404: ['Retry-After'] } },
      schema: {
        operationId: 'getThing',
        tags: ['test'],
        params: ClosedObject({ name: Type.String({ maxLength: 10, errorCode: 'invalid_domain' }) }),
        response: { 200: ClosedObject({ size: Type.Integer({ minimum: 0 }) }), ...errorReplies('store_not_found') },
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
        body: ClosedObject({
          size: Type.Integer({ minimum: 1, maximum: 9 }),
          names: Type.Optional(Type.Array(Type.String({ maxLength: 9, errorCode: 'invalid_domain' }))),
        }),
        response: {
          200: ClosedObject({ size: Type.Integer() }),
          ...errorReplies({ code: 'list_not_found', param: 'list' }, { code: 'list_not_found', param: 'id' }),
        },
      },
    },
    (request) => request.body,
  )
})
const url = `${server.url}/api/v1/openapi.json`
const document = JSON.parse((await call(url)).body)
const examplesOf = (path: string, method: string, status: number) =>
  document.paths[path][method].responses[status].content['application/json'].examples

describe('a collected document', () => {
  test('is OpenAPI 3.1 of version 1.0.0, with paths below the server it names', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: '/api/v1' }],
      security: [{ bearerKey: [] }],
    })
    expect(Object.keys(document.paths)).toEqual(['/things/{name}', '/things'])
  })

  test('has the errors that the schema of an operation leads to, beside those that the operation names', () => {
    const { responses } = document.paths['/things'].post
    expect(Object.keys(responses)).toEqual(['200', '400', '404', '413', '415'])
    const shown = Object.values<{ value: { error: object } }>(examplesOf('/things', 'post', 400))
    expect(shown.map(({ value }) => value.error)).toMatchObject([
      { code: 'missing_parameter', param: 'size', message: 'size is required.' },
      { code: 'invalid_request', param: 'size', message: 'size must be a whole number from 1 to 9.' },
      { code: 'invalid_domain', param: 'names[0]' },
      { code: 'unknown_parameter', param: 'nams' },
      { code: 'invalid_json' },
    ])
  })

  test('has an example of each code that matches the error schema, and of each parameter that is named', () => {
    const { content, description } = document.paths['/things/{name}'].get.responses['404']
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' })
    expect(description).toContain('store_not_found')
    const { error } = content['application/json'].examples.store_not_found.value
    expect(error).toMatchObject({ type: 'not_found_error', code: 'store_not_found', param: 'domain' })
    expect(Object.keys(examplesOf('/things', 'post', 404))).toEqual(['list_not_found', 'list_not_found.id'])
    expect(examplesOf('/things/{name}', 'get', 400).invalid_domain.value.error.param).toBe('name')
  })

  test('has the headers of each reply that its declaration names', () => {
    const { responses } = document.paths['/things/{name}'].get
    expect(Object.keys(responses['200'].headers)).toEqual(['X-Request-Id', 'ETag'])
    expect(Object.keys(responses['404'].headers)).toEqual(['X-Request-Id', 'Retry-After'])
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
  const openapi = { ...testDocument, publicUrl: 'https://storedex.example' }
  const elsewhere = await startTestServer(undefined, { openapi: [openapi] })
  const { body } = await call(`${elsewhere.url}/api/v1/openapi.json`)
  expect(JSON.parse(body).servers).toMatchObject([{ url: 'https://storedex.example/api/v1' }])
})
