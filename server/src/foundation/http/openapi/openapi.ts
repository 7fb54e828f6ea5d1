import { createHash } from 'node:crypto'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { ErrorReply } from '../errors.ts'
import { etagMatches } from '../replies.ts'
import { errorSchemaId } from './errors.ts'
import { nameSchemas } from './named-schemas.ts'

export { errorReplies } from './errors.ts'

/** An OpenAPI document: all routes below a base path that are not hidden. */
export interface OpenApiDocument {
  /** The name under which the collected document is found on the app. */
  decorator: string
  basePath: string
  /** The address in front of the base path; null leaves it relative to where the document is served. */
  publicUrl: string | null
  serverDescription: string
  info: {
    title: string
    version: string
    description: string
    license: { name: string; identifier: string }
    contact?: { name: string; url?: string }
  }
  tags: readonly { name: string; 'x-displayName'?: string; description: string }[]
  /** The security schemes; an operation needs one of them. */
  security: Record<string, SecurityScheme>
  /** The reply headers that are described, by name. */
  headers: Record<string, HeaderDescription>
  /** The headers of any reply with this status. */
  headersOfStatus(status: number): readonly string[]
  /** Headers of a route's successful reply, beyond those of every reply. */
  headersOfSuccess(route: RouteOptions): readonly string[]
  /** Adds what follows from a route's declaration, such as the errors that any route can answer with. */
  completeSchema(schema: FastifySchema, route: RouteOptions): FastifySchema
}

type SecurityScheme =
  | { type: 'http'; scheme: string; bearerFormat: string; description: string }
  | { type: 'apiKey'; in: 'cookie'; name: string; description: string }

interface HeaderDescription {
  description: string
  schema: object
  example: unknown
}

/** Whether the body of a route asks for pages, such as those of a search. */
export function takesCursor({ schema }: RouteOptions): boolean {
  const body = schema?.body as { properties?: object } | undefined
  return 'cursor' in (body?.properties ?? {})
}

/** Adds the schemas that the documents' routes refer to. `Action` is what an account can do about an error. */
export function addErrorSchema(app: FastifyInstance, Action: TSchema): void {
  app.addSchema({ ...ErrorReply(Action), $id: errorSchemaId })
}

/** Collects an OpenAPI document from the routes and serves it. Routes must be added in plugins to be included. */
export function registerOpenApi(app: FastifyInstance, document: OpenApiDocument): void {
  const { basePath, publicUrl, info, serverDescription, tags, security, headers } = document
  const server = { url: (publicUrl ?? '') + basePath, description: serverDescription, 'x-internal': false }
  const headersOfSuccess = new Map<string, readonly string[]>()
  app.register(swagger, {
    decorator: document.decorator as 'swagger',
    openapi: {
      openapi: '3.1.0',
      info,
      servers: [server],
      tags: [...tags],
      security: Object.keys(security).map((name) => ({ [name]: [] })),
      components: { securitySchemes: security, headers },
    },
    // OpenAPI 3.1 supports `const`.
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (schema, _base, _fragment, i) => String(schema.$id ?? `def-${i}`) },
    transform: ({ schema, url, route }) => {
      if (!url.startsWith(`${basePath}/`)) return { schema: { hide: true }, url }
      if (schema?.operationId) headersOfSuccess.set(schema.operationId, document.headersOfSuccess(route))
      return { schema: schema?.hide ? schema : document.completeSchema(schema ?? {}, route), url }
    },
    transformObject: (collected) => {
      if (!('openapiObject' in collected)) throw new Error('Only OpenAPI 3 is described')
      finishDocument(
        collected.openapiObject as unknown as CollectedDocument,
        document.headersOfStatus,
        headersOfSuccess,
      )
      return collected.openapiObject
    },
  })
  serveDocument(app, document)
}

interface CollectedReply {
  description: string
  headers?: Record<string, { $ref: string }>
}
interface Operation {
  operationId: string
  requestBody?: unknown
  responses: Record<string, CollectedReply>
}
/** The part of the finished document that is modified. */
interface CollectedDocument {
  paths: Record<string, Record<string, Operation>>
}

function finishDocument(
  collected: CollectedDocument,
  headersOfStatus: OpenApiDocument['headersOfStatus'],
  headersOfSuccess: Map<string, readonly string[]>,
): void {
  for (const path of Object.values(collected.paths))
    for (const operation of Object.values(path))
      for (const [status, reply] of Object.entries(operation.responses)) {
        if (status === '200') reply.description = 'Success.'
        const own = status === '200' ? (headersOfSuccess.get(operation.operationId) ?? []) : []
        const names = [...headersOfStatus(Number(status)), ...own]
        reply.headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
      }
  boundIntegers(collected)
  for (const path of Object.values(collected.paths))
    for (const operation of Object.values(path)) putDefaultsIntoWords(operation.requestBody)
  nameSchemas(collected)
}

/**
 * Says the defaults of request bodies in the descriptions instead: generators make a member with a default a required one
 * (`defaultNonNullable` of openapi-typescript).
 */
function putDefaultsIntoWords(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  const { properties } = node as { properties?: Record<string, { default?: unknown; description?: string }> }
  for (const member of Object.values(properties ?? {})) {
    const { default: value } = member
    delete member.default
    if (value === undefined || value === null) continue
    const words = Array.isArray(value) ? value.join(', ') : String(value)
    member.description = [member.description, `By default ${words}.`].filter((each) => each !== undefined).join(' ')
  }
  for (const child of Object.values(node)) putDefaultsIntoWords(child)
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

function serveDocument(app: FastifyInstance, { basePath, decorator }: OpenApiDocument): void {
  let rendered: { text: string; etag: string } | undefined
  app.get(`${basePath}/openapi.json`, { config: { compresses: 'once' }, schema: { hide: true } }, (request, reply) => {
    rendered ??= renderDocument(app, decorator)
    reply.headers({ etag: rendered.etag, 'cache-control': 'no-cache' })
    if (etagMatches(request.headers['if-none-match'], rendered.etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(rendered.text)
  })
}

function renderDocument(app: FastifyInstance, decorator: string): { text: string; etag: string } {
  const text = JSON.stringify(app.getDecorator<() => object>(decorator)())
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` }
}
