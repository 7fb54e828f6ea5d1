import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import { discardUnreadBodies, maxBodyBytes, registerJsonParser } from './bodies.ts'
import { BodyBudget } from './body-budget.ts'
import {
  type ConnectionTimeouts,
  defaultConnectionTimeouts,
  maxConnectionsFor,
  readOpenFileLimit,
} from './connection-limits.ts'
import { ConnectionManager } from './connections.ts'
import { drainBeforeClosing } from './drain.ts'
import { registerErrorHandler } from './errors.ts'
import { type ReadinessCheck, type ReadinessDetails, registerHealthRoutes } from './health.ts'
import { createNodeServer, maxHeaderBytes } from './node-server.ts'
import { addRequestIds, type CallerLabels, newRequestId, observeRequests, type RequestObserver } from './observe.ts'
import { registerDocsPage } from './openapi/docs.ts'
import { type OpenApiOptions, registerOpenApi } from './openapi/openapi.ts'
import { limitRequestsInFlight, type RequestLimitOptions } from './overload.ts'
import { setDefaultHeaders } from './replies.ts'
import { type RequestDatabaseOptions, registerRequestDatabase } from './request-database.ts'
import { rejectMalformedRequests, rejectUnknownRoutes, toDecodableTarget } from './routing.ts'
import { toValidationError, validationOptions } from './validation.ts'

/** The instance that routes are declared on: their types follow from their schemas. */
export type ApiRoutes = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface HttpServerOptions {
  /** Told of every request once it is over, in this order; see `createRequestLogger` and `createMetrics`. */
  observers: readonly RequestObserver[]
  checkReadiness: ReadinessCheck
  /** Told by `GET /readyz` beside the status. */
  readinessDetails?: ReadinessDetails
  openapi: OpenApiOptions
  /** What requests ask; left out, there is no database. */
  database?: RequestDatabaseOptions
  /** How much may be at work at once; left out, there is no bound. */
  overload?: RequestLimitOptions
  /** Addresses and networks of proxies whose `X-Forwarded-For` counts. */
  trustedProxies?: string[]
  /** Who a request came from, for the log. */
  describeCaller?: (request: FastifyRequest) => CallerLabels | null
  timeouts?: Partial<ConnectionTimeouts>
  /** How long closing waits for requests at work. */
  drainGraceMs?: number
  /** Connections open at once; left out, it follows from how many files the process may open. */
  maxConnections?: number
  /** Memory for bodies that are arriving. */
  maxBodyBytesInFlight?: number
}

declare module 'fastify' {
  interface FastifyInstance {
    connections: ConnectionManager
  }
}

const defaultDrainGraceMs = 10_000

/**
 * The HTTP edge without the API: whatever arrives gets the envelope, a request id and one log line. Routes are added
 * through `app.register`, in plugins. `app.close()` drains first.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const timeouts = { ...defaultConnectionTimeouts, ...options.timeouts }
  const observe: RequestObserver = (finished) => {
    for (const each of options.observers) each(finished)
  }
  const bodies = new BodyBudget(options.maxBodyBytesInFlight)
  const connections = new ConnectionManager(
    { max: options.maxConnections ?? maxConnectionsFor(readOpenFileLimit()), timeouts },
    bodies,
  )
  const app = fastify({
    // Fastify's own lines show URLs and headers. The one line a request needs is written by an observer.
    logger: false,
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    genReqId: newRequestId,
    serverFactory: (handle) => createNodeServer(handle, { timeouts, connections, observe }),
    // Listened to by `createNodeServer`, which also makes the second server that `localhost` can need.
    clientErrorHandler: () => {},
    rewriteUrl: (request) => toDecodableTarget(request.url ?? '/'),
    routerOptions: { maxParamLength: maxHeaderBytes },
    exposeHeadRoutes: false,
    bodyLimit: maxBodyBytes,
    ajv: validationOptions,
    schemaErrorFormatter: toValidationError,
    // Requests that come while the server closes are answered by the drain, with the envelope.
    return503OnClosing: false,
    // The drain closes connections, in its own order.
    forceCloseConnections: false,
  })
  app.decorate('connections', connections)

  observeRequests(app, observe, options.describeCaller ?? (() => null))
  addRequestIds(app)
  setDefaultHeaders(app)
  registerErrorHandler(app)
  rejectUnknownRoutes(app)
  drainBeforeClosing(app, { connections, bodies, graceMs: options.drainGraceMs ?? defaultDrainGraceMs })
  rejectMalformedRequests(app)
  registerJsonParser(app, bodies)
  discardUnreadBodies(app)
  if (options.database) registerRequestDatabase(app, options.database)
  if (options.overload) limitRequestsInFlight(app, options.overload)

  registerOpenApi(app, options.openapi)
  registerDocsPage(app)
  registerHealthRoutes(app, options.checkReadiness, options.readinessDetails)
  return app
}
