import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ContactSortKey,
  scanContacts,
  scanStores,
  type StoreSortKey,
} from '@storedex/search-index'
import { availableMemory, leastMemory } from '../runtime/memory.ts'
import type { ContactSearch, SearchEngine, StoreSearch } from './engine.ts'
import { megabyte } from './replica/memory-budget.ts'
import {
  type CatalogueView,
  type Feed,
  type ReplicaListener,
  type ReplicaReport,
  type ReplicaSettings,
  type ReplicaTimings,
  defaultTimings,
  type StartReplica,
} from './replica/replica.ts'
import { warmUp } from './warm-up.ts'

/** `memory` and `auto` follow the catalogue in memory; `auto` as long as there is room. */
export type EngineChoice = 'memory' | 'postgres' | 'auto'

export interface SearchServiceOptions {
  postgres: SearchEngine
  choice: EngineChoice
  /** Null: nothing is kept in memory. */
  feed: { start: StartReplica; settings: ReplicaSettings } | null
  onLine: ReplicaListener['onLine']
}

export interface SearchStatus {
  /** Which one answers now. */
  engine: 'memory' | 'postgres'
  /** Why not memory, in words; null when memory answers or is not wanted. */
  reason: string | null
  /** The batch that memory answers from. */
  batch: number | null
  /** Null before the first, and where there is no feed. */
  report: ReplicaReport | null
}

/** A feed tells something with every look at the database; what one says that is silent for so long is too old. */
const longestSilenceMs = 10_000

/**
 * The search that requests use. Memory answers once it has the catalogue, and as long as it follows; PostgreSQL at all
 * other times.
 */
export class SearchService implements SearchEngine {
  readonly #postgres: SearchEngine
  readonly #choice: EngineChoice
  readonly #feed: Feed | null
  readonly #onLine: ReplicaListener['onLine']
  /** The newest view, and the one that is searched: none before the code is warm. */
  #newest: CatalogueView | null = null
  #served: CatalogueView | null = null
  #warmth: 'cold' | 'warming' | 'warm' = 'cold'
  #report: ReplicaReport | null = null
  #heardAt = 0
  readonly #waiting = new Set<() => void>()

  constructor({ postgres, choice, feed, onLine }: SearchServiceOptions) {
    this.#postgres = postgres
    this.#choice = choice
    this.#onLine = onLine
    const listener: ReplicaListener = {
      onView: (view) => this.#takeView(view),
      onReport: (report) => {
        this.#report = report
        this.#heardAt = performance.now()
      },
      onLine,
    }
    this.#feed = feed && choice !== 'postgres' ? feed.start(feed.settings, listener) : null
  }

  async findStores(search: StoreSearch): Promise<StoreSortKey[]> {
    const view = this.#view
    if (!view) return this.#postgres.findStores(search)
    return scanStores(view.shelves[search.mode], search.query, search.after, search.limit)
  }

  async findContacts(search: ContactSearch): Promise<ContactSortKey[]> {
    const view = this.#view
    if (!view) return this.#postgres.findContacts(search)
    return scanContacts(view.shelves[search.mode], search)
  }

  status(): SearchStatus {
    const view = this.#view
    return {
      engine: view ? 'memory' : 'postgres',
      reason: view || !this.#feed ? null : this.#reason(),
      batch: view?.batch ?? null,
      report: this.#report,
    }
  }

  /** Why the process is not ready although the database answers: the operator insists on memory. */
  readinessProblem(): string | null {
    const { engine, reason } = this.status()
    return this.#choice === 'memory' && engine === 'postgres'
      ? `Search does not run in memory: ${reason ?? 'there is no index'}.`
      : null
  }

  /** Resolves once memory answers from a batch or a later one. */
  async reaches(batch: number): Promise<void> {
    while ((this.#view?.batch ?? -1) < batch) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  async close(): Promise<void> {
    await this.#feed?.close()
    this.#takeView(null)
  }

  get #view(): CatalogueView | null {
    return performance.now() - this.#heardAt < longestSilenceMs ? this.#served : null
  }

  #reason(): string {
    if (this.#served) return 'nothing is heard of the search index any more'
    if (this.#newest) return 'the search index is being warmed up'
    return this.#report?.reason ?? 'the search index is being loaded'
  }

  #takeView(view: CatalogueView | null): void {
    this.#newest = view
    this.#heardAt = performance.now()
    if (view && this.#warmth !== 'warm' && !isEmpty(view)) {
      this.#served = null
      this.#warmUp(view)
    } else {
      this.#served = view
      this.#announce()
    }
  }

  async #warmUp(view: CatalogueView): Promise<void> {
    if (this.#warmth === 'warming') return
    this.#warmth = 'warming'
    try {
      await warmUp(view.shelves)
      this.#warmth = 'warm'
      this.#served = this.#newest
      this.#announce()
    } catch (error) {
      this.#warmth = 'cold'
      this.#onLine('error', 'the search index cannot be searched; PostgreSQL answers', error)
    }
  }

  #announce(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

function isEmpty({ shelves }: CatalogueView): boolean {
  return shelves.live.length === 0 && shelves.test.length === 0
}

export interface SearchSettings {
  searchEngine: EngineChoice
  searchMemoryMb: number | null
  dataDir: string
  databaseUrl: string
  /** The installation's own: databases of other installations may share the data directory. */
  secret: Buffer
  postgres: SearchEngine
  onLine: ReplicaListener['onLine']
}

// Enough for the demonstration, on the smallest machine.
const leastShareMb = 16

/** The search of this process, as the operator wants it. */
export function openSearch(
  settings: SearchSettings,
  { startFeed, timings }: { startFeed?: StartReplica; timings?: Partial<ReplicaTimings> },
): SearchService {
  const { searchEngine: choice, searchMemoryMb, postgres, onLine, databaseUrl } = settings
  const feedSettings = {
    databaseUrl,
    snapshotFile: snapshotFile(settings),
    budgetBytes:
      choice === 'memory' ? null : searchMemoryMb === null ? shareOf(availableMemory()) : searchMemoryMb * megabyte,
    timings: { ...defaultTimings, ...timings },
  }
  // Nobody would keep it true: it would still tell of people who are erased from now on.
  if (startFeed && choice === 'postgres') rmSync(feedSettings.snapshotFile, { force: true })
  const feed = startFeed ? { start: startFeed, settings: feedSettings } : null
  return new SearchService({ postgres, choice, feed, onLine })
}

function snapshotFile({ dataDir, secret }: SearchSettings): string {
  const installation = createHmac('sha256', secret).update('search snapshot').digest('hex').slice(0, 16)
  return join(dataDir, 'search', `catalogue-${installation}.snapshot`)
}

/** Half of what is left beside the service itself, which on a small machine is most of it. */
function shareOf(bytes: number): number {
  const left = bytes - leastMemory({ embedsPostgres: true })
  return Math.max(leastShareMb, Math.floor(left / 2 / megabyte)) * megabyte
}
