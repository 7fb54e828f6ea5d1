import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { expect } from 'vitest'
import { createRequestLogger, type FinishedRequest } from '../../../../src/foundation/http/observe.ts'
import { errorReplies, refusalsIn } from '../../../../src/foundation/http/openapi/errors.ts'
import { type OpenApiDocument, successesOf } from '../../../../src/foundation/http/openapi/openapi.ts'
import { replyHeaders } from '../../../../src/foundation/http/openapi/reply-headers.ts'
import { refusalsOfBody, refusalsOfSchema } from '../../../../src/foundation/http/openapi/schema-refusals.ts'
import { type ApiRoutes, createHttpServer, type HttpServerOptions } from '../../../../src/foundation/http/server.ts'
import { ClosedObject } from '../../../../src/foundation/kernel/shapes.ts'
import { createLogger } from '../../../../src/foundation/runtime/logger.ts'
import { atEnd } from '../../../support/cleanup.ts'

export interface TestServer {
  app: FastifyInstance
  port: number
  url: string
  /** Log lines, oldest first. */
  log: Record<string, unknown>[]
  finished: FinishedRequest[]
}

/** A document of the routes under /api/v1. */
export const testDocument: OpenApiDocument = {
  decorator: 'swagger',
  basePath: '/api/v1',
  publicUrl: null,
  serverDescription: 'The server of this test.',
  info: {
    title: 'Test',
    version: '1.0.0',
    description: 'Routes of this test.',
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  tags: [{ name: 'test', description: 'Routes of this test.' }],
  security: { bearerKey: { type: 'http', scheme: 'bearer', bearerFormat: 'key', description: 'A key.' } },
  headers: replyHeaders,
  headersOf: (route, status) => ['X-Request-Id', ...(route.config?.sendsHeaders?.[status] ?? [])],
  completeSchema: (schema, route) => ({
    ...schema,
    response: {
      ...successesOf(schema.response),
      ...errorReplies(...refusalsOfSchema(route), ...refusalsOfBody(route), ...refusalsIn(schema.response)),
    },
  }),
}

/** Starts the HTTP server on a free port, with `addRoutes` under /api/v1; closed after the file's tests. */
export async function startTestServer(
  addRoutes: (api: ApiRoutes) => void = addEchoRoute,
  options: Partial<HttpServerOptions> = {},
): Promise<TestServer> {
  const log: TestServer['log'] = []
  const finished: FinishedRequest[] = []
  const logger = createLogger({
    level: 'debug',
    destination: { write: (line: string) => void log.push(JSON.parse(line)) },
  })
  const app = createHttpServer({
    observers: [createRequestLogger(logger), (each) => finished.push(each)],
    checkReadiness: async () => null,
    openapi: [testDocument],
    ...options,
  })
  app.register(async (api) => addRoutes(api), { prefix: '/api/v1' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  atEnd(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { app, port, url: `http://127.0.0.1:${port}`, log, finished }
}

const Anything = Type.Unknown()

/** Adds a path with a parameter, a concrete path next to it, and a route that returns its parsed body. */
export function addEchoRoute(api: ApiRoutes): void {
  api.get('/stores/:domain', { schema: { params: ClosedObject({ domain: Type.String() }) } }, (request) => ({
    domain: request.params.domain,
  }))
  api.post('/stores/search', { schema: { response: { 200: Anything } } }, (request) => ({ body: request.body ?? null }))
  api.get('/usage', () => ({ object: 'usage' }))
}

export interface RawReply {
  status: number
  headers: Headers
  body: string
}

/** Sends bytes on a new connection and reads until the server closes it, or `replies` have arrived. */
export function sendRaw(port: number, bytes: string | Buffer, replies = Number.POSITIVE_INFINITY): Promise<RawReply[]> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (parseReplies(received).length >= replies) socket.destroy()
    })
    // A reset may only follow a complete reply; a missing reply shows in the result.
    socket.on('error', () => {})
    socket.on('close', () => resolve(parseReplies(received)))
  })
}

function parseReplies(received: Buffer): RawReply[] {
  const replies: RawReply[] = []
  let rest = received
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd === -1) return replies
    const [statusLine = '', ...lines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n')
    const status = Number(statusLine.split(' ')[1])
    const headers = new Headers()
    for (const line of lines) headers.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
    // The reply to HEAD ends here, whatever its content-length is.
    const length = rest.length === headEnd + 4 ? 0 : Number(headers.get('content-length') ?? 0)
    const bodyEnd = headEnd + 4 + length
    if (rest.length < bodyEnd) return replies
    if (status >= 200) replies.push({ status, headers, body: rest.subarray(headEnd + 4, bodyEnd).toString() })
    rest = rest.subarray(bodyEnd)
  }
}

/** The log lines about a reply; they are written shortly after the reply. */
export async function logLinesOf(server: TestServer, reply: RawReply): Promise<Record<string, unknown>[]> {
  const id = reply.headers.get('x-request-id')
  const lines = () => server.log.filter((line) => line.request_id === id)
  await expect.poll(() => lines().length, { message: `lines about ${id}` }).toBeGreaterThan(0)
  return lines()
}

/** Expects what holds for every error reply; returns its `error`. */
export function expectEnvelope(
  reply: { status: number; headers: Headers; body: string },
  status: number,
  code: string,
): { code: string; message: string; param?: string } {
  const { error, ...rest } = JSON.parse(reply.body)
  expect({ status: reply.status, code: error.code, rest }).toEqual({ status, code, rest: {} })
  expect(error.request_id).toMatch(/^req_[A-Za-z0-9]{24}$/)
  expect(reply.headers.get('x-request-id')).toBe(error.request_id)
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(error.type).toMatch(/^[a-z_]+_error$/)
  expect(error.message).toMatch(/^\S.{5,}\.$/)
  return error
}

export async function call(url: string, init?: RequestInit): Promise<RawReply> {
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

export function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<RawReply> {
  return call(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
}
