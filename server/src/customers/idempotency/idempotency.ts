import { createHash } from 'node:crypto'
import type { KeyedMutex } from '@storedex/work'
import { type Client, type Pool, type Queryable, runTransaction } from '../../foundation/db/pool.ts'
import { encodeJson, type JsonText } from '../../foundation/http/replies.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { Sealer } from '../../foundation/kernel/seal.ts'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'
import type { CallerContext } from '../auth/caller.ts'
import * as queries from './queries.ts'
import { deleteExpiredReplies, redateFutureReplies } from './queries.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether replies are kept, so that a repeated request with the same Idempotency-Key gets the first one. */
    keepsReplies?: boolean
  }
}

/** How long a reply is kept. */
const replyRetentionMs = 24 * 3_600_000
/** How long a request waits for others with its key. */
const waitLimitMs = 2_000

export interface IdempotencyContext extends CallerContext {
  db: Pool
  seals: { sealer: Sealer }
  /** Requests of this process; those of other processes block the claim in the database. */
  inFlightRequests: KeyedMutex
}

export interface IdempotentRequest {
  operation: string
  /** The Idempotency-Key. */
  key: string
  /** A repeated request must have the same body. */
  body: unknown
}

/** A successful reply that can be kept. */
export interface KeepableReply {
  body: JsonText
  /** The contacts in it: erasing one of them deletes the reply. */
  contactIds: number[]
}

export type IdempotentResult<T> = (T & { isReplay: false }) | { body: string; isReplay: true }

/** The reply that the key has already. */
interface Taken {
  kept: queries.KeptReplyRow
}

/**
 * Runs `work` once per Idempotency-Key. It claims the key, does its work and keeps the reply in one transaction (`keepTogether`): a
 * crash leaves all of it or nothing. A repeated request gets the kept reply. A failure rolls everything back and frees the key.
 *
 * Requests with the same key run one after the other. Within a process they wait in memory, before they take a connection,
 * so that they cannot exhaust the pool; requests of other processes block the claim. A request that waits for more than two
 * seconds in all is refused with 409.
 */
export async function runIdempotently<T extends KeepableReply>(
  ctx: IdempotencyContext,
  request: IdempotentRequest,
  work: (claim: queries.ReplyClaim, remainingMs: () => number) => Promise<T | Taken>,
): Promise<IdempotentResult<T>> {
  const claim = claimOf(ctx, request)
  const identity = replyRowIdentity(claim)
  const deadline = performance.now() + waitLimitMs
  const remainingMs = () => Math.max(1, Math.ceil(deadline - performance.now()))
  while (ctx.inFlightRequests.has(identity)) {
    if (!(await ctx.inFlightRequests.waitForEnd(identity, remainingMs()))) throw inProgress()
    const kept = await queries.readReply(ctx.db, claim)
    if (kept) return replay(ctx, claim, kept)
  }
  return ctx.inFlightRequests.run(identity, async () => {
    const result = await work(claim, remainingMs)
    return 'kept' in result ? replay(ctx, claim, result.kept) : { ...result, isReplay: false as const }
  })
}

/** Waits for the transaction that holds a key, of another server; 409 after `lockTimeoutMs`. */
export function waitForHolder(db: Pool, claim: queries.ReplyClaim, lockTimeoutMs: number): Promise<void> {
  return runTransaction(db, (client) =>
    queries.waitForClaim(client, claim, lockTimeoutMs).catch((error) => {
      throw queries.isLockTimeout(error) ? inProgress() : error
    }),
  )
}

/** Works in a transaction of its own, which claims the key and keeps the reply. */
export function keepReply<T extends KeepableReply>(
  ctx: IdempotencyContext,
  claim: queries.ReplyClaim,
  lockTimeoutMs: number,
  work: (client: Client) => Promise<T>,
): Promise<T | Taken> {
  return keepTogether<T | Taken>(
    ctx.db,
    [claim],
    { lockTimeoutMs, alongside: undefined },
    async (client, [isClaimed]) => {
      if (!isClaimed) return { results: { kept: (await queries.readReply(client, claim))! }, replies: [null] }
      const results = await work(client)
      return { results, replies: [sealReply(ctx, claim, results)] }
    },
  )
}

/** A reply to keep under a claim. */
export function sealReply(
  { seals }: Pick<IdempotencyContext, 'seals'>,
  claim: queries.ReplyKey,
  { body, contactIds }: KeepableReply,
): SealedReply {
  return { reply: seals.sealer.seal(encodeJson(body), replyRowIdentity(claim)), contactIds }
}

export interface SealedReply {
  reply: Buffer
  contactIds: readonly number[]
}

/**
 * Claims keys, works and keeps the replies in one transaction, retried on conflicts. `work` gets the keys that were claimed,
 * and returns the reply of each of them, or null to free the key; it throws to undo everything. 409 when another transaction holds
 * a key for longer than `lockTimeoutMs`.
 */
export function keepTogether<T>(
  db: Pool,
  claims: queries.ReplyClaims,
  options: { lockTimeoutMs: number; alongside: string | undefined },
  work: (
    client: Client,
    isClaimed: readonly boolean[],
  ) => Promise<{ results: T; replies: readonly (SealedReply | null)[] }>,
): Promise<T> {
  return runTransaction(db, async (client) => {
    const isClaimed = await queries.beginWithClaims(client, claims, options).catch((error) => {
      throw queries.isLockTimeout(error) ? inProgress() : error
    })
    const { results, replies } = await work(client, isClaimed)
    const kept: queries.ReplyToKeep[] = []
    const released: Buffer[] = []
    for (const [index, { keyHash }] of claims.entries()) {
      const reply = replies[index]
      if (reply) kept.push({ keyHash, ...reply })
      else if (isClaimed[index]) released.push(keyHash)
    }
    await queries.keepAndCommit(client, claims[0], { kept, released })
    return results
  })
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

/** The associated data of a sealed reply: bytes moved to another row do not open there. */
export function replyRowIdentity({ accountId, mode, operation, keyHash }: queries.ReplyKey): string {
  return `reply ${accountId} ${mode} ${operation} ${keyHash.toString('hex')}`
}

function replay(ctx: IdempotencyContext, claim: queries.ReplyClaim, kept: queries.KeptReplyRow) {
  if (!kept.request_hash.equals(claim.requestHash))
    throw new Refusal('idempotency_conflict', 'This Idempotency-Key was used for another request; use a new one.', {
      param: 'Idempotency-Key',
    })
  return { body: ctx.seals.sealer.open(kept.reply, replyRowIdentity(claim)).toString(), isReplay: true as const }
}

function inProgress(): Refusal {
  return new Refusal(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running; try again in a moment.',
    { param: 'Idempotency-Key', retryAfterSeconds: 1 },
  )
}

const batchSize = 1_000

/**
 * Deletes expired replies in batches. Replies dated in the future, by a clock that ran ahead, are kept for a day from now.
 */
export async function expireReplies(db: Queryable, now: Date): Promise<void> {
  const latest = new Date(now.getTime() + clockToleranceMs)
  while ((await redateFutureReplies(db, { now, latest }, batchSize)) > batchSize);
  const expiredAt = new Date(now.getTime() - replyRetentionMs)
  while ((await deleteExpiredReplies(db, expiredAt, batchSize)) > batchSize);
}
