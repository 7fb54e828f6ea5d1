import type { Pool } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'

const maxAtOnce = 4
const maxWaitMs = 5_000
const retryAfterSeconds = 5

interface Turns {
  running: number
  waiting: Set<() => void>
}

const turnsOf = new WeakMap<Pool['connections'], Turns>()

/**
 * Limits how many connections of a pool are held at once while waiting for the payment provider, so that a slow provider
 * leaves connections for data requests. Throws `billing_provider_unavailable` after waiting five seconds.
 */
export async function withConcurrencyLimit<T>(db: Pool, work: () => Promise<T>): Promise<T> {
  const turns = turnsOf.get(db.connections) ?? { running: 0, waiting: new Set() }
  turnsOf.set(db.connections, turns)
  await takeTurn(turns)
  try {
    return await work()
  } finally {
    passTurn(turns)
  }
}

async function takeTurn(turns: Turns): Promise<void> {
  if (turns.running < maxAtOnce) {
    turns.running += 1
    return
  }
  await new Promise<void>((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      turns.waiting.delete(begin)
      reject(
        new ApiError('billing_provider_unavailable', 'The payment provider is slow; try again in a moment.', {
          retryAfterSeconds,
        }),
      )
    }, maxWaitMs)
    turns.waiting.add(begin)
  })
}

/** First come, first served. */
function passTurn(turns: Turns): void {
  const [next] = turns.waiting
  if (!next) {
    turns.running -= 1
    return
  }
  turns.waiting.delete(next)
  next()
}
