import type { Queryable } from '../../db/pool.ts'
import { type CatalogueStatistics, readStatistics } from './statistics.ts'

const refreshAfterMs = 60_000

/** What PostgreSQL knows of the catalogue, read again now and then. Nobody waits for it but the first. */
export class LiveStatistics {
  readonly #db: Queryable
  #current: Promise<CatalogueStatistics> | null = null
  #readAt = 0

  constructor(db: Queryable) {
    this.#db = db
  }

  current(): Promise<CatalogueStatistics> {
    if (!this.#current || performance.now() - this.#readAt > refreshAfterMs) this.#refresh()
    return this.#current!
  }

  #refresh(): void {
    const before = this.#current
    this.#readAt = performance.now()
    const reading = readStatistics(this.#db)
    const settle = (current: Promise<CatalogueStatistics> | null) => {
      this.#current = current
    }
    if (!before) this.#current = reading
    // A failure leaves what was known; the search that comes next meets the same trouble, and tells.
    reading.then(
      () => settle(reading),
      () => settle(before),
    )
  }
}
