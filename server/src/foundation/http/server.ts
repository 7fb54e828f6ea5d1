import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  BodyBudget,
  ConnectionManager,
  type ConnectionTimeouts,
  createNodeServer,
  discardUnreadBodies,
  drainBeforeClosing,
  limitRequestsInFlight,
  type RequestLimitOptions,
  readOpenFileLimit,
} from '@storedex/http-front'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import type { TSchema } from 'typebox'
import { ClosedObject } from '../kernel/shapes.ts'
import { maxBodyBytes, registerJsonParser } from './bodies.ts'
import { compilersFactory } from './compiled-schemas.ts'
import { compressReplies } from './compression/compression.ts'
import { registerErrorHandler } from './errors.ts'
import {
  answerFaults,
  bodyErrors,
  defaultBodyBytesInFlight,
  defaultConnectionTimeouts,
  maxConnectionsFor,
  maxHeaderBytes,
  OverloadError,
  shuttingDownError,
} from './front.ts'
import { type ReadinessCheck, type ReadinessDetails, registerHealthRoutes } from './health.ts'
import { addRequestIds, type CallerLabels, newRequestId, observeRequests, type RequestObserver } from './observe.ts'
import { addErrorSchema, type OpenApiDocument, registerOpenApi } from './openapi/openapi.ts'
import { setDefaultHeaders } from './replies.ts'
import { type RequestDatabaseOptions, registerRequestDatabase } from './request-database.ts'
import { rejectMalformedRequests, rejectUnknownRoutes, toDecodableTarget } from './routing.ts'
import { refuseUnknownQueries, toValidationError, validationOptions } from './validation.ts'

/** The Fastify instance for declaring routes; handler types follow from the schemas. */
export type ApiRoutes = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface HttpServerOptions {
  /** Called in this order for every finished request; see `createRequestLogger` and `createMetrics`. */
  observers: readonly RequestObserver[]
  checkReadiness: ReadinessCheck
  /** Further fields in the reply of `GET /readyz`. */
  readinessDetails?: ReadinessDetails
  /** The documents of its routes. */
  openapi?: readonly OpenApiDocument[]
  /** What an account can do about an error, for the documents: the shape of `error.billing`. */
  errorAction?: TSchema
  /** The database of requests; none when left out. */
  database?: RequestDatabaseOptions
  /** Limit on requests in flight; none when left out. */
  overload?: RequestLimitOptions
  /** Addresses and networks of proxies whose `X-Forwarded-For` counts. */
  trustedProxies?: string[]
  /** The request's caller, for the log. */
  describeCaller?: (request: FastifyRequest) => CallerLabels | null
  timeouts?: Partial<ConnectionTimeouts>
  /** How long closing waits for running requests. */
  drainGraceMs?: number
  /** Called when closing begins, for work that is no request. */
  onDrain?: () => void
  /** Maximum number of connections; by default derived from the limit on open files. */
  maxConnections?: number
  /** Memory limit for incomplete request bodies. */
  maxBodyBytesInFlight?: number
}

declare module 'fastify' {
  interface FastifyInstance {
    connections: ConnectionManager
  }
}

const defaultDrainGraceMs = 10_000
/** A connection is closed by the client or by its idle timeout before. */
const handOverMarginMs = 5_000

/**
 * Creates the HTTP server without the API: every reply has the error envelope or a body, a request id and one log line.
 * Routes are added in plugins with `app.register`. `app.close()` drains first.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const timeouts = { ...defaultConnectionTimeouts, ...options.timeouts }
  const observe: RequestObserver = (finished) => {
    for (const each of options.observers) each(finished)
  }
  const bodies = new BodyBudget(options.maxBodyBytesInFlight ?? defaultBodyBytesInFlight, bodyErrors)
  const connections = new ConnectionManager(
    { max: options.maxConnections ?? maxConnectionsFor(readOpenFileLimit()), timeouts },
    bodies,
  )
  const answer = answerFaults(timeouts, observe)
  const app = fastify({
    // Fastify's own log lines contain URLs and headers. An observer writes the one line per request.
    logger: false,
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    genReqId: newRequestId,
    serverFactory: (handle) => createNodeServer(handle, { timeouts, connections, maxHeaderBytes, answer }),
    // `createNodeServer` handles these, also for the second server that `localhost` can need.
    clientErrorHandler: () => {},
    rewriteUrl: (request) => toDecodableTarget(request.url ?? '/'),
    routerOptions: { maxParamLength: maxHeaderBytes },
    exposeHeadRoutes: false,
    bodyLimit: maxBodyBytes,
    ajv: validationOptions,
    // Its declaration describes other functions than Fastify calls.
    schemaController: { compilersFactory: compilersFactory as object },
    schemaErrorFormatter: toValidationError,
    // The drain answers requests that arrive during shutdown, with the envelope.
    return503OnClosing: false,
    // The drain closes connections itself.
    forceCloseConnections: false,
  })
  app.decorate('connections', connections)

  observeRequests(app, observe, options.describeCaller ?? (() => null))
  addRequestIds(app)
  setDefaultHeaders(app)
  compressReplies(app)
  registerErrorHandler(app)
  rejectUnknownRoutes(app)
  drainBeforeClosing(app, {
    connections,
    bodies,
    graceMs: options.drainGraceMs ?? defaultDrainGraceMs,
    handOverMs: timeouts.keepAliveMs + handOverMarginMs,
    onDrain: options.onDrain ?? (() => {}),
    createError: shuttingDownError,
  })
  rejectMalformedRequests(app)
  refuseUnknownQueries(app)
  registerJsonParser(app, bodies)
  discardUnreadBodies(app)
  if (options.database) registerRequestDatabase(app, options.database)
  if (options.overload) limitRequestsInFlight(app, options.overload, () => new OverloadError())

  addErrorSchema(app, options.errorAction ?? ClosedObject({}))
  for (const document of options.openapi ?? []) registerOpenApi(app, document)
  registerHealthRoutes(app, options.checkReadiness, options.readinessDetails)
  return app
}
