import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { unknownKeyError } from '../auth/admit.ts'
import { refuseUnusableKey } from '../auth/caller.ts'
import { selectKeyByHash } from '../auth/key-queries.ts'
import { isLoopback } from '../kernel/domain.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Signer } from '../kernel/signer.ts'
import type { ApiCall } from './api-call.ts'
import { ToolCallCounter } from './call-counter.ts'
import { createToolServer } from './server.ts'

export interface ToolServices {
  signer: Signer
  publicUrl: string
  /** Called with an error that is a defect here. */
  onFailure: (error: unknown) => void
}

declare module 'fastify' {
  interface FastifyInstance {
    toolCalls: ToolCallCounter
  }
}

const path = '/mcp'
/** A client of 2025 may send several messages at once; each can be a call that costs something. */
const maxMessages = 10

/**
 * Serves the tools at `/mcp`, to clients of the revision 2026-07-28 and of 2025. Nothing is kept between requests. The
 * request itself needs a key and counts for nothing; the tools call the API's own routes with that key.
 */
export function registerToolRoutes(app: FastifyInstance, services: ToolServices): void {
  const toolCalls = new ToolCallCounter()
  app.decorate('toolCalls', toolCalls)
  const stateKey = services.signer.sign('mcp request state', 'key')
  app.post(
    path,
    { config: { needsKey: true }, preValidation: refuseOtherOrigins(services.publicUrl) },
    async (request, reply) => {
      await refuseUnusable(request)
      if (Array.isArray(request.body) && request.body.length > maxMessages)
        throw new ApiError('invalid_request', `Send at most ${maxMessages} messages at once.`)
      const { fetch: serve } = createMcpHandler(
        () =>
          createToolServer({
            api: callOwnRoutes(app, request),
            stateKey,
            asksLegacyClients: false,
            onToolCall: (tool, outcome) => toolCalls.record(tool, outcome),
            onFailure: services.onFailure,
          }),
        // The tools never change, so there is nothing to subscribe to.
        { maxSubscriptions: 0 },
      )
      const response = await serve(toWebRequest(request), { parsedBody: request.body })
      for (const [name, value] of response.headers) if (passedHeaders.has(name)) reply.header(name, value)
      return reply.code(response.status).send(await response.text())
    },
  )
}

const passedHeaders = new Set(['content-type', 'mcp-protocol-version', 'allow'])

/** The request for the library, which reads its headers; the body is parsed already. */
function toWebRequest({ headers }: FastifyRequest): Request {
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && /^(accept|content-type|mcp-.*)$/.test(name) ? [[name, value] as [string, string]] : [],
  )
  return new Request(`http://storedex.invalid${path}`, { method: 'POST', headers: passed })
}

/** Calls the routes of this app as the caller would: with the same key, from the same address. */
function callOwnRoutes(app: FastifyInstance, { headers, ip }: FastifyRequest): ApiCall {
  return async ({ method, path, body, idempotencyKey }) => {
    const response = await app.inject({
      method,
      url: `/api/v1${path}`,
      remoteAddress: ip,
      headers: {
        authorization: headers.authorization!,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { payload: body }),
    })
    const retryAfter = Number(response.headers['retry-after'])
    return {
      status: response.statusCode,
      body: response.json(),
      ...(retryAfter > 0 && { retryAfterSeconds: retryAfter }),
    }
  }
}

/** Refuses a key that was revoked, suspended or has expired; the app has refused unknown ones. */
async function refuseUnusable({ db, secretHash, now }: FastifyRequest): Promise<void> {
  const key = await selectKeyByHash(db, secretHash!)
  if (!key) throw unknownKeyError()
  refuseUnusableKey({ ...key, key_suspended_at: key.suspended_at }, now)
}

/**
 * Refuses pages of other sites, and names that were pointed to this machine: a browser may call only from the service's own
 * address, or from this machine to this machine.
 */
function refuseOtherOrigins(publicUrl: string) {
  const own = new URL(publicUrl).origin
  return async ({ headers, hostname }: FastifyRequest): Promise<void> => {
    const { origin } = headers
    const site = headers['sec-fetch-site']
    if (origin === undefined && (site === undefined || site === 'none')) return
    if (origin === own) return
    if (origin !== undefined && URL.canParse(origin) && isLoopback(new URL(origin).hostname) && isLoopback(hostname))
      return
    throw new ApiError('cross_site_request', 'This request came from another site.')
  }
}
