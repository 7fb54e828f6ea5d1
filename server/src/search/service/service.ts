import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ContactSortKey, CountResult, StoreSortKey } from '@storedex/search-index'
import { type SliceScheduler, slices } from '@storedex/work'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { availableMemory, minimumMemory } from '../../foundation/runtime/memory.ts'
import { type Counter, countInProcess, prepareCountJob, type StartCounting } from '../counting/counter.ts'
import type { ContactSearch, CountSearch, SearchEngine, StoreSearch } from '../engines/engine.ts'
import { contactScanOf, storeScanOf } from '../engines/memory.ts'
import { megabyte } from '../replica/memory-budget.ts'
import {
  type CatalogueIndex,
  defaultTimings,
  type Replica,
  type ReplicaListener,
  type ReplicaReport,
  type ReplicaSettings,
  type ReplicaTimings,
  type StartReplica,
} from '../replica/replica.ts'
import { warmUp } from '../replica/warm-up.ts'

/** `memory` and `auto` keep the index in memory; `auto` only if it fits. */
export type EngineChoice = 'memory' | 'postgres' | 'auto'

export interface SearchServiceOptions {
  postgres: SearchEngine
  choice: EngineChoice
  /** Null: no index in memory. */
  replica: { start: StartReplica; settings: ReplicaSettings } | null
  /** How counts over the index in memory run; by default in this thread. */
  startCounting?: StartCounting
  /** Divides the time of searches in memory; by default the scheduler of the process. */
  slices?: SliceScheduler
  onLog: ReplicaListener['onLog']
}

export interface SearchStatus {
  /** The engine that answers now. */
  engine: 'memory' | 'postgres'
  /** Why memory does not answer, as a phrase; null if it does or is not wanted. */
  reason: string | null
  /** The batch of the index in use. */
  batch: number | null
  /** Null before the first report, and without a replica. */
  report: ReplicaReport | null
}

/** A replica reports after every check of the database. After this silence its index is too old to use. */
const longestSilenceMs = 10_000

/** The search engine of requests: memory while the index is loaded and up to date, else PostgreSQL. */
export class SearchService implements SearchEngine {
  readonly #postgres: SearchEngine
  readonly #choice: EngineChoice
  readonly #replica: Replica | null
  readonly #counter: Counter
  readonly #slices: SliceScheduler
  readonly #onLog: ReplicaListener['onLog']
  /** The newest index, and the index in use: none before warm-up. */
  #newest: CatalogueIndex | null = null
  #served: CatalogueIndex | null = null
  #warmth: 'cold' | 'warming' | 'warm' = 'cold'
  #report: ReplicaReport | null = null
  #lastMessageAt = 0
  readonly #waiting = new Set<() => void>()

  constructor(options: SearchServiceOptions) {
    const { postgres, choice, replica, startCounting = countInProcess, onLog } = options
    this.#postgres = postgres
    this.#slices = options.slices ?? slices
    this.#choice = choice
    this.#onLog = onLog
    this.#counter = startCounting(onLog)
    const listener: ReplicaListener = {
      onIndex: (index) => this.#receiveIndex(index),
      onReport: (report) => {
        this.#report = report
        this.#lastMessageAt = performance.now()
      },
      onLog,
    }
    this.#replica = replica && choice !== 'postgres' ? replica.start(replica.settings, listener) : null
  }

  async findStores(search: StoreSearch): Promise<StoreSortKey[]> {
    const index = this.#index
    if (!index) return this.#postgres.findStores(search)
    return this.#slices.run(storeScanOf(index.lists[search.mode], search))
  }

  async findContacts(search: ContactSearch): Promise<ContactSortKey[]> {
    const index = this.#index
    if (!index) return this.#postgres.findContacts(search)
    return this.#slices.run(contactScanOf(index.lists[search.mode], search))
  }

  async count(search: CountSearch): Promise<CountResult> {
    const index = this.#index
    if (index) {
      const job = await this.#slices.runSteps((pace) => prepareCountJob(index, search, pace))
      return this.#counter.count(job)
    }
    if (hasFacets(search)) throw facetsNeedMemory(this.status().reason)
    return this.#postgres.count(search)
  }

  status(): SearchStatus {
    const index = this.#index
    return {
      engine: index ? 'memory' : 'postgres',
      reason: index || !this.#replica ? null : this.#reason(),
      batch: index?.batch ?? null,
      report: this.#report,
    }
  }

  /** Why the process is not ready: the operator requires memory, and it does not answer. */
  readinessFailure(): string | null {
    const { engine, reason } = this.status()
    return this.#choice === 'memory' && engine === 'postgres'
      ? `Search does not run in memory: ${reason ?? 'there is no index'}.`
      : null
  }

