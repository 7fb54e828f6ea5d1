import { AsyncLocalStorage } from 'node:async_hooks'
import { onTestFinished, vi } from 'vitest'
import { Lane, type Pool } from '../../../src/foundation/db/pool.ts'

const background = new AsyncLocalStorage<true>()

/** Builds an app, whose timers and runners then count as background work. Let it listen outside: requests do not. */
export const inBackground = <T>(build: () => Promise<T>): Promise<T> => background.run(true, build)

/** Whether the caller is work that an app does by itself, whenever it is due, and no request. */
export const isInBackground = (): boolean => background.getStore() === true

/**
 * Records what requests send through the pool `db` until the test ends: the name of each statement, or its text. Background
 * work does not count, nor do searches in PostgreSQL, which have a pool of their own.
 */
export function watchStatements(db: Pool): () => string[] {
  const sent: string[] = []
  const { query } = Lane.prototype
  const watching = vi.spyOn(Lane.prototype, 'query').mockImplementation(function (this: Lane, statement, values) {
    if (this.connections === db.connections && !isInBackground())
      sent.push(typeof statement === 'string' ? statement : (statement.name ?? statement.text))
    return query.call(this, statement, values) as never
  })
  onTestFinished(() => watching.mockRestore())
  return () => [...sent]
}
