import { mergeSegments, segmentBytes, reportMemoryToGc } from '@storedex/search-index'
import { type ConnectionPool, createPool } from '../../db/pool.ts'
import { modes } from '../../kernel/ids.ts'
import { advanceCatalogue, type Catalogue, loadCatalogue, HistoryChangedError, requireSameHistory } from './catalogue.ts'
import { neededBytes, MemoryBudgetError, assertWithinBudget } from './memory-budget.ts'
import { type MergeInBackground, MergeScheduler } from './merge-scheduler.ts'
import { listenForBatches, WakeSignal } from './notifications.ts'
import { estimateRows, readCatalogueState } from './queries.ts'
import {
  type Feed,
  type ReplicaListener,
  type ReplicaReport,
  type ReplicaSettings,
  measureIndex,
  type StartReplica,
} from './replica.ts'
import { SnapshotStore } from './snapshot-store.ts'

const closeTimeoutMs = 2_000
const longestPauseMs = 2_000
const progressReportMs = 1_000
const longestPauseWithoutCatalogueMs = 30_000

/**
 * Keeps the catalogue in memory and follows the database: loads it, from a snapshot or from scratch, applies batches as
 * they commit, merges what has become small, and shows each state to the listener. One loop does it all, so that nothing
 * here happens at once; merges of many stores and the writing of snapshots go on beside it.
 */
export class ReplicaSync implements Feed {
  readonly #settings: ReplicaSettings
  readonly #listener: ReplicaListener
  readonly #pool: ConnectionPool
  readonly #stopping = new AbortController()
  readonly #wake = new WakeSignal()
  readonly #keeper: SnapshotStore | null
  readonly #merging: MergeScheduler
  readonly #running: Promise<unknown>
  #closing: Promise<void> | null = null

  #catalogue: Catalogue | null = null
  #isShown = false
  #isSnapshotDue = false
  #snapshotTriedAt = 0
  #failures = 0
  #overBudget: { error: MemoryBudgetError; checkedAt: number } | null = null
  #databaseBatch: number | null = null
  #behindSince: number | null = null
  #reportedAt = 0
  #load: ReplicaReport['load'] = null
  #figures: ReplicaReport['figures'] = null

