import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { randomBase62 } from '../kernel/base62.ts'
import type { ApiError } from '../kernel/errors.ts'
import { describeCause } from '../runtime/logger.ts'

/** Who a request came from, as far as it is known; never a secret. */
export interface CallerLabels {
  account_id: string
  key_id: string
}

/** What is kept of a request while it runs. */
interface RequestRecord {
  /** The pattern of the route it reached. Never its URL: that can hold keys and other people's data. */
  route: string
  /** Why it was refused. */
  failure: ApiError | null
}

declare module 'fastify' {
  interface FastifyRequest {
    record: RequestRecord
  }
}

/** A request at its end: all that logs and metrics may know of it. */
export interface FinishedRequest {
  requestId: string
  method: string
  route: string
  status: number
  durationMs: number
  /** The connection broke before the reply was complete. */
  aborted: boolean
  caller: CallerLabels | null
  failure: ApiError | null
}

export type RequestObserver = (finished: FinishedRequest) => void

/** Route of requests that reached none. */
export const unmatchedRoute = '(none)'

/** Tells the observer of every request once its reply has gone out or its connection is lost. */
export function observeRequests(
  app: FastifyInstance,
  observe: RequestObserver,
  describeCaller: (request: FastifyRequest) => CallerLabels | null,
): void {
  app.decorateRequest('record', null as unknown as RequestRecord)
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now()
    request.record = { route: unmatchedRoute, failure: null }
    reply.raw.once('close', () => {
      observe({
        requestId: request.id,
        method: request.method,
        route: request.record.route,
        status: reply.raw.statusCode,
        durationMs: performance.now() - startedAt,
        aborted: !reply.raw.writableFinished,
        caller: describeCaller(request),
        failure: request.record.failure,
      })
    })
    done()
  })
}

// Asked every few seconds by machines; only their failures are news.
const quietRoutes = new Set(['/healthz', '/readyz'])

/**
 * One line per request. It names the route by its pattern and says nothing that came from the caller: URLs, headers and
 * bodies can hold keys and other people's data.
 */
export function createRequestLogger(log: Logger): RequestObserver {
  return (finished) => {
    const { requestId, method, route, status, durationMs, aborted, caller, failure } = finished
    log[levelOf(finished)](
      {
        request_id: requestId,
        method,
        route,
        status,
        duration_ms: Math.round(durationMs * 100) / 100,
        ...(aborted && { aborted }),
        ...caller,
        ...(failure && { code: failure.code }),
        ...(failure?.param && status === 429 && { limit: failure.param }),
        ...(status >= 500 && failure?.cause !== undefined && { cause: describeCause(failure.cause) }),
      },
      'request',
    )
  }
}

function levelOf({ route, status }: FinishedRequest): 'debug' | 'info' | 'warn' | 'error' {
  // A 503 is meant to pass; a 500 never is.
  if (status >= 500) return status === 503 ? 'warn' : 'error'
  return quietRoutes.has(route) ? 'debug' : 'info'
}

/** A fresh name for a request. A caller's own is never adopted: two callers could choose the same one. */
export function newRequestId(): string {
  return `req_${randomBase62(24)}`
}

const echoable = /^[\x20-\x7e]{1,128}$/

/** Names every reply, and gives a caller's short, printable `X-Request-Id` back beside our own. */
export function addRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const theirs = request.headers['x-request-id']
    if (typeof theirs === 'string' && echoable.test(theirs)) reply.header('x-client-request-id', theirs)
    done()
  })
}
