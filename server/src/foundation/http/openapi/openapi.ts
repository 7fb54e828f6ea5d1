import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { ErrorReply } from '../errors.ts'
import { etagMatches, etagOf } from '../replies.ts'
import { codesIn, errorSchemaId } from './errors.ts'
import { addExample, type InstalledIds, withInstalledIds } from './examples.ts'
import { nameSchemas } from './named-schemas.ts'
import type { ReplyHeader } from './reply-headers.ts'

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
  externalDocs?: { description: string; url: string }
  tags: readonly { name: string; 'x-displayName'?: string; description: string }[]
  /** The security schemes; an operation needs one of them. */
  security: Record<string, SecurityScheme>
  /** The reply headers that are described, by name. */
  headers: Record<string, HeaderDescription>
  /** The headers of a route's reply with this status, which is one of these codes or a success. */
  headersOf(route: RouteOptions, status: number, codes: ReadonlySet<string>): readonly string[]
  /** The ids that replace those of the examples; none when left out. */
  installedIds?: (() => Promise<InstalledIds>) | undefined
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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Headers that replies of the route have by status, beyond those that follow from the rest of its declaration. */
    sendsHeaders?: Readonly<Record<number, readonly ReplyHeader[]>>
  }
}

/** The replies of a route that are no errors. */
export function successesOf(response: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(response ?? {}).filter(([status]) => Number(status) < 400))
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
  const routes = new Map<string, RouteOptions>()
  app.register(swagger, {
    decorator: document.decorator as 'swagger',
    openapi: {
      openapi: '3.1.0',
      info,
      ...(document.externalDocs && { externalDocs: document.externalDocs }),
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
      if (schema?.operationId) routes.set(schema.operationId, route)
      return { schema: schema?.hide ? schema : document.completeSchema(schema ?? {}, route), url }
    },
    transformObject: (collected) => {
      if (!('openapiObject' in collected)) throw new Error('Only OpenAPI 3 is described')
      finishDocument(collected.openapiObject as unknown as CollectedDocument, document, routes)
      addExamples(collected.openapiObject as unknown as CollectedDocument, routes)
      return collected.openapiObject
    },
  })
  serveDocument(app, document)
}

function addExamples({ paths }: CollectedDocument, routes: ReadonlyMap<string, RouteOptions>): void {
  for (const path of Object.values(paths))
    for (const operation of Object.values(path)) addExample(operation, routes.get(operation.operationId) ?? {})
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
  document: OpenApiDocument,
  routes: ReadonlyMap<string, RouteOptions>,
): void {
  for (const path of Object.values(collected.paths))
    for (const operation of Object.values(path))
      for (const [status, reply] of Object.entries(operation.responses)) {
        if (status === '200') reply.description = 'Success.'
        const route = routes.get(operation.operationId)
        const names = route ? document.headersOf(route, Number(status), codesIn(status, reply)) : []
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

/** Rendered once: on the first request, when the installation has its ids. */
function serveDocument(app: FastifyInstance, { basePath, decorator, installedIds }: OpenApiDocument): void {
  let rendered: Promise<RenderedDocument> | undefined
  const render = async (): Promise<RenderedDocument> => {
    try {
      return renderDocument(app, decorator, (await installedIds?.()) ?? {})
    } catch (error) {
      rendered = undefined
      throw error
    }
  }
  app.get(
    `${basePath}/openapi.json`,
    { config: { compresses: 'once' }, schema: { hide: true } },
    async (request, reply) => {
      rendered ??= render()
      const { text, etag } = await rendered
      reply.headers({ etag, 'cache-control': 'no-cache' })
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(text)
    },
  )
}

interface RenderedDocument {
  text: string
  etag: string
}

function renderDocument(app: FastifyInstance, decorator: string, installed: InstalledIds): RenderedDocument {
  const text = withInstalledIds(JSON.stringify(app.getDecorator<() => object>(decorator)()), installed)
  return { text, etag: etagOf(text) }
}
