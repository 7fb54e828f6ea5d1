import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Meter, PlanFile } from '../accounts/plans.ts'
import { readBody } from '../http/bodies.ts'
import { pauseConnectionAfterReply } from '../http/limits/overload.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Clock, formatDay } from '../kernel/time.ts'
import { admit, unknownKeyError } from './admit.ts'
import type { CallerContext, KeyCaller, PendingAdmission, Scope } from './caller.ts'
import { DeferredAdmission } from './deferred-admission.ts'
import {
  type FailedKeyCounter,
  type KeyDirectory,
  type KeyUsageRecorder,
  nameOfHash,
  readBearerKeyHash,
} from './key-directory.ts'
import { uncountRequest } from './queries.ts'
import { type BillingLimit, rateHeaders } from './rate-limits.ts'
import type { KeyStandings } from './standings.ts'

/** Who may call a route and what a call spends; part of the route's declaration. */
interface RouteAccess {
  scope: Scope
  /** The scope that a body, of any shape, calls for instead. */
  scopeOfBody?: (body: unknown) => Scope | undefined
  spends?: readonly Meter[]
  /**
   * The statement that charges a call also admits it. The handler must write nothing, and ask nobody else, before
   * `deliverAndCharge` or `admission.settle()`.
   */
  admitsWithCharge?: boolean
  /** Marks a billing call: it has its own hourly limit and works without API access. */
  billingLimit?: BillingLimit
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on every route that requires a key; a route without it is public. */
    access?: RouteAccess
    /**
     * A key is required, of any scope. Returns how many messages of a body count to the minute; none of them count to the day.
     * The route calls the API for the others, which is admitted by itself.
     */
    countsMessages?: (body: unknown) => number
  }
  interface FastifyInstance {
    /** Counts messages of a request to the minute of its account. Throws the refusal. */
    admitMessages: (request: FastifyRequest, messages: number) => Promise<void>
  }
  interface FastifyRequest {
    /** The time of the request, the same everywhere. */
    now: Date
    caller: KeyCaller | null
    /** Of a request that is admitted with its charge; null for others. */
    admission: PendingAdmission | null
    /** The hash of the request's key, once it was read. */
    secretHash: Buffer | null
    /** The account of the key, once it was found. */
    keyAccountId: number | null
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
  const holderOf = (request: FastifyRequest, accountId: number | null) => {
    if (accountId === null) throw unknownKeyError()
    request.keyAccountId = accountId
    return `account ${accountId}`
  }
  return (request: FastifyRequest, reply: FastifyReply): string | null | Promise<string | null> => {
    const { access, countsMessages } = request.routeOptions.config
    if (!access && !countsMessages) return null
    const slowDown = (error: unknown): never => {
      const pauseMs = error instanceof ApiError && error.status === 401 ? failedKeys.recordFailure(request.ip) : 0
      if (pauseMs > 0) pauseConnectionAfterReply(reply, pauseMs)
      throw error
    }
    try {
      request.secretHash = readBearerKeyHash(request.headers.authorization)
      const accountId = directory.accountOf(request.secretHash)
      return typeof accountId === 'number'
        ? holderOf(request, accountId)
        : accountId.then((found) => holderOf(request, found)).catch(slowDown)
    } catch (error) {
      return slowDown(error)
    }
  }
}

interface AccessOptions {
  clock: Clock
  plans: PlanFile
  billingPageOf(accountId: number): string
  keyUse: KeyUsageRecorder
  standings: KeyStandings
}

/**
 * Checks key, limits and scope, in this order, for every route with an access declaration, after its body was parsed.
 */
export function requireAccess(app: FastifyInstance, options: AccessOptions): void {
  app.decorateRequest('now', null as unknown as Date)
  app.decorateRequest('caller', null)
  app.decorateRequest('admission', null)
  app.decorateRequest('secretHash', null)
  app.decorateRequest('keyAccountId', null)

  app.addHook('onRequest', (request, _reply, done) => {
    request.now = options.clock.now()
    done()
  })

  const onCounted = (request: FastifyRequest, caller: KeyCaller) => {
    countedRequests.add(request)
    options.keyUse.record(caller.key.id, request.now)
  }
  const admitAlone = async (request: FastifyRequest) => {
    const access = request.routeOptions.config.access!
    // A key that is refused as such leaves no caller.
    const assumed = request.caller
    request.caller = null
    const { caller, error, row } = await admit(
      { db: request.db, now: request.now, plans: options.plans, billingPageOf: options.billingPageOf },
      {
        secretHash: request.secretHash!,
        accountId: request.keyAccountId!,
        scope: access.scopeOfBody?.(readBody(request)) ?? access.scope,
        readSearchRows: access.spends?.includes('search_rows') ?? false,
        ...(access.billingLimit && { billingLimit: access.billingLimit }),
      },
    )
    // The handler may hold the caller that was assumed.
    request.caller = assumed ? Object.assign(assumed, caller) : caller
    options.standings.remember(nameOfHash(request.secretHash!), row)
    if (error) throw error
    onCounted(request, caller)
  }
  const steps = { standings: options.standings, admitAlone, onCounted }
  const admitMessages = async (request: FastifyRequest, messages: number) => {
    const { secretHash, keyAccountId, db, now } = request
    const { caller, error } = await admit(
      { db, now, plans: options.plans, billingPageOf: options.billingPageOf },
      { secretHash: secretHash!, accountId: keyAccountId!, scope: null, readSearchRows: false, messages },
    )
    request.caller = caller
    if (error) throw error
    if (messages > 0) options.keyUse.record(caller.key.id, now)
  }
  app.decorate('admitMessages', admitMessages)

  app.addHook('preValidation', (request, _reply, done) => {
    const { access, countsMessages } = request.routeOptions.config
    if (countsMessages) {
      const admitBody = async () => admitMessages(request, countsMessages(readBody(request)))
      admitBody().then(() => done(), done)
      return
    }
    if (!access) return done()
    const known = access.admitsWithCharge ? options.standings.find(nameOfHash(request.secretHash!)) : undefined
    const caller = known?.callerAt(request.now, options.plans, access.scope)
    if (known && caller) {
      request.caller = caller
      request.admission = new DeferredAdmission(request, caller, known, steps)
      return done()
    }
    admitAlone(request).then(() => done(), done)
  })

  // A request that fails before its charge is admitted now: whether it may call at all comes before what is wrong with it.
  app.addHook('onError', async (request) => {
    try {
      if (request.admission?.isPending) await request.admission.settle()
    } catch (refusal) {
      request.errorInstead = refusal
    }
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

  // The safety net for a handler that answers without a charge.
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (!request.admission?.isPending) return done(null, payload)
    request.admission.settle().then(() => done(null, payload), done)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.caller?.rate.requests_per_minute || request.caller?.rate.billing_status)
      reply.headers(rateHeaders(request.caller.rate, request.now))
    done(null, payload)
  })
}

const countedRequests = new WeakSet<FastifyRequest>()
const exportsQuotas: ReadonlySet<string | undefined> = new Set(['store_exports', 'key_budget.store_exports'])

/** The context of an authenticated request. */
export function callerContext(request: FastifyRequest): CallerContext & { caller: KeyCaller } {
  if (!request.caller) throw new Error(`${request.routeOptions.url} has no access declaration`)
  const { db, now, id: requestId, caller, admission } = request
  return { db, now, requestId, caller, admission }
}
