import type { Pool } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'

const maxConcurrent = 4
const maxWaitMs = 5_000
const retryAfterSeconds = 5

interface LimiterState {
  running: number
  waiting: Set<() => void>
}

const limiterStates = new WeakMap<Pool['connections'], LimiterState>()

/**
 * Limits how many connections of a pool are held at once while waiting for the payment provider, so that a slow provider
 * leaves connections for data requests. Throws `billing_provider_unavailable` after waiting five seconds.
 */
export async function withConcurrencyLimit<T>(db: Pool, work: () => Promise<T>): Promise<T> {
  const state = limiterStates.get(db.connections) ?? { running: 0, waiting: new Set() }
  limiterStates.set(db.connections, state)
  await acquire(state)
  try {
    return await work()
  } finally {
    release(state)
  }
}

async function acquire(state: LimiterState): Promise<void> {
  if (state.running < maxConcurrent) {
    state.running += 1
    return
  }
  await new Promise<void>((resolve, reject) => {
    const grant = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      state.waiting.delete(grant)
      reject(
        new ApiError('billing_provider_unavailable', 'The payment provider is slow; try again in a moment.', {
          retryAfterSeconds,
        }),
      )
    }, maxWaitMs)
    state.waiting.add(grant)
  })
}

/** First come, first served. */
function release(state: LimiterState): void {
  const [next] = state.waiting
  if (!next) {
    state.running -= 1
    return
  }
  state.waiting.delete(next)
  next()
}
