import { randomBytes } from 'node:crypto'
import { Coalescer } from '@storedex/work'
import type { CallerContext } from '../../../server/src/auth/caller.ts'
import { contactKeysOf } from '../../../server/src/contacts/contact.ts'
import { holdContactsSql } from '../../../server/src/contacts/hold-queries.ts'
import { type ContactKeys, readContacts } from '../../../server/src/contacts/queries.ts'
import type { ConnectionPool, Lane } from '../../../server/src/db/pool.ts'
import { keepTogether } from '../../../server/src/idempotency/idempotency.ts'
import type { ReplyClaim } from '../../../server/src/idempotency/queries.ts'
import type { KnownExports } from '../../../server/src/ledger/known-exports.ts'
import { batchItemOf } from '../../../server/src/usage/batch/batch-outcome.ts'
import { ChargeCoalescer, withOwnLane } from '../../../server/src/usage/batch/charge-coalescer.ts'
import {
  payForSharedReveals,
  type RevealItem,
  type SharedReveal,
} from '../../../server/src/usage/batch/shared-reveals.ts'

interface ReadItem {
  accountId: number
  contactIds: readonly number[]
}

interface KeptItem extends RevealItem {
  claim: ReplyClaim
  /** Stands for the sealed reply. */
  reply: Buffer
}

const maxReads = 64
/** As in the service. */
const claimTimeoutMs = 100

/** The service's statements of reveals that are charged together, without opening contacts and rendering replies. */
export class BareReveals {
  readonly #reads: Coalescer<ReadItem, null>
  readonly #charges: ChargeCoalescer<RevealItem, SharedReveal>
  readonly #kept: ChargeCoalescer<KeptItem, SharedReveal>

  constructor(pool: ConnectionPool, knownExports: KnownExports) {
    this.#reads = new Coalescer({
      maxItems: maxReads,
      async send(items) {
        await withOwnLane(pool, items[0]!.accountId, (lane) => readContacts(lane, keysOf(items)))
        return items.map(() => null)
      },
    })
    this.#charges = new ChargeCoalescer({
      pool,
      kind: 'reveals',
      async send(db, items) {
        const paid = await payForSharedReveals(db, items, { knownExports, isKept: false })
        paid?.rememberExports()
        return paid?.reveals ?? null
      },
    })
    this.#kept = new ChargeCoalescer({
      pool,
      kind: 'kept_reveals',
      send: (db, items) => revealAndKeep(db, items, knownExports),
    })
  }

  /** Null if the charge was refused. */
  async reveal(ctx: CallerContext, contactIds: readonly number[]): Promise<SharedReveal | null> {
    const { accountId } = ctx.caller
    await this.#reads.run(String(accountId), { accountId, contactIds })
    return this.#charges.run(ctx, itemOf(ctx, contactIds))
  }

  /** The same with an Idempotency-Key, each time another. */
  async revealAndKeep(ctx: CallerContext, contactIds: readonly number[], reply: Buffer): Promise<SharedReveal | null> {
    const { accountId, mode } = ctx.caller
    const claim = {
      ...{ accountId, mode, operation: 'revealContacts', keyHash: randomBytes(32), requestHash: randomBytes(32) },
      ...{ now: ctx.now, expiredAt: new Date(0) },
    }
    return this.#kept.run(ctx, { ...itemOf(ctx, contactIds), claim, reply })
  }
}

async function revealAndKeep(
  db: Lane,
  items: readonly KeptItem[],
  knownExports: KnownExports,
): Promise<readonly SharedReveal[] | null> {
  const [first, ...others] = items.map(({ claim }) => claim)
  const alongside = holdContactsSql(items.flatMap(({ storeIds }) => storeIds))
  const options = { lockTimeoutMs: claimTimeoutMs, alongside }
  const paid = await keepTogether(db, [first!, ...others], options, async (client) => {
    await readContacts(client, keysOf(items))
    const results = await payForSharedReveals(client, items, { knownExports, isKept: true })
    // Thrown, so that the claims are undone.
    if (!results) throw new Error('a charge of the bench was refused')
    return { results, replies: items.map(({ reply, contactIds }) => ({ reply, contactIds })) }
  })
  paid.rememberExports()
  return paid.reveals
}

function itemOf(ctx: CallerContext, contactIds: readonly number[]): RevealItem {
  const storeIds = [...new Set(contactKeysOf('live', [...contactIds]).storeIds)]
  return { ...batchItemOf(ctx, contactIds.length)!, contactIds, storeIds }
}

function keysOf(items: readonly { contactIds: readonly number[] }[]): ContactKeys {
  return contactKeysOf('live', [...new Set(items.flatMap(({ contactIds }) => contactIds))])
}
