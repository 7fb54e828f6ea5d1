import { Coalescer, Slots } from '@storedex/work'
import { type ConnectionPool, type Lane, type Queryable, retryConflicts } from '../../foundation/db/pool.ts'
import type { GaugeSource } from '../../foundation/http/metrics.ts'
import { isAborted, untilAborted, withOwnLane } from '../../foundation/http/request-database.ts'
import type { Meter } from '../accounts/plans.ts'
import { budgetOf, leftWithinBudget } from '../auth/budgets.ts'
import type { Spender } from '../auth/caller.ts'
import { readReveals } from './balance-queries.ts'
import { describeBatch } from './batch.ts'
import type { ExportsOwner, KnownExports } from './exports-cache.ts'
import { type ChargeOutcome, type Paid, readOutcomes, remaining } from './outcome.ts'
import { type ChargeItem, canShareCharge, weightOf } from './spending.ts'
import { isAllowanceExceeded, sendCharge } from './statement/charge-queries.ts'

/**
 * Does the work of a batch, all or nothing: one result for each request. Null if they were refused together; then they are sent one
 * by one, and a lone request is refused by its outcome.
 */
export type SendBatch<Item extends ChargeItem, Result> = (
  db: Lane,
  items: readonly Item[],
) => Promise<readonly Result[] | null>

interface Waiting {
  item: ChargeItem
  send: SendBatch<ChargeItem, unknown>
}

/** The outcomes of a statement that is not committed yet. */
interface SentCharge {
  outcomes: ChargeOutcome[]
  /** Remembers what was exported; call it once the charge is committed. */
  remember(): void
}

const maxItems = 64
const maxWeight = 1_600
/**
 * The fewest batches that may be under way, of all accounts: enough to keep a small PostgreSQL busy while replies are
 * written. Fewer than that would leave it idle in between.
 */
const leastBatches = 3

/**
 * Sends all charges. Requests of an account that arrive while a batch of it is under way make the next one; nothing waits for a
 * batch to fill. Of all accounts only a few batches are under way at a time, so that requests gather while they wait.
 */
export class Charges {
  readonly #pool: ConnectionPool
  readonly #knownExports: KnownExports
  readonly #slots: Slots
  readonly #coalescer: Coalescer<Waiting, unknown>
  /** By the kind of charge. */
  readonly #sent = new Map<string, { batches: number; requests: number }>()

