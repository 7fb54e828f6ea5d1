import { setTimeout as delay } from 'node:timers/promises'

/** What runs in this process under a name, at most one thing at a time. */
export class RunningKeys {
  readonly #running = new Map<string, Promise<void>>()

  has(name: string): boolean {
    return this.#running.has(name)
  }

  /** True once what runs under the name has ended, false when that takes longer than given. */
  async isOver(name: string, waitMs: number): Promise<boolean> {
    const stopped = new AbortController()
    const isTooLate = delay(waitMs, false, { signal: stopped.signal }).catch(() => false)
    const isOver = (this.#running.get(name) ?? Promise.resolve()).then(() => true)
    try {
      return await Promise.race([isOver, isTooLate])
    } finally {
      stopped.abort()
    }
  }

  /** Only where nothing runs under the name. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = work()
    const end = () => void this.#running.delete(name)
    this.#running.set(name, result.then(end, end))
    return result
  }
}
