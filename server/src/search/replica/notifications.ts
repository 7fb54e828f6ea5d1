import { once } from 'node:events'
import type { Pool } from '../../db/pool.ts'
import { isTimeOver } from '../../kernel/wait.ts'
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