  constructor({ pool, knownExports }: { pool: ConnectionPool; knownExports: KnownExports }) {
    this.#pool = pool
    this.#knownExports = knownExports
    this.#slots = new Slots({ least: leastBatches, most: pool.max })
    this.#coalescer = new Coalescer<Waiting, unknown>({
      maxItems,
      maxWeight,
      weigh: ({ item }) => weightOf(item),
      canJoin: (first, other) => first.send === other.send && canShareCharge(first.item, other.item),
      gathersTurn: true,
      slots: this.#slots,
      send: (waiting) => this.#sendOnOwnLane(waiting),
    })
  }

  /** Charges a request, together with others of its account that came at once. */
  charge(db: Queryable, item: ChargeItem): Promise<ChargeOutcome> {
    return this.run(db, item, this.#sendBatch)
  }

  /** The same for a request whose charge is part of a transaction, which `send` runs for a batch; it calls `chargeWithin`. */
  async run<Item extends ChargeItem, Result>(
    db: Queryable,
    item: Item,
    send: SendBatch<Item, Result>,
  ): Promise<Result | { state: 'contended' }> {
    const { caller, admission } = item
    const lane = `${caller.accountId} ${caller.mode}`
    const waiting: Waiting = { item, send: send as unknown as Waiting['send'] }
    try {
      const result = await untilAborted(db, this.#coalescer.run(lane, waiting, isAborted(db)))
      return (result as Result | null) ?? { state: 'contended' }
    } catch (error) {
      // Whether the request was counted is unknown.
      admission?.abandon()
      throw error
    }
  }

  readonly #sendBatch: SendBatch<ChargeItem, ChargeOutcome> = async (db, items) => {
    const sent = await this.chargeWithin(db, items)
    sent?.remember()
    return sent?.outcomes ?? null
  }

  /** Charges in the transaction that `db` may be. Null if several were refused together; then nothing was done. */
  async chargeWithin(db: Queryable, items: readonly ChargeItem[]): Promise<SentCharge | null> {
    const owner = exportsOwnerOf(items[0]!.caller)
    const batch = describeBatch(items, this.#knownExports.of(owner))
    if (!batch) return null
    this.#count(batch.kind, items.length)
    const outcomes = readOutcomes(batch, await sendCharge(db, batch))
    if (!outcomes) return null
    for (const [index, outcome] of outcomes.entries())
      if (outcome.state === 'paid') outcomes[index] = await withAllReveals(db, items[index]!, outcome)
    return {
      outcomes,
      remember: () => {
        const storeIds = batch.firsts.store_exports
        if (outcomes[0]!.state === 'paid' && storeIds && storeIds.size > 0)
          this.#knownExports.add(owner, storeIds.keys())
      },
    }
  }

  /** Sends a batch. Null if several were refused together, or if other servers took what was left at this moment. */
  async #sendOnOwnLane(waiting: readonly Waiting[]): Promise<readonly unknown[] | null> {
    const [{ item, send }] = waiting as [Waiting]
    try {
      return await withOwnLane(this.#pool, item.caller.accountId, (lane) =>
        retryConflicts(() =>
          send(
            lane,
            waiting.map((each) => each.item),
          ),
        ),
      )
    } catch (error) {
      if (isAllowanceExceeded(error)) return null
      throw error
    }
  }

  /** Forgets which stores are exported, as after a connection was lost: another database may answer the next one. */
  forgetExports(): void {
    this.#knownExports.clear()
  }

  gauges(): GaugeSource[] {
    return [
      {
        name: 'storedex_shared_charge_slots',
        help: 'Statements that admit and charge requests together and may be under way at a time.',
        read: () => [{ value: this.#slots.size }],
      },
    ]
  }

  #count(kind: string, requests: number): void {
    const sent = this.#sent.get(kind) ?? { batches: 0, requests: 0 }
    sent.batches++
    sent.requests += requests
    this.#sent.set(kind, sent)
  }

  /** For `registerCounters`: batches, and the requests in them. One that is sent again by itself counts again. */
  counters(): GaugeSource[] {
    const read = (figure: 'batches' | 'requests') => () =>
      [...this.#sent].map(([kind, sent]) => ({ labels: { kind }, value: sent[figure] }))
    return [
      {
        name: 'storedex_shared_charges_total',
        help: 'Statements that admit and charge requests of an account together.',
        labelNames: ['kind'],
        read: read('batches'),
      },
      {
        name: 'storedex_shared_charge_requests_total',
        help: 'Requests in these statements.',
        labelNames: ['kind'],
        read: read('requests'),
      },
    ]
  }
}

/**
 * Adds the reveals that a concurrent request made at the same moment. Its rows are visible now, because the charge waited for its
 * commit. If this request paid nothing, its balance is older than that commit.
 */
async function withAllReveals(db: Queryable, { caller, spending }: ChargeItem, paid: Paid): Promise<Paid> {
  const contactIds = spending.contact_credits?.ids ?? []
  if (paid.reveals.size >= contactIds.length) return paid
  const { accountId, mode, key, entitlement } = caller
  const rows = await readReveals(db, {
    ...{ accountId, mode, contactIds, counterKeyId: key?.counterKeyId ?? null },
    ...{ creditsPeriodStart: entitlement.creditsPeriod.start, periodStart: entitlement.period.start },
  })
  const reveals = new Map(paid.reveals)
  for (const { contact_id, revealed_at } of rows)
    if (!reveals.has(contact_id)) reveals.set(contact_id, { revealedAt: revealed_at, isNew: false })
  const [now] = rows
  if (!now || paid.spent.contact_credits !== 0) return { ...paid, reveals }
  const left = (meter: Meter, taken: number, keyTaken: number) =>
    leftWithinBudget(remaining(entitlement.limits[meter], taken), budgetOf(key, meter), keyTaken)
  const balance = {
    contact_credits: left('contact_credits', now.credits_taken, now.key_credits_taken),
    store_exports: left('store_exports', now.exports_taken, now.key_exports_taken),
  }
  return { ...paid, reveals, balance }
}

function exportsOwnerOf({ accountId, mode, entitlement }: Spender): ExportsOwner {
  return { accountId, mode, periodStart: entitlement.period.start }
}
