import { withTimeout } from './timeout.ts'

/**
 * Work that runs one at a time for each key. Others for the key decide when its end comes: they may run theirs, find that it
 * has been done, or give up.
 */
export class KeyedMutex {
  readonly #running = new Map<string, Promise<void>>()

  has(key: string): boolean {
    return this.#running.has(key)
  }

  /** Resolves to true when the work with this key has ended, to false after `timeoutMs`. */
  waitForEnd(key: string, timeoutMs: number): Promise<boolean> {
    const end = (this.#running.get(key) ?? Promise.resolve()).then(() => true)
    return withTimeout(end, timeoutMs, () => false)
  }

  /** Call it only while no work holds the key. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#running.has(key)) throw new Error('other work holds this key')
    const result = work()
    const end = () => void this.#running.delete(key)
    this.#running.set(key, result.then(end, end))
    return result
  }
}
