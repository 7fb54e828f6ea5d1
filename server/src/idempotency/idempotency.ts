import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { CallerContext } from '../auth/caller.ts'
import { type Client, type Pool, type Queryable, transact } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Sealer } from '../kernel/seal.ts'
import { clockToleranceMs } from '../kernel/time.ts'
import * as queries from './queries.ts'
import { deleteExpiredReplies, redateFutureReplies } from './queries.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A repeated request with the same Idempotency-Key gets the reply of the first one. */
    keepsReplies?: boolean
  }
}

/** How long a reply is kept. */
const replyRetentionMs = 24 * 3_600_000
/** How long a request waits for another one with its key. */
const patienceMs = 2_000

export interface IdempotencyContext extends CallerContext {
  db: Pool
  seals: { sealer: Sealer }
  /** Of this process; those of others are met in the database. */
  inFlightRequests: InFlightRequests
}

/** A request under the name that its caller gave it. */
export interface IdempotentRequest {
  operation: string
  /** The Idempotency-Key. */
  key: string
  /** What a repeated request has to say alike. */
  body: unknown
}

/** A success, as it is kept. */
export interface KeepableReply {
  body: string
  /** Whom it tells of: erasing one of them deletes the reply. */
  contactIds: number[]
}

/**
 * Does `work` once for each Idempotency-Key, in one transaction with the claim of the key and the keeping of its reply:
 * either all of it happened or nothing, also after a crash. A repeated request gets the kept reply. A failure leaves nothing
 * behind, so that the key is free again.
 *
 * Requests with one key come one after the other. Within a process they wait for their turn before they take a connection, so
 * that many of them cannot use up the pool; behind requests of other processes the first of them waits at the claim. Who
 * would wait for more than two seconds in all is refused.
 */
export async function runIdempotently<T extends KeepableReply>(
  ctx: IdempotencyContext,
  request: IdempotentRequest,
  work: (client: Client) => Promise<T>,
): Promise<(T & { isReplay: false }) | { body: string; isReplay: true }> {
  const claim = claimOf(ctx, request)
  const name = replyRowIdentity(claim)
  const endOfPatience = performance.now() + patienceMs
  const patienceLeftMs = () => Math.max(1, Math.ceil(endOfPatience - performance.now()))
  while (ctx.inFlightRequests.has(name)) {
    if (!(await ctx.inFlightRequests.waitForEnd(name, patienceLeftMs()))) throw inProgress()
    const kept = await queries.readReply(ctx.db, claim)
    if (kept) return replay(ctx, claim, kept)
  }
  return ctx.inFlightRequests.run(name, () =>
    transact(ctx.db, async (client) => {
      if (!(await claimInTime(client, claim, patienceLeftMs())))
        return replay(ctx, claim, (await queries.readReply(client, claim))!)
      const done = await work(client)
      const reply = ctx.seals.sealer.seal(done.body, name)
      await queries.keepReply(client, claim, { reply, contactIds: done.contactIds })
      return { ...done, isReplay: false as const }
    }),
  )
}

function claimOf(ctx: IdempotencyContext, { operation, key, body }: IdempotentRequest): queries.ReplyClaim {
  const sha256 = (text: string) => createHash('sha256').update(text).digest()
  return {
    accountId: ctx.caller.accountId,
    mode: ctx.caller.mode,
    operation,
    keyHash: sha256(key),
    requestHash: sha256(JSON.stringify(body)),
    now: ctx.now,
    expiredAt: new Date(ctx.now.getTime() - replyRetentionMs),
  }
}

/** What a kept reply is bound to: sealed bytes moved to another row do not open there. */
export function replyRowIdentity({ accountId, mode, operation, keyHash }: queries.ReplyKey): string {
  return `reply ${accountId} ${mode} ${operation} ${keyHash.toString('hex')}`
}

async function claimInTime(client: Client, claim: queries.ReplyClaim, waitMs: number): Promise<boolean> {
  try {
    return await queries.claimReply(client, claim, waitMs)
  } catch (error) {
    throw queries.isLockTimeout(error) ? inProgress() : error
  }
}

function replay(ctx: IdempotencyContext, claim: queries.ReplyClaim, kept: queries.KeptReplyRow) {
  if (!kept.request_hash.equals(claim.requestHash))
    throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used for another request; use a new one.', {
      param: 'Idempotency-Key',
    })
  return { body: ctx.seals.sealer.open(kept.reply, replyRowIdentity(claim)).toString(), isReplay: true as const }
}

function inProgress(): ApiError {
  return new ApiError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running; try again in a moment.',
    { param: 'Idempotency-Key', retryAfterSeconds: 1 },
  )
}

/** What runs in this process under a name, at most one thing at a time. */
export class InFlightRequests {
  readonly #running = new Map<string, Promise<void>>()

  has(name: string): boolean {
    return this.#running.has(name)
  }

  /** True once what runs under the name has ended, false when that takes longer than given. */
  async waitForEnd(name: string, waitMs: number): Promise<boolean> {
    const stopped = new AbortController()
    const isTooLate = delay(waitMs, false, { signal: stopped.signal }).catch(() => false)
    const isOver = (this.#running.get(name) ?? Promise.resolve()).then(() => true)
    try {
      return await Promise.race([isOver, isTooLate])
    } finally {
      stopped.abort()
    }
  }

  /** Only where nothing runs under the name. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = work()
    const end = () => void this.#running.delete(name)
    this.#running.set(name, result.then(end, end))
    return result
  }
}

const batchSize = 1_000

/**
 * Deletes the kept replies that are too old to be given again, a bounded number at a time. Those of a clock that ran ahead
 * are kept for a day from now.
 */
export async function expireReplies(db: Queryable, now: Date): Promise<void> {
  const latest = new Date(now.getTime() + clockToleranceMs)
  while ((await redateFutureReplies(db, { now, latest }, batchSize)) > batchSize);
  const expiredAt = new Date(now.getTime() - replyRetentionMs)
  while ((await deleteExpiredReplies(db, expiredAt, batchSize)) > batchSize);
}
