import { pauseConnectionAfterReply } from '@storedex/http-front'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Lane } from '../../foundation/db/pool.ts'
import { readBody } from '../../foundation/http/bodies.ts'
import { statusOf } from '../../foundation/http/errors.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { type Clock, formatDay } from '../../foundation/kernel/time.ts'
import type { PlanFile } from '../accounts/plans.ts'
import { type Access, scopeNeededBy } from '../auth/access.ts'
import { keyActor } from '../auth/actor.ts'
import type { CallerContext, KeyCaller } from '../auth/caller.ts'
import { type FailedKeyCounter, type KeyDirectory, type KeyUsageRecorder, nameOfHash } from '../auth/key-directory.ts'
import { readBearerKeyHash, unknownKeyError } from '../auth/key-refusals.ts'
import { rateHeaders } from '../auth/rate-limits.ts'
import { isMemberContext } from '../auth/signed-in.ts'
import type { TrialLinks } from '../auth/trial-links.ts'
import { charge } from '../ledger/charge.ts'
import type { Charges } from '../ledger/charges.ts'
import type { Spending } from '../ledger/spending.ts'
import { uncountRequest } from '../ledger/window-queries.ts'
import { admitStatusCheck, findCaller, type Presented } from './admit.ts'
import type { CachedKey, KeyCache } from './key-cache.ts'
import { Admission } from './pending-admission.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
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
    /** Null before the caller is known, and for routes without keys. */
    admission: Admission | null
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
    if (!keyAccessOf(request) && !request.routeOptions.config.countsMessages) return null
    const slowDown = (error: unknown): never => {
      const pauseMs = error instanceof Refusal && statusOf(error) === 401 ? failedKeys.recordFailure(request.ip) : 0
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
  keyCache: KeyCache
  charges: Charges
  trialLinks: TrialLinks
}

/** A request refused for one of these counts, because only its work found out that it does not fit. */
const countedRefusals: ReadonlySet<string | undefined> = new Set(['store_exports', 'key_budget.store_exports'])

/**
 * Checks key, limits, access and scope, in this order, for every route with an access declaration, after its body was parsed. A
 * request is counted in its windows by its charge; one that charges nothing, or fails before it does, by a charge of nothing.
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

  const read = async (request: FastifyRequest, presented: Presented) => {
    const { db, now } = request
    const ctx = { db, now, plans: options.plans, billingPageOf: options.billingPageOf }
    // A key that is refused as such leaves no caller.
    const assumed = request.caller
    request.caller = null
    const found = await (presented.billingLimit === 'billing_status' ? admitStatusCheck : findCaller)(ctx, presented)
    request.caller = assumed ?? found.caller
    return { ...found, known: options.keyCache.remember(nameOfHash(presented.secretHash), found.row) }
  }

  /** Reads the caller; its admission is pending then, except that of a status check, which is counted already. */
  const begin = async (request: FastifyRequest, presented: Presented): Promise<void> => {
    const { caller, error, known } = await read(request, presented)
    if (error) throw error
    if (presented.billingLimit === 'billing_status') options.keyUse.record(caller.key.id, request.now)
    else setPending(request, presented, { caller, known })
  }
  const setPending = (
    request: FastifyRequest,
    presented: Presented,
    { caller, known }: { caller: KeyCaller; known: CachedKey },
  ): void => {
    request.caller = caller
    request.admission = new Admission({
      ...{ now: request.now, caller, known },
      read: () => read(request, presented),
      onCounted: ({ key }) => options.keyUse.record(key.id, request.now),
    })
  }
  /** Counts a request that charges nothing. */
  const count = async (request: FastifyRequest, spending: Spending = spendingOf(request)) => {
    if (request.admission?.isPending) await charge({ ...callerContext(request), ...options }, spending)
  }

  const admitMessages = async (request: FastifyRequest, messages: number) => {
    const presented = { secretHash: request.secretHash!, accountId: request.keyAccountId!, scope: null, messages }
    await begin(request, presented)
    if (messages > 0) return count(request, { requests: { minute: messages, day: 0 } })
    request.admission = null
  }
  app.decorate('admitMessages', admitMessages)

  app.addHook('preValidation', (request, _reply, done) => {
    const { countsMessages } = request.routeOptions.config
    if (countsMessages) {
      const admitBody = async () => admitMessages(request, countsMessages(readBody(request)))
      admitBody().then(() => done(), done)
      return
    }
    const access = keyAccessOf(request)
    if (!access) return done()
    const { admitsWithCharge, billingLimit } = access
    const scope = access.scopeOfBody ? scopeNeededBy(access, readBody(request)) : access.scope
    const presented: Presented = {
      ...{ secretHash: request.secretHash!, accountId: request.keyAccountId!, scope },
      ...(billingLimit && { billingLimit }),
    }
    const known = billingLimit ? undefined : options.keyCache.find(nameOfHash(presented.secretHash))
    const caller = known?.callerAt(request.now, options.plans, scope)
    if (known && caller) {
      setPending(request, presented, { caller, known })
      if (admitsWithCharge) return done()
      count(request).then(() => done(), done)
      return
    }
    begin(request, presented)
      .then(() => (admitsWithCharge ? undefined : count(request)))
      .then(() => done(), done)
  })

  // Whether a request may call at all comes before what is wrong with it. One that is refused for a limit does not count.
  app.addHook('onError', async (request, _reply, error) => {
    try {
      await count(request)
    } catch (refusal) {
      request.errorInstead = refusal
      return
    }
    const { admission, caller } = request
    if (!admission?.isCounted || !(error instanceof Refusal) || error.code !== 'rate_limit_exceeded') return
    if (countedRefusals.has(error.param)) return
    const { requests_per_minute: minute, requests_per_day: day } = caller!.rate
    if (!minute || !day) return
    const { accountId, mode } = caller!
    const windows = { minuteStartedAt: minute.startedAt, day: formatDay(day.startedAt) }
    await uncountRequest(request.db, { accountId, mode, ...windows })
    minute.used -= 1
    day.used -= 1
  })

  // A handler may answer without a charge.
  app.addHook('onSend', (request, reply, payload, done) => {
    const addHeaders = () => {
      const { caller } = request
      if (caller?.rate.requests_per_minute || caller?.rate.billing_status)
        reply.headers(rateHeaders(caller.rate, request.now))
      done(null, payload)
    }
    if (!request.admission?.isPending) return addHeaders()
    count(request).then(addHeaders, done)
  })
}

/** A link to pay with is also for accounts without access. */
function spendingOf(request: FastifyRequest): Spending {
  return keyAccessOf(request)?.billingLimit ? { needsAccess: false } : {}
}

/** The rights that a request with a key needs here; undefined for other doors. */
function keyAccessOf({ routeOptions: { config } }: FastifyRequest): Access['key'] {
  return config.door === 'api' ? config.access?.key : undefined
}

/** The context of a request with a key, or of a member of an account. */
export function callerContext(request: FastifyRequest): CallerContext & { db: Lane } {
  const { db, now, id: requestId, caller, admission, consoleContext } = request
  if (caller) {
    return { db, now, requestId, caller, admission, actor: keyActor(caller) }
  }
  if (consoleContext && isMemberContext(consoleContext)) return consoleContext
  throw new Error(`${request.routeOptions.url} has neither a key nor a member`)
}
