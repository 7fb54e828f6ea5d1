import { Coalescer } from '@storedex/work'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ConnectionPool, Lane, type Queryable } from '../db/pool.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Mode } from '../kernel/ids.ts'

interface OpenLane {
  lane: Lane
  deadline: NodeJS.Timeout
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The database for this request's statements: queued fairly per account, and aborted at the request's deadline. */
    readonly db: Lane
    /** The lane that `db` opened, and its deadline; null before the first statement. */
    openLane: OpenLane | null
  }
}

export interface RequestDatabaseOptions {
  pool: ConnectionPool
  /** How long a request's statements may take together, from the first one on, waiting included. */
  deadlineMs?: number
}

/** Requests are answered within ten seconds; this leaves time for the work before and after the database. */
const statementsDeadlineMs = 8_500

// For pages and webhooks, which have no key.
const keyless = 'keyless'

/** Adds `request.db`. When the database does not answer in time, the request gets a 503. */
export function registerRequestDatabase(
  app: FastifyInstance,
  { pool, deadlineMs = statementsDeadlineMs }: RequestDatabaseOptions,
): void {
  app.decorateRequest('holder', null)
  app.decorateRequest('openLane', null)
  app.decorateRequest('db', {
    getter(this: FastifyRequest) {
      if (this.openLane) return this.openLane.lane
      const lane = this.holder === null ? pool.lane(keyless) : pool.holderLane(this.holder)
      const deadline = setTimeout(() => lane.abort(statementsTimeoutError(deadlineMs)), deadlineMs).unref()
      this.openLane = { lane, deadline }
      return lane
    },
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    clearTimeout(request.openLane?.deadline)
    done(null, payload)
  })
}

/** The error of a request whose statements took too long. */
function statementsTimeoutError(deadlineMs: number): Refusal {
  return new Refusal('service_unavailable', 'The service is busy or restarting; try again in a moment.', {
    cause: new Error(`the database did not answer within ${deadlineMs} ms`),
  })
}

/** Runs work for several requests of an account. It belongs to none of them, so it has a lane and a deadline of its own. */
export async function withOwnLane<T>(
  pool: ConnectionPool,
  accountId: number,
  work: (lane: Lane) => Promise<T>,
): Promise<T> {
  const lane = pool.holderLane(`account ${accountId}`)
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
