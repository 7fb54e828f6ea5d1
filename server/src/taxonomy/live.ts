import type { Queryable } from '../db/pool.ts'
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
