import type { Caller, CallerContext, CountedWindows } from '../../auth/caller.ts'
import { type ConnectionPool, Lane, retryConflicts } from '../../db/pool.ts'
import { statementsDeadlineMs, statementsTimeoutError } from '../../http/request-database.ts'
import { Coalescer } from '../../runtime/coalescer.ts'
import { isAllowanceExceeded } from '../charge-queries.ts'
import { type BatchItem, canShareBatch } from './describe-batch.ts'

/** What a batch says of each of its requests. */
interface BatchResult {
  /** Null if the request was left out of the batch: nothing was done for it, and its admission is still pending. */
  windows: CountedWindows | null
}

interface ChargeCoalescerOptions<Item, Result> {
  pool: ConnectionPool
  /** Names the lanes; requests of different kinds never share a statement. */
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
    this.#coalescer = new Coalescer<Item, Result>({
      maxItems,
      maxWeight,
      weigh: ({ weight }) => weight,
      canJoin: canShareBatch,
      gathersTurn: true,
      send: (items) => inTurn(pool.connections, items[0]!.caller, () => sendOnOwnLane(pool, items, send)),
    })
  }

  /** Batches sent so far, and the requests in them. */
  get sent(): { batches: number; items: number } {
    return this.#coalescer.sent
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

/** The last batch of each account and mode, by pool. */
const lastBatches = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Runs batches of an account and mode one after the other, of whatever kind. They would wait for each other's windows
 * anyway, with a connection in hand and an older view of the meters.
 */
function inTurn<T>(connections: object, { accountId, mode }: Caller, work: () => Promise<T>): Promise<T> {
  const last = lastBatches.get(connections) ?? new Map<string, Promise<unknown>>()
  lastBatches.set(connections, last)
  const name = `${accountId} ${mode}`
  const before = last.get(name)
  const result = before ? before.then(work, work) : work()
  const end = result.then(ignore, ignore).then(() => {
    if (last.get(name) === end) last.delete(name)
  })
  last.set(name, end)
  return result
}

const ignore = () => {}

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
