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
import { dropUnreadBodies, maxBodyBytes, readJsonBodies } from './bodies.ts'
import { BodyBudget } from './body-budget.ts'
import { defaultTimeouts, maxConnectionsFor, readOpenFileLimit, type Timeouts } from './connection-limits.ts'
import { Connections } from './connections.ts'
import { drainBeforeClosing } from './drain.ts'
import { sendErrorsEnveloped } from './errors.ts'
import { type ReadinessCheck, type ReadyDetails, serveHealth } from './health.ts'
import { createNodeServer, maxHeaderBytes } from './node-server.ts'
import { type CallerLabels, nameReplies, newRequestId, observeRequests, type RequestObserver } from './observe.ts'
import { serveDocs } from './openapi/docs.ts'
import { describeApi, type OpenApiOptions } from './openapi/openapi.ts'
import { type OverloadOptions, shedOverload } from './overload.ts'
import { setDefaultHeaders } from './replies.ts'
import { lendDatabase, type RequestDatabaseOptions } from './request-database.ts'
import { decodableTarget, refuseOddRequests, refuseUnknownRoutes } from './routing.ts'
import { refusalOfValidation, validationOptions } from './validation.ts'

/** The instance that routes are declared on: their types follow from their schemas. */
export type ApiRoutes = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface HttpServerOptions {
  /** Told of every request once it is over, in this order; see `logRequests` and `createMetrics`. */
  observers: readonly RequestObserver[]
  checkReadiness: ReadinessCheck
  /** Told by `GET /readyz` beside the status. */
  tellReadyDetails?: ReadyDetails
  openapi: OpenApiOptions
  /** What requests ask; left out, there is no database. */
  database?: RequestDatabaseOptions
  /** How much may be at work at once; left out, there is no bound. */
  overload?: OverloadOptions
  /** Addresses and networks of proxies whose `X-Forwarded-For` counts. */
  trustedProxies?: string[]
  /** Who a request came from, for the log. */
  describeCaller?: (request: FastifyRequest) => CallerLabels | null
  timeouts?: Partial<Timeouts>
  /** How long closing waits for requests at work. */
  drainGraceMs?: number
  /** Connections open at once; left out, it follows from how many files the process may open. */
  maxConnections?: number
  /** Memory for bodies that are arriving. */
  maxBodyBytesInFlight?: number
}

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections
  }
}

const defaultDrainGraceMs = 10_000

/**
 * The HTTP edge without the API: whatever arrives gets the envelope, a request id and one log line. Routes are added
 * through `app.register`, in plugins. `app.close()` drains first.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const observe: RequestObserver = (finished) => {
    for (const each of options.observers) each(finished)
  }
  const bodies = new BodyBudget(options.maxBodyBytesInFlight)
  const connections = new Connections(
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
    rewriteUrl: (request) => decodableTarget(request.url ?? '/'),
    routerOptions: { maxParamLength: maxHeaderBytes },
    exposeHeadRoutes: false,
    bodyLimit: maxBodyBytes,
    ajv: validationOptions,
    schemaErrorFormatter: refusalOfValidation,
    // Requests that come while the server closes are answered by the drain, with the envelope.
    return503OnClosing: false,
    // The drain closes connections, in its own order.
    forceCloseConnections: false,
  })
  app.decorate('connections', connections)

  observeRequests(app, observe, options.describeCaller ?? (() => null))
  nameReplies(app)
  setDefaultHeaders(app)
  sendErrorsEnveloped(app)
  refuseUnknownRoutes(app)
  drainBeforeClosing(app, { connections, bodies, graceMs: options.drainGraceMs ?? defaultDrainGraceMs })
  refuseOddRequests(app)
  readJsonBodies(app, bodies)
  dropUnreadBodies(app)
  if (options.database) lendDatabase(app, options.database)
  if (options.overload) shedOverload(app, options.overload)

  describeApi(app, options.openapi)
  serveDocs(app)
  serveHealth(app, options.checkReadiness, options.tellReadyDetails)
  return app
}
