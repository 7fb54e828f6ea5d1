import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../db/pool.ts'
import { isTimeOver } from '../../runtime/repeat.ts'
import { listen } from './queries.ts'

const firstRetryMs = 1_000
const longestRetryMs = 30_000

/**
 * Calls whenever the database tells of a new batch, until stopped. A connection that breaks is made anew; what it missed
 * is found by polling.
 */
export async function listenForBatches(pool: Pool, onBatch: () => void, stopped: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs
  do {
    try {
      await listenOnce(pool, onBatch, stopped)
      retryMs = firstRetryMs
    } catch {
      retryMs = Math.min(retryMs * 2, longestRetryMs)
    }
  } while (await isTimeOver(retryMs, stopped))
}

/** Resolves when the connection has ended. */
async function listenOnce(pool: Pool, onBatch: () => void, stopped: AbortSignal): Promise<void> {
  const client = await pool.connect()
  // Unheard, an error would end the process.
  client.on('error', () => {})
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

/** What a loop sleeps on: a call that comes while it works counts for the next sleep. */
export class WakeSignal {
  #isCalled = false
  #sleeping: AbortController | undefined

  call(): void {
    this.#isCalled = true
    this.#sleeping?.abort()
  }

  /** Ends with the time, or at the next call. Does not keep the process alive. */
  async sleep(timeMs: number): Promise<void> {
    if (!this.#isCalled) {
      this.#sleeping = new AbortController()
      await delay(timeMs, undefined, { signal: this.#sleeping.signal, ref: false }).catch(() => {})
      this.#sleeping = undefined
    }
    this.#isCalled = false
  }
}
