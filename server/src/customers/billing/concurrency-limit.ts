import { FairQueue } from '@storedex/work'
import type { Pool } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'

const maxConcurrent = 4
const maxWaitMs = 5_000
const retryAfterSeconds = 5

/** All accounts wait in one line: first come, first served. */
const everyAccount = { name: 'billing', maxPermits: maxConcurrent }

const queues = new WeakMap<Pool['connections'], FairQueue>()

/**
 * Limits the connections of a pool that wait for the payment provider at once, so that a slow provider
 * leaves connections for data requests. Throws `billing_provider_unavailable` after waiting five seconds.
 */
export function withConcurrencyLimit<T>(db: Pool, work: () => Promise<T>): Promise<T> {
  let queue = queues.get(db.connections)
  if (!queue) {
    queue = new FairQueue(maxConcurrent, { maxWaitMs, refuse: slowProviderError })
    queues.set(db.connections, queue)
  }
  return queue.run(everyAccount, work)
}

function slowProviderError(): Refusal {
  return new Refusal('billing_provider_unavailable', 'The payment provider is slow; try again in a moment.', {
    retryAfterSeconds,
  })
}
