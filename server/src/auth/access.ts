import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Meter, PlanFile } from '../accounts/plans.ts'
import { readBody } from '../http/bodies.ts'
import { pauseConnectionAfterReply } from '../http/limits/overload.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Clock, formatDay } from '../kernel/time.ts'
import { admit, unknownKeyError } from './admit.ts'
import type { CallerContext, KeyCaller, Scope } from './caller.ts'
import { type FailedKeyCounter, type KeyDirectory, type KeyUsageRecorder, readBearerKeyHash } from './key-directory.ts'
import { uncountRequest } from './queries.ts'
import { type BillingLimit, rateHeaders } from './rate-limits.ts'

/** Who may call a route and what a call spends; part of the route's declaration. */
interface RouteAccess {
  scope: Scope
  /** The scope that a body, of any shape, calls for instead. */
  scopeOfBody?: (body: unknown) => Scope | undefined
  spends?: readonly Meter[]
  /** Marks a billing call: it has its own hourly limit and works without API access. */
  billingLimit?: BillingLimit
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on every route that requires a key; a route without it is public. */
    access?: RouteAccess
    /** A key is required, but a call is neither counted nor limited, and the route itself checks the rest. */
    needsKey?: boolean
  }
  interface FastifyRequest {
    /** The time of the request, the same everywhere. */
    now: Date
    caller: KeyCaller | null
    /** The hash of the request's key, once it was read. */
    secretHash: Buffer | null
  }
}

interface KeyOptions {
  directory: KeyDirectory
  failedKeys: FailedKeyCounter
}

/**
 * Reads the request's key and returns its account as a holder name; null for a route without keys. A missing, malformed or
 * unknown key is rejected with 401, and its connection is slowed down after many failures from its address.
 */
export function identifyCaller({ directory, failedKeys }: KeyOptions) {
  const holderOf = (accountId: number | null) => {
    if (accountId === null) throw unknownKeyError()
    return `account ${accountId}`
  }
  return (request: FastifyRequest, reply: FastifyReply): string | null | Promise<string | null> => {
    const { access, needsKey } = request.routeOptions.config
    if (!access && !needsKey) return null
    const slowDown = (error: unknown): never => {
      const pauseMs = error instanceof ApiError && error.status === 401 ? failedKeys.recordFailure(request.ip) : 0
      if (pauseMs > 0) pauseConnectionAfterReply(reply, pauseMs)
      throw error
    }
    try {
      request.secretHash = readBearerKeyHash(request.headers.authorization)
      const accountId = directory.accountOf(request.secretHash)
      return typeof accountId === 'number' ? holderOf(accountId) : accountId.then(holderOf).catch(slowDown)
    } catch (error) {
      return slowDown(error)
    }
  }
}

interface AccessOptions {
  clock: Clock
  plans: PlanFile
  publicUrl: string
  keyUse: KeyUsageRecorder
}

/**
 * Checks key, limits and scope, in this order, for every route with an access declaration, after its body was parsed.
 */
export function requireAccess(app: FastifyInstance, options: AccessOptions): void {
  app.decorateRequest('now', null as unknown as Date)
  app.decorateRequest('caller', null)
  app.decorateRequest('secretHash', null)

  app.addHook('onRequest', (request, _reply, done) => {
    request.now = options.clock.now()
    done()
  })

  app.addHook('preValidation', async (request) => {
    const { access } = request.routeOptions.config
    if (!access) return
    const { caller, error } = await admit(
      { db: request.db, now: request.now, plans: options.plans, publicUrl: options.publicUrl },
      {
        secretHash: request.secretHash!,
        scope: access.scopeOfBody?.(readBody(request)) ?? access.scope,
        readSearchRows: access.spends?.includes('search_rows') ?? false,
        ...(access.billingLimit && { billingLimit: access.billingLimit }),
      },
    )
    request.caller = caller
    if (error) throw error
    countedRequests.add(request)
    options.keyUse.record(caller.key.id, request.now)
  })

  // A request rejected by a quota before its work is done does not count towards the minute and the day. The exports
  // quota is checked after the search and reveals whether anything matches, so that request counts.
  app.addHook('onError', async (request, _reply, error) => {
    const { caller } = request
    if (!caller || !countedRequests.has(request)) return
    if (!(error instanceof ApiError) || error.code !== 'rate_limit_exceeded') return
    if (exportsQuotas.has(error.param)) return
    const { requests_per_minute: minute, requests_per_day: day } = caller.rate
    if (!minute || !day) return
    await uncountRequest(request.db, {
      accountId: caller.accountId,
      mode: caller.mode,
      minuteStartedAt: minute.startedAt,
      day: formatDay(day.startedAt),
    })
    minute.used -= 1
    day.used -= 1
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.caller) reply.headers(rateHeaders(request.caller.rate, request.now))
    done(null, payload)
  })
}

const countedRequests = new WeakSet<FastifyRequest>()
const exportsQuotas: ReadonlySet<string | undefined> = new Set(['store_exports', 'key_budget.store_exports'])

/** The context of an authenticated request. */
export function callerContext(request: FastifyRequest): CallerContext & { caller: KeyCaller } {
  if (!request.caller) throw new Error(`${request.routeOptions.url} has no access declaration`)
  return { db: request.db, now: request.now, requestId: request.id, caller: request.caller }
}
