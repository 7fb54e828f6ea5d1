import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopback } from '../../foundation/kernel/domain.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { Signer } from '../../foundation/kernel/signer.ts'
import type { ApiCall } from './api-call.ts'
import { tidyMessage } from './arguments.ts'
import { ToolCallCounter } from './call-counter.ts'
import { createExchanges } from './exchange.ts'
import { callsTool, createToolServer } from './server.ts'

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
 * Serves the tools at `/mcp`, to clients of the revision 2026-07-28 and of 2025. Nothing is kept between requests. A message
 * counts to the minute of the account; a call of a tool counts as the requests of the API that it makes with the same key.
 */
export function registerToolRoutes(app: FastifyInstance, services: ToolServices): void {
  const toolCalls = new ToolCallCounter()
  app.decorate('toolCalls', toolCalls)
  const stateKey = services.signer.sign('mcp request state', 'key')
  const serve = createExchanges((request: FastifyRequest) =>
    createToolServer({
      api: callOwnRoutes(app, request),
      stateKey,
      asksLegacyClients: false,
      onToolCall: (tool, outcome) => toolCalls.record(tool, outcome),
      onFailure: services.onFailure,
      admitCall: () => app.admitMessages(request, 1),
    }),
  )
  app.post(
    path,
    { config: { countsMessages: countMessages }, onRequest: refuseOtherOrigins(services.publicUrl) },
    async (request, reply) => {
      const { headers, body } = request
      const sent = Array.isArray(body) ? body.map(tidyMessage) : tidyMessage(body)
      const answer = await serve({ headers, body: sent }, request)
      for (const [name, value] of answer.headers) reply.header(name, value)
      return reply.code(answer.status).send(answer.body)
    },
  )
}

/** The messages that count by themselves: all but the calls of tools, which the API counts. */
function countMessages(body: unknown): number {
  const messages = Array.isArray(body) ? body : [body]
  if (messages.length > maxMessages)
    throw new Refusal('invalid_request', `Send at most ${maxMessages} messages at once.`)
  return messages.filter((message) => !callsTool(message)).length
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
    const searchEnd = response.headers['x-search-end']
    return {
      status: response.statusCode,
      body: response.json(),
      ...(retryAfter > 0 && { retryAfterSeconds: retryAfter }),
      ...(typeof searchEnd === 'string' && { searchEnd }),
    }
  }
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
    throw new Refusal('cross_site_request', 'This request came from another site.')
  }
}
