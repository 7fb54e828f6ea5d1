import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../foundation/db/pool.ts'
import { sleepUnlessStopped } from '../../foundation/runtime/timing.ts'
import { listen } from './queries.ts'

const firstRetryMs = 1_000
const longestRetryMs = 30_000

/** Calls `onBatch` for every notification of a new batch until stopped. Reconnects; polling finds what was missed. */
export async function listenForBatches(pool: Pool, onBatch: () => void, stopped: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs
  do {
    try {
      await listenOnce(pool, onBatch, stopped)
      retryMs = firstRetryMs
    } catch {
      retryMs = Math.min(retryMs * 2, longestRetryMs)
    }
  } while (await sleepUnlessStopped(retryMs, stopped))
}

/** Resolves when the connection has ended. */
async function listenOnce(pool: Pool, onBatch: () => void, stopped: AbortSignal): Promise<void> {
  const client = await pool.connect()
  client.on('notification', onBatch)
  try {
    const ended = once(client, 'end', { signal: stopped })
    await Promise.race([ended, listen(client)])
    onBatch()
    await ended
  } finally {
    client.release(true)
  }
}

/** Interrupts the sleep of a loop. A wake-up that comes while the loop works ends its next sleep at once. */
export class WakeSignal {
  #isPending = false
  #sleeping: AbortController | undefined

  wake(): void {
    this.#isPending = true
    this.#sleeping?.abort()
  }

  /** Resolves after the time or at the next wake-up. Does not keep the process alive. */
  async sleep(timeMs: number): Promise<void> {
    if (!this.#isPending) {
      this.#sleeping = new AbortController()
      await delay(timeMs, undefined, { signal: this.#sleeping.signal, ref: false }).catch(() => {})
      this.#sleeping = undefined
    }
    this.#isPending = false
  }
}
