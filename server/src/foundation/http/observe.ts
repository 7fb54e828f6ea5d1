import { isInjected } from '@storedex/http-front'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { randomIdBase62 } from '../kernel/api-key.ts'
import type { Refusal } from '../kernel/errors.ts'
import { formatTime, systemClock } from '../kernel/time.ts'
import { describeCause, lineWriterOf } from '../runtime/logger.ts'

/** The public ids of the caller, if known; never a secret. */
export type CallerLabels = { account_id: string; key_id: string } | { account_id?: string; person_id: string }

/** Data about a running request, for logs and metrics. */
interface RequestRecord {
  /** The route's pattern. Never the URL, which can contain keys and personal data. */
  route: string
  /** The error it was answered with. */
  failure: Refusal | null
}

declare module 'fastify' {
  interface FastifyRequest {
    record: RequestRecord
  }
}

/** A finished request: everything that logs and metrics may know about it. */
export interface FinishedRequest {
  requestId: string
  method: string
  route: string
  status: number
  durationMs: number
  /** The connection broke before the reply was complete. */
  aborted: boolean
  caller: CallerLabels | null
  failure: Refusal | null
}

export type RequestObserver = (finished: FinishedRequest) => void

/** Route label of requests that matched none. */
export const unmatchedRoute = '(none)'

/** Calls the observer for every request when its reply was sent or its connection was lost. */
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
        aborted: !isInjected(request.raw) && !reply.raw.writableFinished,
        caller: describeCaller(request),
        failure: request.record.failure,
      })
    })
    done()
  })
}

// Polled every few seconds; only failures are worth a log line.
const probeRoutes = new Set(['/healthz', '/readyz'])

/**
 * Logs one line per request. It contains the route's pattern and nothing that came from the caller: URLs, headers and
 * bodies can contain keys and personal data.
 */
export function createRequestLogger(log: Logger): RequestObserver {
  const writeLine = lineWriterOf(log)
  return (finished) => {
    const { requestId, method, route, status, durationMs, aborted, caller, failure } = finished
    const level = levelOf(finished)
    if (!log.isLevelEnabled(level)) return
    const duration_ms = Math.round(durationMs * 100) / 100
    // Nearly every line; the logger would take ten times as long to make the same one.
    if (writeLine && status < 400 && !aborted && failure === null)
      return writeLine(
        `{"level":${levelNumbers[level]},"time":"${formatTime(systemClock.now())}","request_id":"${requestId}","method":"${method}","route":"${route}","status":${status},"duration_ms":${duration_ms}${labelsOf(caller)},"msg":"request"}\n`,
      )
    log[level](
      {
        request_id: requestId,
        method,
        route,
        status,
        duration_ms,
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

const levelNumbers = { debug: 20, info: 30, warn: 40, error: 50 } as const

/** Callers come again and again with the same labels. */
const labelTexts = new WeakMap<CallerLabels, string>()

/** The labels of a caller as further members of a JSON object. */
function labelsOf(caller: CallerLabels | null): string {
  if (caller === null) return ''
  const known = labelTexts.get(caller)
  if (known !== undefined) return known
  const text = `,${JSON.stringify(caller).slice(1, -1)}`
  labelTexts.set(caller, text)
  return text
}

function levelOf({ route, status, failure }: FinishedRequest): keyof typeof levelNumbers {
  // A 503 is temporary, unless the operator has to act; a 500 is a defect.
  if (status >= 500) return status === 503 && !failure?.needsOperator ? 'warn' : 'error'
  return probeRoutes.has(route) ? 'debug' : 'info'
}

/** A new request id. A caller's own id is never used: two callers could choose the same one. */
export function newRequestId(): string {
  return `req_${randomIdBase62(24)}`
}

const echoable = /^[\x20-\x7e]{1,128}$/

/**
 * Adds `X-Request-Id` to every reply, and returns a caller's short, printable `X-Request-Id` as `X-Client-Request-Id`.
 */
export function addRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const clientId = request.headers['x-request-id']
    if (typeof clientId === 'string' && echoable.test(clientId)) reply.header('x-client-request-id', clientId)
    done()
  })
}
