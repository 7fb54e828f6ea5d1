import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import qs from 'qs'
import type { Endpoint } from '../api/endpoint.ts'
import { expand } from '../api/expand.ts'
import { list, parseParams, text } from '../api/params.ts'
import { apiVersion } from '../presenters/events.ts'
import type { Standin } from '../standin.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { invalidRequest, StripeError } from '../state/errors.ts'
import { injectRequestFault, sendHalfReply } from '../state/faults.ts'
import { checkApiKey } from './access.ts'
import { requestFingerprint, runIdempotent } from './idempotency.ts'

/** Registers the endpoints below /v1 with Stripe's authentication, parameters, idempotency, expansion and errors. */
export function registerApiRoutes(app: FastifyInstance, standin: Standin, endpoints: readonly Endpoint[]): void {
  app.register(
    async (api) => {
      api.removeAllContentTypeParsers()
      api.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: 1_048_576 },
        (_request, body, done) => done(null, parseForm(String(body))),
      )
      api.addHook('onRequest', async (request, reply) => {
        reply.headers({
          'request-id': newId('req_', 14),
          'stripe-version': request.headers['stripe-version'] ?? apiVersion,
          'cache-control': 'no-cache, no-store',
        })
        // Before the body is parsed: unauthenticated clients must not be able to send one.
        checkApiKey(standin.secretKey, request.headers.authorization)
        await injectRequestFault(standin.faults, request, reply)
      })
      api.setNotFoundHandler(async (request) => {
        throw new StripeError(
          404,
          'invalid_request_error',
          `Unrecognized request URL (${request.method}: ${requestPath(request)}).`,
        )
      })
      for (const endpoint of endpoints) {
        api.route({
          method: endpoint.method,
          url: endpoint.path.slice('/v1'.length),
          handler: (request, reply) => handleRequest(standin, endpoint, request, reply),
        })
      }
    },
    { prefix: '/v1' },
  )
}

/** Sends an error in Stripe's envelope. Unknown errors become a 500 and are logged. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asStripeError(error)
  if (known !== error && known.status === 500) request.log.error(error)
  return reply.code(known.status).send(known.body())
}

function asStripeError(error: unknown): StripeError {
  if (error instanceof StripeError) return error
  const { statusCode = 500, message = '' } = error as { statusCode?: number; message?: string }
  if (statusCode < 500) return new StripeError(statusCode, 'invalid_request_error', message)
  return new StripeError(500, 'api_error', 'The stand-in had an internal error.')
}

async function handleRequest(
  standin: Standin,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { expand: paths = [], ...form } = requestParams(request)
  const params = parseParams(endpoint.params, form)
  const expansions = list(text, { max: 20 }).read(paths, 'expand')
  const ids = request.params as Record<string, string>
  const work = (ctx: RequestContext) => expand(ctx, endpoint.run(ctx, params as never, ids), expansions)
  const id = String(reply.getHeader('request-id'))
  const key = endpoint.method === 'GET' ? null : readIdempotencyKey(request)
  if (key !== null) reply.header('idempotency-key', key)
  const fingerprint = requestFingerprint(endpoint.method, requestPath(request), { ...form, expand: paths })
  const sent = await runIdempotent(standin, work, { id, idempotencyKey: key }, fingerprint)
  if (sent.replayOf !== undefined) reply.headers({ 'idempotent-replayed': 'true', 'original-request': sent.replayOf })
  reply.code(sent.status).type('application/json')
  if (standin.faults.consume('half_answer')) return sendHalfReply(reply, sent.body)
  return reply.send(sent.body)
}

/** Parameters are in the body or, for requests without one, in the query. */
function requestParams(request: FastifyRequest): Record<string, unknown> {
  const query = request.url.split('?')[1] ?? ''
  const body = request.body as Record<string, unknown> | undefined
  return { ...parseForm(query), ...body }
}

function requestPath(request: FastifyRequest): string {
  return request.url.split('?')[0]!
}

function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || key.length > 255)
    throw invalidRequest('Idempotency keys can be up to 255 characters long.')
  return key
}

/** Parses a form or query with brackets into nested hashes and lists of strings. */
function parseForm(encoded: string): Record<string, unknown> {
  return qs.parse(encoded, {
    // Parameters may be named `constructor` and the like, so objects must not inherit anything.
    plainObjects: true,
    arrayLimit: 200,
    depth: 10,
    parameterLimit: 2_000,
    throwOnLimitExceeded: false,
  })
}
