import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiError } from '../kernel/errors.ts'

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
export const noRoute = '(none)'

/** Tells the observer of every request once its reply has gone out or its connection is lost. */
export function observeRequests(
  app: FastifyInstance,
  observe: RequestObserver,
  describeCaller: (request: FastifyRequest) => CallerLabels | null,
): void {
  app.decorateRequest('record', null as unknown as RequestRecord)
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now()
    request.record = { route: noRoute, failure: null }
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
