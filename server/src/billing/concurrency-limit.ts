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
 * Bounds how many at once hold a connection of a pool while they wait for the payment provider: however slow it is, the
 * other connections are left to requests for data.
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

/** Whoever has waited longest gets it. */
function passTurn(turns: Turns): void {
  const [next] = turns.waiting
  if (!next) {
    turns.running -= 1
    return
  }
  turns.waiting.delete(next)
  next()
}
