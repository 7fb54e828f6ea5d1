import { randomBytes } from 'node:crypto'
import { keepTogether } from '../../../server/src/customers/idempotency/idempotency.ts'
import type { ReplyClaim } from '../../../server/src/customers/idempotency/queries.ts'
import { type ChargeContext, charge, untilPaid } from '../../../server/src/customers/ledger/charge.ts'
import type { Charges, SendBatch } from '../../../server/src/customers/ledger/charges.ts'
import type { ChargeOutcome } from '../../../server/src/customers/ledger/outcome.ts'
import { type ChargeItem, chargeItemOf, type Spending } from '../../../server/src/customers/ledger/spending.ts'
import type { ConnectionPool } from '../../../server/src/foundation/db/pool.ts'
import { SharedReads } from '../../../server/src/foundation/http/request-database.ts'
import { contactKeysOf } from '../../../server/src/product/contacts/contact.ts'
import { holdContactsSql } from '../../../server/src/product/contacts/hold-queries.ts'
import {
  type ContactKeys,
  type ContactWithStoreRow,
  readContacts,
} from '../../../server/src/product/contacts/queries.ts'

interface KeptItem extends ChargeItem {
  claim: ReplyClaim
  contactIds: readonly number[]
  /** Stands for the sealed reply. */
  reply: Buffer
}

/** As in the service. */
const claimTimeoutMs = 20

/** The service's statements of reveals, without opening contacts and rendering replies. */
export class BareReveals {
  readonly #charges: Charges
  readonly #reads: SharedReads<readonly number[], ContactWithStoreRow[]>

  constructor(pool: ConnectionPool, charges: Charges) {
    this.#charges = charges
    this.#reads = new SharedReads({
      pool,
      weigh: ({ length }) => length,
      read: (db, _, asked) => readContacts(db, keysOf(asked.map((contactIds) => ({ contactIds })))),
    })
  }

  async reveal(ctx: ChargeContext, contactIds: readonly number[]): Promise<void> {
    await this.#reads.read(ctx, contactIds)
    await charge(ctx, spendingOn(contactIds))
  }

  /** The same with an Idempotency-Key, each time another. */
  async revealAndKeep(ctx: ChargeContext, contactIds: readonly number[], reply: Buffer): Promise<void> {
    const { accountId, mode } = ctx.caller
    const claim = {
      ...{ accountId, mode, operation: 'revealContacts', keyHash: randomBytes(32), requestHash: randomBytes(32) },
      ...{ now: ctx.now, expiredAt: new Date(0) },
    }
    await untilPaid(ctx, () => {
      const item = { ...chargeItemOf(ctx, { ...spendingOn(contactIds), keepsMore: true }), claim, contactIds, reply }
      return this.#charges.run(ctx.db, item, this.#keepBatch)
    })
  }

  readonly #keepBatch: SendBatch<KeptItem, ChargeOutcome> = async (db, items) => {
    const [first, ...others] = items.map(({ claim }) => claim)
    const alongside = holdContactsSql(
      items.flatMap(({ contactIds }) => contactKeysOf('live', [...contactIds]).storeIds),
    )
    const options = { lockTimeoutMs: claimTimeoutMs, alongside }
    const sent = await keepTogether(db, [first!, ...others], options, async (client) => {
      await readContacts(client, keysOf(items))
      const results = await this.#charges.chargeWithin(client, items)
      // Thrown, so that the claims are undone.
      if (!results) throw new Error('a charge of the bench was refused')
      return { results, replies: items.map(({ reply, contactIds }) => ({ reply, contactIds })) }
    })
    sent.remember()
    return sent.outcomes
  }
}

function spendingOn(contactIds: readonly number[]): Spending {
  const storeIds = [...new Set(contactKeysOf('live', [...contactIds]).storeIds)]
  return { contact_credits: { ids: contactIds }, store_exports: { ids: storeIds } }
}

function keysOf(items: readonly { contactIds: readonly number[] }[]): ContactKeys {
  return contactKeysOf('live', [...new Set(items.flatMap(({ contactIds }) => contactIds))])
}
