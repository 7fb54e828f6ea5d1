import { Coalescer } from '@storedex/work'
import { type ConnectionPool, Lane, type Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { statementsDeadlineMs, statementsTimeoutError } from './request-database.ts'

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

/** The result of work that several requests share, unless the request's own lane is aborted first. */
export function untilAborted<T>(db: Queryable, work: Promise<T>): Promise<T> {
  return db instanceof Lane ? db.untilAborted(work) : work
}

export const isAborted = (db: Queryable) => () => db instanceof Lane && db.isAborted

interface Reader {
  db: Queryable
  caller: { accountId: number; mode: Mode }
}

interface SharedReadsOptions<Item, Result> {
  pool: ConnectionPool
  /** How many ids an item has. */
  weigh: (item: Item) => number
  /** Reads for several requests of one mode; what it returns has the results of all of them. */
  read: (db: Queryable, mode: Mode, items: readonly Item[]) => Promise<Result>
}

const maxItems = 64
const maxWeight = 1_600
/** Accounts share reads, but not all of them: one that is slow, or fails, is not everybody's. */
const lanes = 2

/** Reads of what every account may read: requests that come at once share a statement. A lone one is sent within its turn. */
export class SharedReads<Item, Result> {
  readonly #coalescer: Coalescer<Reader['caller'] & { item: Item }, Result>

  constructor({ pool, weigh, read }: SharedReadsOptions<Item, Result>) {
    this.#coalescer = new Coalescer<Reader['caller'] & { item: Item }, Result>({
      maxItems,
      maxWeight,
      weigh: ({ item }) => weigh(item),
      gathersTurn: true,
      send: async (asked) => {
        const { accountId, mode } = asked[0]!
        const items = asked.map(({ item }) => item)
        const result = await withOwnLane(pool, accountId, (lane) => read(lane, mode, items))
        return asked.map(() => result)
      },
    })
  }

  async read({ db, caller: { accountId, mode } }: Reader, item: Item): Promise<Result> {
    const reading = this.#coalescer.run(`${mode} ${accountId % lanes}`, { accountId, mode, item }, isAborted(db))
    return (await untilAborted(db, reading))!
  }
}
