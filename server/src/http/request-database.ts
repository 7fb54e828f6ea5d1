import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ConnectionPool, Lane } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The database, for this request's statements: queued with its holder's others, and ended at its deadline. */
    readonly db: Lane
    /** Whose request it is, for fair queueing; null before that is known and for requests without a key. */
    holder: string | null
  }
}

export interface RequestDatabaseOptions {
  pool: ConnectionPool
  /** How long a request's statements may take in all, waiting included, from the first one on. */
  deadlineMs?: number
}

/** Callers are answered within ten seconds; this leaves time for what comes before and after the database. */
const defaultDeadlineMs = 8_500

// Pages and webhooks, which come without a key.
const keyless = 'keyless'

/** Gives every request a database of its own. When it does not answer in time, the request is answered with 503. */
export function registerRequestDatabase(
  app: FastifyInstance,
  { pool, deadlineMs = defaultDeadlineMs }: RequestDatabaseOptions,
): void {
  const lanes = new WeakMap<FastifyRequest, { lane: Lane; deadline: NodeJS.Timeout }>()
  app.decorateRequest('holder', null)
  app.decorateRequest('db', {
    getter(this: FastifyRequest) {
      const lent = lanes.get(this)
      if (lent) return lent.lane
      const lane = this.holder === null ? pool.lane(keyless) : pool.accountLane(this.holder)
      const deadline = setTimeout(() => lane.abort(tooSlow(deadlineMs)), deadlineMs).unref()
      lanes.set(this, { lane, deadline })
      return lane
    },
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    clearTimeout(lanes.get(request)?.deadline)
    done(null, payload)
  })
}

function tooSlow(deadlineMs: number): ApiError {
  return new ApiError('service_unavailable', 'The service is busy or restarting; try again in a moment.', {
    cause: new Error(`the database did not answer within ${deadlineMs} ms`),
  })
}