  /** Resolves when memory answers with this batch or a later one. */
  async waitForBatch(batch: number): Promise<void> {
    while ((this.#index?.batch ?? -1) < batch) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  async close(): Promise<void> {
    await this.#replica?.close()
    this.#receiveIndex(null)
    await this.#counter.close()
  }

  get #index(): CatalogueIndex | null {
    return performance.now() - this.#lastMessageAt < longestSilenceMs ? this.#served : null
  }

  #reason(): string {
    if (this.#served) return 'the search index thread stopped responding'
    if (this.#newest) return 'the search index is being warmed up'
    return this.#report?.reason ?? 'the search index is being loaded'
  }

  #receiveIndex(index: CatalogueIndex | null): void {
    this.#newest = index
    this.#lastMessageAt = performance.now()
    if (index && this.#warmth !== 'warm' && !isEmpty(index)) {
      this.#served = null
      void this.#warmUp(index)
    } else this.#serve(index)
  }

  async #warmUp(index: CatalogueIndex): Promise<void> {
    if (this.#warmth === 'warming') return
    this.#warmth = 'warming'
    try {
      await warmUp(index.lists, this.#slices)
      this.#warmth = 'warm'
      this.#serve(this.#newest)
    } catch (error) {
      this.#warmth = 'cold'
      this.#onLog('error', 'the search index failed during warm-up; PostgreSQL answers', error)
    }
  }

  #serve(index: CatalogueIndex | null): void {
    this.#served = index
    this.#counter.follow(index)
    this.#resolveWaiting()
  }

  #resolveWaiting(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

function hasFacets({ parts }: CountSearch): boolean {
  return parts.some(({ facets, peopleBy }) => facets.length + peopleBy.length > 0)
}

function facetsNeedMemory(reason: string | null): Refusal {
  const why = reason ?? 'this installation searches with PostgreSQL'
  return new Refusal(
    'service_unavailable',
    `Facets are counted by the search index in memory, which does not answer: ${why}. Ask without facets.`,
  )
}

function isEmpty({ lists }: CatalogueIndex): boolean {
  return lists.live.length === 0 && lists.test.length === 0
}

export interface SearchSettings {
  searchEngine: EngineChoice
  searchMemoryMb: number | null
  dataDir: string
  databaseUrl: string
  databaseReplicaUrl?: string | null
  /** Names the snapshot file: other installations may share the data directory. */
  secret: Buffer
  postgres: SearchEngine
  onLog: ReplicaListener['onLog']
}

// Enough for the demonstration catalogue on the smallest machine.
const leastShareMb = 16

/** Opens the search of this process according to the settings. */
export function openSearch(
  settings: SearchSettings,
  {
    startReplica,
    startCounting,
    slices,
    timings,
  }: {
    startReplica?: StartReplica
    startCounting?: StartCounting
    slices?: SliceScheduler
    timings?: Partial<ReplicaTimings>
  },
): SearchService {
  const { searchEngine: choice, postgres, onLog, databaseUrl } = settings
  const replicaSettings = {
    databaseUrl,
    standbyUrl: settings.databaseReplicaUrl ?? null,
    snapshotFile: snapshotFile(settings),
    budgetBytes: searchBudget(settings),
    timings: { ...defaultTimings, ...timings },
  }
  // It would no longer be updated, and would show people who are erased from now on.
  if (startReplica && choice === 'postgres') rmSync(replicaSettings.snapshotFile, { force: true })
  const replica = startReplica ? { start: startReplica, settings: replicaSettings } : null
  return new SearchService({
    postgres,
    choice,
    replica,
    onLog,
    ...(startCounting && { startCounting }),
    ...(slices && { slices }),
  })
}

/** How many bytes the index may need while it is loaded; null for any number. */
export function searchBudget({
  searchEngine,
  searchMemoryMb,
}: Pick<SearchSettings, 'searchEngine' | 'searchMemoryMb'>): number | null {
  if (searchEngine === 'memory') return null
  return searchMemoryMb === null ? shareOf(availableMemory()) : searchMemoryMb * megabyte
}

function snapshotFile({ dataDir, secret }: SearchSettings): string {
  const installation = createHmac('sha256', secret).update('search snapshot').digest('hex').slice(0, 16)
  return join(dataDir, 'search', `catalogue-${installation}.snapshot`)
}

/** Half of the memory that the service itself does not need. */
function shareOf(bytes: number): number {
  const left = bytes - minimumMemory({ embedsPostgres: true })
  return Math.max(leastShareMb, Math.floor(left / 2 / megabyte)) * megabyte
}
