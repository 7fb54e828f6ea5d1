import type { Queryable } from '../db/pool.ts'
import { isTimeOver } from '../kernel/wait.ts'
import { readTaxonomyVersion } from './queries.ts'
import { loadTaxonomy, type Taxonomy } from './taxonomy.ts'

/** The taxonomy that this process serves, following the database's. A request takes `current` once and keeps to it. */
export class LiveTaxonomy {
  readonly #db: Queryable
  #current: Taxonomy
  #lastRefresh: Promise<unknown> = Promise.resolve()

  private constructor(db: Queryable, current: Taxonomy) {
    this.#db = db
    this.#current = current
  }

  static async open(db: Queryable): Promise<LiveTaxonomy> {
    return new LiveTaxonomy(db, await loadTaxonomy(db))
  }

  get current(): Taxonomy {
    return this.#current
  }

  /** Afterwards, `current` is no older than the moment of the call. Refreshes take turns, so none undoes a later one. */
  refresh(): Promise<void> {
    const refreshed = this.#lastRefresh.then(async () => {
      if ((await readTaxonomyVersion(this.#db)) !== this.#current.version) this.#current = await loadTaxonomy(this.#db)
    })
    this.#lastRefresh = refreshed.catch(() => {})
    return refreshed
  }
}

/**
 * Refreshes in a steady rhythm until stopped; `stop` resolves once nothing runs any more. While the database is away the
 * last taxonomy stays in use; `onOutage` hears of it once, not at every try.
 */
export function watchTaxonomy(
  taxonomy: LiveTaxonomy,
  options: { intervalMs: number; onOutage: (error: unknown) => void },
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const watching = (async () => {
    let isAway = false
    while (await isTimeOver(options.intervalMs, signal)) {
      try {
        await taxonomy.refresh()
        isAway = false
      } catch (error) {
        if (!isAway) options.onOutage(error)
        isAway = true
      }
    }
  })()
  return {
    stop: () => {
      stopping.abort()
      return watching
    },
  }
}
