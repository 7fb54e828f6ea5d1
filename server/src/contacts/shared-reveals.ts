import { Coalescer } from '@storedex/work'
import type { CallerContext } from '../auth/caller.ts'
import { type ConnectionPool, Lane } from '../db/pool.ts'
import type { KeptReplyRow, ReplyClaim } from '../idempotency/queries.ts'
import type { Mode } from '../kernel/ids.ts'
import { batchItemOf } from '../usage/batch/batch-outcome.ts'
import { ChargeCoalescer, withOwnLane } from '../usage/batch/charge-coalescer.ts'
import { payForSharedReveals, type RevealItem, type SharedReveal } from '../usage/batch/shared-reveals.ts'
import {
  deliveryOf,
  type KeptContext,
  type KeptItem,
  type KeptOutcome,
  type RevealReply,
  replyOf,
  revealAndKeep,
} from './kept-reveals.ts'
import { readContacts } from './queries.ts'
import { allKeysOf, ReadContacts, type WantedContacts } from './revealable.ts'

interface ReadItem {
  accountId: number
  mode: Mode
  wanted: WantedContacts
}

/** Why a request was not charged with others: nobody can be revealed, the batch was refused. Nothing was done then. */
type NotShared = 'unrevealable' | 'refused'

const maxReads = 64
/** Accounts share reads, but not all of them: one that is slow, or fails, is not everybody's. */
const readLanes = 2

/**
 * Reveals that are admitted and charged together with others of their account. Without an Idempotency-Key their contacts are
 * read together, then charged together in one statement. With one, all happens in a transaction (`revealAndKeep`).
 */
export class SharedRevealer {
  readonly #pool: ConnectionPool
  readonly #ctx: KeptContext
  readonly #reads: Coalescer<ReadItem, ReadContacts>
  readonly #charges: ChargeCoalescer<RevealItem, SharedReveal>
  readonly #kept: ChargeCoalescer<KeptItem, KeptOutcome>

  constructor(pool: ConnectionPool, ctx: KeptContext) {
    this.#pool = pool
    this.#ctx = ctx
    const { knownExports } = ctx
    this.#reads = new Coalescer({ maxItems: maxReads, send: (items) => this.#read(items) })
    this.#charges = new ChargeCoalescer({
      pool,
      kind: 'reveals',
      send: async (db, items) => {
        const paid = await payForSharedReveals(db, items, { knownExports, isKept: false })
        paid?.rememberExports()
        return paid?.reveals ?? null
      },
    })
    this.#kept = new ChargeCoalescer({ pool, kind: 'kept_reveals', send: (db, items) => revealAndKeep(db, items, ctx) })
  }

  /** A reveal without an Idempotency-Key, whose admission is pending. */
  async reveal(ctx: CallerContext, wanted: WantedContacts): Promise<RevealReply | NotShared> {
    if (wanted.idsByKey.size === 0) return 'unrevealable'
    const { accountId, mode } = ctx.caller
    const { db } = ctx
    const reading = this.#reads.run(
      `${mode} ${accountId % readLanes}`,
      { accountId, mode, wanted },
      () => db instanceof Lane && db.isAborted,
    )
    const people = (await (db instanceof Lane ? db.untilAborted(reading) : reading))!.revealable(wanted)
    if (people.length === 0) return 'unrevealable'
    const item = batchItemOf(ctx, people.length)
    const { contactIds, storeIds } = deliveryOf(people)
    const paid = item && (await this.#charges.run(ctx, { contactIds, storeIds, ...item }))
    return paid ? replyOf(this.#ctx, ctx.requestId, people, paid) : 'refused'
  }

  /** The same with the claim of an Idempotency-Key; also returns what is kept under the key, if that is so. */
  async revealAndKeep(
    ctx: CallerContext,
    wanted: WantedContacts,
    claim: ReplyClaim,
  ): Promise<RevealReply | NotShared | { kept: KeptReplyRow }> {
    // Whether the key was used for another request comes first.
    if (wanted.idsByKey.size === 0) return 'refused'
    const item = batchItemOf(ctx, wanted.idsByKey.size)
    const outcome = item && (await this.#kept.run(ctx, { wanted, claim, ...item }))
    if (outcome?.state === 'revealed') return outcome.reply
    if (outcome?.state === 'taken') return outcome.kept ? { kept: outcome.kept } : 'refused'
    return outcome?.state ?? 'refused'
  }

  async #read(items: readonly ReadItem[]): Promise<ReadContacts[]> {
    const rows = await withOwnLane(this.#pool, items[0]!.accountId, (lane) => readContacts(lane, allKeysOf(items)))
    const contacts = new ReadContacts(this.#ctx, rows)
    return items.map(() => contacts)
  }
}
