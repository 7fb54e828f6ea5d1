import { Coalescer } from '@storedex/work'
import type { CallerContext, CountedWindows } from '../../auth/caller.ts'
import { type ConnectionPool, Lane, retryConflicts } from '../../db/pool.ts'
import { statementsDeadlineMs, statementsTimeoutError } from '../../http/request-database.ts'
import { isAllowanceExceeded } from '../charge-queries.ts'
import { batchTurnsOf } from './batch-turns.ts'
import { type BatchItem, canShareBatch } from './describe-batch.ts'

/** What a batch says of each of its requests. */
interface BatchResult {
  /** Null if the request was left out of the batch: nothing was done for it, and its admission is still pending. */
  windows: CountedWindows | null
}

interface ChargeCoalescerOptions<Item, Result> {
  pool: ConnectionPool
  /** Names the lanes and labels the figures, with underscores; requests of different kinds never share a statement. */
  kind: string
  /**
   * Runs the statement for one request or several of one account and mode. Null if it refused them: nothing was done
   * then. A statement that exceeded an allowance is such a refusal too.
   */
  send(db: Lane, items: readonly Item[]): Promise<readonly Result[] | null>
}

const maxItems = 64
const maxWeight = 1_600

/** Lets concurrent requests of an account share the statement that admits and charges them. */
export class ChargeCoalescer<Item extends BatchItem, Result extends BatchResult> {
  readonly #kind: string
  readonly #coalescer: Coalescer<Item, Result>

  constructor({ pool, kind, send }: ChargeCoalescerOptions<Item, Result>) {
    this.#kind = kind
    const turns = batchTurnsOf(pool)
    this.#coalescer = new Coalescer<Item, Result>({
      maxItems,
      maxWeight,
      weigh: ({ weight }) => weight,
      canJoin: canShareBatch,
      gathersTurn: true,
      slots: turns.slots,
      send: (items) => {
        const { accountId, mode } = items[0]!.caller
        return turns.inOrder(`${accountId} ${mode}`, () => sendOnOwnLane(pool, items, send))
      },
    })
    turns.count({ kind, sent: () => this.#coalescer.sent })
  }

  /**
   * Admits and charges a request. Null if that was refused: nothing was done, and the request has to be admitted and
   * charged by itself, which says why. When it throws, it is unknown what was done.
   */
  async run({ db }: Pick<CallerContext, 'db'>, item: Item): Promise<Result | null> {
    const { caller, admission } = item
    if (admission.standing.isStale) return null
    const lane = `${this.#kind} ${caller.accountId} ${caller.mode}`
    let result: Result | null
    try {
      result = await (db instanceof Lane
        ? db.untilAborted(this.#coalescer.run(lane, item, () => db.isAborted))
        : this.#coalescer.run(lane, item))
    } catch (error) {
      admission.abandon()
      throw error
    }
    if (result?.windows) admission.complete(result.windows)
    else if (!result && !admission.standing.isStale) admission.refuse()
    return result
  }
}

/** Sends a batch; null if it was refused. */
async function sendOnOwnLane<Item extends BatchItem, Result>(
  pool: ConnectionPool,
  items: readonly Item[],
  send: ChargeCoalescerOptions<Item, Result>['send'],
): Promise<readonly Result[] | null> {
  const { caller, admission } = items[0]!
  if (items.length === 1 && admission.standing.isStale) return null
  try {
    return await withOwnLane(pool, caller.accountId, (lane) => retryConflicts(() => send(lane, items)))
  } catch (error) {
    if (isAllowanceExceeded(error)) return null
    throw error
  }
}

/** Runs work for several requests of an account. It belongs to none of them, so it has a lane and a deadline of its own. */
export async function withOwnLane<T>(
  pool: ConnectionPool,
  accountId: number,
  work: (lane: Lane) => Promise<T>,
): Promise<T> {
  const lane = pool.accountLane(`account ${accountId}`)
  const deadline = setTimeout(() => lane.abort(statementsTimeoutError(statementsDeadlineMs)), statementsDeadlineMs)
  try {
    return await work(lane)
  } finally {
    clearTimeout(deadline)
  }
}