  constructor(settings: ReplicaSettings, listener: ReplicaListener, mergeAside: MergeInBackground) {
    this.#settings = settings
    this.#listener = listener
    const url = settings.databaseUrl
    this.#pool = createPool({ url, applicationName: 'storedex search', maxConnections: 2 })
    const tell: ReplicaListener['onLine'] = (...line) => listener.onLine(...line)
    const { signal } = this.#stopping
    this.#keeper = settings.snapshotFile ? new SnapshotStore(settings.snapshotFile, this.#pool, tell, signal) : null
    this.#merging = new MergeScheduler(settings.timings, mergeAside, { tell, onEnd: () => this.#wake.call() })
    this.#running = Promise.all([this.#run(), listenForBatches(this.#pool, () => this.#wake.call(), signal)])
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopping.abort()
    this.#wake.call()
    const timeOver = new Promise((resolve) => setTimeout(resolve, closeTimeoutMs).unref())
    await Promise.race([this.#running.then(() => this.#keeper?.settled()), timeOver])
    await Promise.race([this.#pool.end(), timeOver])
  }

  async #run(): Promise<void> {
    const { pollMs } = this.#settings.timings
    while (!this.#stopping.signal.aborted) {
      const isMoreToDo = await this.#tryStep()
      // A load that fails costs more than a poll.
      const longestMs = this.#catalogue ? longestPauseMs : longestPauseWithoutCatalogueMs
      if (!isMoreToDo) await this.#wake.sleep(Math.min(pollMs * 2 ** this.#failures, longestMs))
    }
  }

  async #tryStep(): Promise<boolean> {
    try {
      const isMoreToDo = this.#catalogue ? await this.#follow(this.#catalogue) : await this.#begin()
      this.#settle()
      this.#failures = 0
      this.#report()
      return isMoreToDo
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#takeFailure(error)
      return error instanceof HistoryChangedError
    }
  }

  #takeFailure(error: unknown): void {
    if (error instanceof HistoryChangedError)
      this.#leave('the database has another history than the search index, which is made anew')
    else if (error instanceof MemoryBudgetError) this.#giveUpRoom(error)
    else if (this.#failures++ === 0)
      this.#listener.onLine('warn', 'the search index cannot follow the catalogue', error)
    // Whoever hears nothing knows that what is shown gets older.
    if (!this.#isShown) this.#report()
  }

  /** Brings the catalogue into memory, if there is room. */
  async #begin(): Promise<boolean> {
    if (this.#overBudget && performance.now() - this.#overBudget.checkedAt < this.#settings.timings.budgetCheckMs)
      return false
    this.#databaseBatch = (await readCatalogueState(this.#pool, 0)).batch
    const { budgetBytes } = this.#settings
    if (budgetBytes !== null)
      assertWithinBudget(await estimateRows(this.#pool), budgetBytes, { isReentry: this.#overBudget !== null })
    const startedAt = performance.now()
    const snapshot = await this.#keeper?.read()
    this.#catalogue = snapshot ?? (await loadCatalogue(this.#pool, this.#onProgress))
    this.#load = { from: snapshot ? 'snapshot' : 'postgres', seconds: (performance.now() - startedAt) / 1_000 }
    this.#isSnapshotDue = !snapshot
    this.#measure(this.#catalogue)
    this.#overBudget = null
    const { stores, bytes } = this.#figures!
    const origin = snapshot ? 'a snapshot' : 'the database'
    this.#listener.onLine(
      'info',
      `search index of ${stores} stores, ${Math.round(bytes / 1e6)} MB, read from ${origin} in ${this.#load.seconds.toFixed(1)} s`,
    )
    return true
  }

  /** Applies the next batches, if there are any. */
  async #follow(catalogue: Catalogue): Promise<boolean> {
    const point = await readCatalogueState(this.#pool, catalogue.batch)
    requireSameHistory(catalogue, point)
    this.#databaseBatch = point.batch
    if (point.batch === catalogue.batch) {
      this.#behindSince = null
      if (!this.#isShown) this.#show(catalogue)
      return false
    }
    this.#behindSince ??= performance.now()
    const { portionStores } = this.#settings.timings
    const advanced = await advanceCatalogue(this.#pool, catalogue, portionStores, this.#onProgress)
    this.#databaseBatch = advanced.newestBatch
    for (const mode of advanced.gone) this.#merging.forget(mode)
    this.#change(advanced.catalogue)
    return true
  }

  /** Merges what should be, and sees to the snapshot. */
  #settle(): void {
    if (!this.#catalogue) return
    const shelves = this.#merging.settle(this.#catalogue.shelves)
    if (shelves !== this.#catalogue.shelves) this.#change({ ...this.#catalogue, shelves })
    if (this.#merging.takeWholeMerge()) this.#isSnapshotDue = true
    this.#writeSnapshot(this.#catalogue)
  }

  /** A file never tells of people whom this process knows to be gone: it waits until they are merged away. */
  #writeSnapshot({ batch, mark, shelves }: Catalogue): void {
    const keeper = this.#keeper
    if (!keeper || keeper.isWriting || !this.#isShown || mark === null || this.#merging.isForgetting) return
    const isOld = performance.now() - this.#snapshotTriedAt >= this.#settings.timings.snapshotEveryMs
    if (!this.#isSnapshotDue && !(isOld && keeper.last?.batch !== batch)) return
    this.#isSnapshotDue = false
    this.#snapshotTriedAt = performance.now()
    keeper.write({ batch, mark, shelves })
  }

  /** The first state that is shown has all that the database had. */
  #change(catalogue: Catalogue): void {
    this.#catalogue = catalogue
    this.#measure(catalogue)
    if (this.#isShown) this.#show(catalogue)
  }

  #show({ batch, shelves }: Catalogue): void {
    this.#isShown = true
    this.#listener.onView({ batch, shelves })
  }

  #leave(line: string): void {
    this.#catalogue = null
    this.#figures = null
    this.#behindSince = null
    this.#merging.reset()
    if (this.#isShown) this.#listener.onView(null)
    this.#isShown = false
    this.#listener.onLine('warn', line)
  }

  #giveUpRoom(error: MemoryBudgetError): void {
    const isNews = this.#overBudget === null
    this.#overBudget = { error, checkedAt: performance.now() }
    if (!isNews && !this.#catalogue) return
    this.#keeper?.remove()
    this.#leave(`the search index is not kept in memory: ${error.message}; PostgreSQL answers`)
  }

  /** What is being read may take longer than a listener waits for news. */
  readonly #onProgress = (stores: number, contacts: number): void => {
    this.#stopping.signal.throwIfAborted()
    assertWithinBudget({ stores, contacts }, this.#settings.budgetBytes)
    if (performance.now() - this.#reportedAt >= progressReportMs) this.#report()
  }

  #measure({ shelves }: Catalogue): void {
    const segments = modes.flatMap((mode) => shelves[mode])
    for (const segment of segments) reportMemoryToGc(segment)
    const bytes = segments.reduce((sum, { segment }) => sum + segmentBytes(segment), 0)
    this.#figures = { ...measureIndex(shelves), bytes }
    assertWithinBudget(this.#figures, this.#settings.budgetBytes)
  }

  #report(): void {
    this.#reportedAt = performance.now()
    const since = this.#behindSince
    this.#listener.onReport({
      reason: this.#isShown ? null : (this.#overBudget?.error.message ?? 'the search index is being loaded'),
      databaseBatch: this.#databaseBatch,
      behindSeconds: since === null ? 0 : (performance.now() - since) / 1_000,
      neededBytes: this.#overBudget?.error.neededBytes ?? (this.#figures && neededBytes(this.#figures)),
      figures: this.#figures,
      load: this.#load,
      snapshot: this.#keeper?.last ?? null,
    })
  }
}

/** A feed in the thread that asks for it: for what is small, or measures it. */
export const runInProcess: StartReplica = (settings, listener) =>
  new ReplicaSync(settings, listener, async (parts) => mergeSegments(parts))
