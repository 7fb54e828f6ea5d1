import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ConnectionPool, Lane } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'

interface OpenLane {
  lane: Lane
  deadline: NodeJS.Timeout
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The database for this request's statements: queued fairly per account, and aborted at the request's deadline. */
    readonly db: Lane
    /** The request's account, for fair queueing; null before it is known and for requests without a key. */
    holder: string | null
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
export const statementsDeadlineMs = 8_500

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
      const lane = this.holder === null ? pool.lane(keyless) : pool.accountLane(this.holder)
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
export function statementsTimeoutError(deadlineMs: number): ApiError {
  return new ApiError('service_unavailable', 'The service is busy or restarting; try again in a moment.', {
    cause: new Error(`the database did not answer within ${deadlineMs} ms`),
  })
}
