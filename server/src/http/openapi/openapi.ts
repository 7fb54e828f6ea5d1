import { createHash } from 'node:crypto'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { ErrorReply } from '../errors.ts'
import { etagMatches } from '../replies.ts'
import { errorReplies, errorSchemaId } from './errors.ts'

export { errorReplies } from './errors.ts'

export interface OpenApiOptions {
  tags: { name: string; description: string }[]
  /** Headers of a route's successful reply, beyond those of every reply. */
  headersOf?: (route: RouteOptions) => readonly ReplyHeader[]
}

const basePath = '/api/v1'
const documentPath = `${basePath}/openapi.json`

const info = {
  title: 'Storedex API',
  version: '1.0.0',
  description:
    'Store and contact intelligence for e-commerce. Every request needs an API key as a bearer token; every reply carries a request id. Searches and lookups answer from the catalogue alone.',
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
}

const server = { url: basePath, description: 'This installation, be it local or in production.', 'x-internal': false }

const bearerKey = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'Storedex API key',
  description:
    'An API key, `sdx_live_…` or `sdx_test_…`, as a bearer token (RFC 6750). It is opaque, not a JWT (RFC 8725).',
} as const

/** Collects the OpenAPI document from the routes and serves it. Routes must be added in plugins to be included. */
export function registerOpenApi(app: FastifyInstance, { tags, headersOf }: OpenApiOptions): void {
  app.addSchema({ ...ErrorReply, $id: errorSchemaId })
  const ownHeaders = new Map<string, readonly ReplyHeader[]>()
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: [server],
      tags,
      security: [{ bearerKey: [] }],
      components: { securitySchemes: { bearerKey }, headers: replyHeaders },
    },
    // OpenAPI 3.1 supports `const`.
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (schema, _base, _fragment, i) => String(schema.$id ?? `def-${i}`) },
    transform: ({ schema, url, route }) => {
      if (schema?.operationId && headersOf) ownHeaders.set(schema.operationId, headersOf(route))
      // The routes of pages and of the console are no part of the API.
      if (!url.startsWith(`${basePath}/`)) return { schema: { ...schema, hide: true }, url }
      return { schema: withCommonReplies(schema), url }
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('Only OpenAPI 3 is described')
      finishDocument(document.openapiObject as unknown as OpenApiDocument, ownHeaders)
      return document.openapiObject
    },
  })
  serveDocument(app)
}

/** Adds the error replies that every operation can have. */
function withCommonReplies(schema: FastifySchema): FastifySchema {
  if (!schema || schema.hide) return schema
  const common = schema.body ? errorReplies(413, 415, 429, 500, 503) : errorReplies(429, 500, 503)
  return { ...schema, response: { ...common, ...(schema.response as object) } }
}

interface Reply {
  description: string
  headers?: Record<string, { $ref: string }>
}
interface Operation {
  operationId: string
  responses: Record<string, Reply>
}
/** The part of the finished document that is modified. */
interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>
}

function finishDocument(document: OpenApiDocument, ownHeaders: Map<string, readonly ReplyHeader[]>): void {
  for (const path of Object.values(document.paths))
    for (const operation of Object.values(path))
      for (const [status, reply] of Object.entries(operation.responses)) {
        if (status === '200') reply.description = 'Success.'
        const own = status === '200' ? (ownHeaders.get(operation.operationId) ?? []) : []
        const names = [...headersOfStatus(Number(status)), ...own]
        reply.headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
      }
  boundIntegers(document)
}

/** Adds bounds to every integer: all of them are exact in JSON. */
function boundIntegers(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  for (const child of Object.values(node)) boundIntegers(child)
  const schema = node as { type?: unknown; format?: string; minimum?: number; maximum?: number }
  if (schema.type !== 'integer') return
  schema.minimum ??= Number.MIN_SAFE_INTEGER
  schema.maximum ??= Number.MAX_SAFE_INTEGER
  schema.format ??= schema.maximum < 2 ** 31 ? 'int32' : 'int64'
}

function serveDocument(app: FastifyInstance): void {
  let document: { text: string; etag: string } | undefined
  app.get(documentPath, { schema: { hide: true } }, (request, reply) => {
    document ??= renderDocument(app)
    reply.headers({ etag: document.etag, 'cache-control': 'no-cache' })
    if (etagMatches(request.headers['if-none-match'], document.etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(document.text)
  })
}

function renderDocument(app: FastifyInstance): { text: string; etag: string } {
  const text = JSON.stringify(app.swagger())
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` }
}

const count = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' as const, format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  example,
})

const text = (description: string, example: string, pattern: string, maxLength = 255) => ({
  description,
  schema: { type: 'string' as const, pattern, maxLength },
  example,
})

/** The reply headers of the API, for the document's components. */
const replyHeaders = {
  'X-Request-Id': text('Names the reply.', 'req_8fK2mXo3QpLr7TzV1aBcD4Ef', '^req_[A-Za-z0-9]{20,}$'),
  'RateLimit-Policy': text(
    'The limits in force: q requests in w seconds. On replies to an accepted key.',
    '"requests_per_minute";q=60;w=60, "requests_per_day";q=5000;w=86400',
    '^[ -~]*$',
  ),
  RateLimit: text(
    'What is left of each limit (r), and the seconds until it is whole again (t). On replies to an accepted key.',
    '"requests_per_minute";r=42;t=31, "requests_per_day";r=4211;t=39601',
    '^[ -~]*$',
  ),
  'X-RateLimit-Limit': count('Requests of the limit with the smaller share left.', 60),
  'X-RateLimit-Remaining': count('Requests left of that limit.', 42),
  'X-RateLimit-Reset': count('When that limit is whole again, in seconds since 1970.', 1_793_491_200),
  'Retry-After': count('Seconds until a retry can succeed.', 23),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer', '^Bearer$', 6),
  'X-Search-Rows-Remaining': count('Search rows left in the period.', 24_975),
  'X-Store-Exports-Remaining': count('Store exports left in the period.', 4_975),
  'X-Contact-Credits-Remaining': count('Contact credits left in the period. Not on a replayed reply.', 999),
  'Idempotent-Replayed': text('On a reply that was stored for an earlier request with this key.', 'true', '^true$', 4),
} as const

export type ReplyHeader = keyof typeof replyHeaders

const limitHeaders: readonly ReplyHeader[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

/** The headers of any reply with this status. */
function headersOfStatus(status: number): ReplyHeader[] {
  const names: ReplyHeader[] = ['X-Request-Id']
  if (status < 500) names.push(...limitHeaders)
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 409 || status === 429 || status === 503) names.push('Retry-After')
  return names
}
