import { mergeSegments, reportMemoryToGc, segmentBytes } from '@storedex/search-index'
import { type ConnectionPool, createPool, type Pool } from '../../foundation/db/pool.ts'
import { modes } from '../../foundation/kernel/ids.ts'
import {
  advanceCatalogue,
  type Catalogue,
  HistoryChangedError,
  IncompleteBatchError,
  loadCatalogue,
  requireSameHistory,
} from './catalogue.ts'
import { assertWithinBudget, estimateNeededBytes, MemoryBudgetError } from './memory-budget.ts'
import { type MergeInBackground, MergeScheduler } from './merge-scheduler.ts'
import { listenForBatches, WakeSignal } from './notifications.ts'
import { type CatalogueState, estimateRows, readCatalogueState } from './queries.ts'
import {
  measureIndex,
  type Replica,
  type ReplicaListener,
  type ReplicaReport,
  type ReplicaSettings,
  type StartReplica,
} from './replica.ts'
import { SnapshotStore } from './snapshot-store.ts'
import { Standby } from './standby.ts'

const closeTimeoutMs = 2_000
const longestPauseMs = 2_000
const progressReportMs = 1_000
const longestPauseWithoutCatalogueMs = 30_000
/** Rows that are still missing after this time were not written by this service: the batch is taken as it is. */
const longestIncompleteMs = 300_000

/**
 * Keeps the index in sync with the database: loads it from a snapshot file or from the tables, applies batches as they commit,
 * merges segments, and sends each state to the listener. One loop does all of it, so nothing here runs concurrently except
 * large merges and writing snapshots.
 */
export class ReplicaSync implements Replica {
  readonly #settings: ReplicaSettings
  readonly #listener: ReplicaListener
  readonly #pool: ConnectionPool
  readonly #standby: Standby | null
  readonly #stopping = new AbortController()
  readonly #wakeSignal = new WakeSignal()
  readonly #snapshots: SnapshotStore | null
  readonly #merges: MergeScheduler
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
  #incompleteSince: number | null = null
  #reportedAt = 0
  #load: ReplicaReport['load'] = null
  #figures: ReplicaReport['figures'] = null

  constructor(settings: ReplicaSettings, listener: ReplicaListener, mergeInBackground: MergeInBackground) {
    this.#settings = settings
    this.#listener = listener
    const url = settings.databaseUrl
    this.#pool = createPool({ url, applicationName: 'storedex search', maxConnections: 2 })
    const log: ReplicaListener['onLog'] = (...line) => listener.onLog(...line)
    const { standbyUrl } = settings
    const reading = { primary: this.#pool, applicationName: 'storedex search', maxConnections: 1, onLog: log }
    this.#standby = standbyUrl ? new Standby({ ...reading, url: standbyUrl, use: 'the search index' }) : null
    const { signal } = this.#stopping
    this.#snapshots = settings.snapshotFile ? new SnapshotStore(settings.snapshotFile, this.#pool, log, signal) : null
    this.#merges = new MergeScheduler(settings.timings, mergeInBackground, {
      log,
      onEnd: () => this.#wakeSignal.wake(),
    })
    this.#running = Promise.all([this.#run(), listenForBatches(this.#pool, () => this.#wakeSignal.wake(), signal)])
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopping.abort()
    this.#wakeSignal.wake()
    const timeOver = new Promise((resolve) => setTimeout(resolve, closeTimeoutMs).unref())
    await Promise.race([this.#running.then(() => this.#snapshots?.settled()), timeOver])
    await Promise.race([Promise.all([this.#pool.end(), this.#standby?.close()]), timeOver])
  }

  async #run(): Promise<void> {
    const { pollMs } = this.#settings.timings
    while (!this.#stopping.signal.aborted) {
      const isMoreToDo = await this.#tryStep()
      // A failed load costs more than a failed poll.
      const longestMs = this.#catalogue ? longestPauseMs : longestPauseWithoutCatalogueMs
      if (!isMoreToDo) await this.#wakeSignal.sleep(Math.min(pollMs * 2 ** this.#failures, longestMs))
    }
  }

  async #tryStep(): Promise<boolean> {
    try {
      const isMoreToDo = this.#catalogue ? await this.#follow(this.#catalogue) : await this.#begin()
      this.#maintain()
      this.#failures = 0
      this.#incompleteSince = null
      this.#report()
      return isMoreToDo
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#handleFailure(error)
      return error instanceof HistoryChangedError
    }
  }

  #handleFailure(error: unknown): void {
    if (error instanceof HistoryChangedError) this.#drop('database history changed; rebuilding the search index')
    else if (error instanceof MemoryBudgetError) this.#dropOverBudget(error)
    else if (error instanceof IncompleteBatchError) this.#incompleteSince ??= performance.now()
    else if (this.#failures++ === 0) this.#listener.onLog('warn', 'updating the search index failed; retrying', error)
    // While an index is shown, missing reports tell the listener that it is getting old.
    if (!this.#isShown) this.#report()
  }

  /** Loads the catalogue if it fits the memory budget. */
  async #begin(): Promise<boolean> {
    if (this.#overBudget && performance.now() - this.#overBudget.checkedAt < this.#settings.timings.budgetCheckMs)
      return false
    const point = await readCatalogueState(this.#pool, 0)
    this.#databaseBatch = point.batch
    const { budgetBytes } = this.#settings
    if (budgetBytes !== null)
      assertWithinBudget(await estimateRows(this.#pool), budgetBytes, { isReentry: this.#overBudget !== null })
    const startedAt = performance.now()
    const snapshot = await this.#snapshots?.read()
    this.#catalogue =
      snapshot ??
      (await this.#readAt(point, (pool) => loadCatalogue(pool, this.#onProgress, this.#acceptsIncomplete())))
    this.#load = { from: snapshot ? 'snapshot' : 'postgres', seconds: (performance.now() - startedAt) / 1_000 }
    this.#isSnapshotDue = !snapshot
    this.#measure(this.#catalogue)
    this.#overBudget = null
    const { stores, bytes } = this.#figures!
    const origin = snapshot ? 'a snapshot' : 'the database'
    this.#listener.onLog(
      'info',
      `search index of ${stores} stores, ${Math.round(bytes / 1e6)} MB, read from ${origin} in ${this.#load.seconds.toFixed(1)} s`,
    )
    return true
  }

  /** Applies the next batches; returns whether there may be more. */
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
    const advanced = await this.#readAt(point, (pool) =>
      advanceCatalogue(pool, catalogue, portionStores, this.#onProgress, this.#acceptsIncomplete()),
    )
    this.#databaseBatch = advanced.newestBatch
    for (const mode of advanced.modesWithRemovals) this.#merges.requestPurge(mode)
    this.#change(advanced.catalogue)
    return true
  }

  #acceptsIncomplete(): boolean {
    if (this.#incompleteSince === null || performance.now() - this.#incompleteSince < longestIncompleteMs) return false
    this.#listener.onLog('warn', 'rows of a batch are missing; updating the search index without them')
    return true
  }

  /** Reads a batch, from the standby if that has it. */
  #readAt<T>(point: CatalogueState, read: (pool: Pool) => Promise<T>): Promise<T> {
    return this.#standby ? this.#standby.readAt(point, this.#pool, read) : read(this.#pool)
  }

  /** Runs merges and writes the snapshot when they are due. */
  #maintain(): void {
    if (!this.#catalogue) return
    const lists = this.#merges.run(this.#catalogue.lists)
    if (lists !== this.#catalogue.lists) this.#change({ ...this.#catalogue, lists })
    if (this.#merges.takeFullMerge()) this.#isSnapshotDue = true
    this.#writeSnapshot(this.#catalogue)
  }

  /** The file never contains contacts known to be removed: it waits for the merge that drops them. */
  #writeSnapshot({ batch, historyId, lists }: Catalogue): void {
    const snapshots = this.#snapshots
    if (!snapshots || snapshots.isWriting || !this.#isShown || historyId === null || this.#merges.isPurgePending) return
    const isOld = performance.now() - this.#snapshotTriedAt >= this.#settings.timings.snapshotEveryMs
    if (!this.#isSnapshotDue && !(isOld && snapshots.last?.batch !== batch)) return
    this.#isSnapshotDue = false
    this.#snapshotTriedAt = performance.now()
    snapshots.write({ batch, historyId, lists })
  }

  /** The first index is shown only when it has caught up with the database. */
  #change(catalogue: Catalogue): void {
    this.#catalogue = catalogue
    this.#measure(catalogue)
    if (this.#isShown) this.#show(catalogue)
  }

  #show({ batch, lists }: Catalogue): void {
    this.#isShown = true
    this.#listener.onIndex({ batch, lists })
  }

  #drop(line: string): void {
    this.#catalogue = null
    this.#figures = null
    this.#behindSince = null
    this.#merges.reset()
    if (this.#isShown) this.#listener.onIndex(null)
    this.#isShown = false
    this.#listener.onLog('warn', line)
  }

  #dropOverBudget(error: MemoryBudgetError): void {
    const isNews = this.#overBudget === null
    this.#overBudget = { error, checkedAt: performance.now() }
    if (!isNews && !this.#catalogue) return
    this.#snapshots?.remove()
    this.#drop(`the search index does not fit into memory: ${error.message}; PostgreSQL answers`)
  }

  /** Reading may take longer than the listener's timeout, so progress is reported. */
  readonly #onProgress = (stores: number, contacts: number): void => {
    this.#stopping.signal.throwIfAborted()
    assertWithinBudget({ stores, contacts }, this.#settings.budgetBytes)
    if (performance.now() - this.#reportedAt >= progressReportMs) this.#report()
  }

  #measure({ lists }: Catalogue): void {
    const segments = modes.flatMap((mode) => lists[mode])
    for (const segment of segments) reportMemoryToGc(segment)
    const bytes = segments.reduce((sum, { segment }) => sum + segmentBytes(segment), 0)
    this.#figures = { ...measureIndex(lists), bytes }
    assertWithinBudget(this.#figures, this.#settings.budgetBytes)
  }

  #report(): void {
    this.#reportedAt = performance.now()
    const since = this.#behindSince
    this.#listener.onReport({
      reason: this.#isShown ? null : (this.#overBudget?.error.message ?? 'the search index is being loaded'),
      databaseBatch: this.#databaseBatch,
      behindSeconds: since === null ? 0 : (performance.now() - since) / 1_000,
      neededBytes: this.#overBudget?.error.neededBytes ?? (this.#figures && estimateNeededBytes(this.#figures)),
      figures: this.#figures,
      load: this.#load,
      snapshot: this.#snapshots?.last ?? null,
    })
  }
}

/** Runs the replica in the calling thread: for tests and small catalogues. */
export const runInProcess: StartReplica = (settings, listener) =>
  new ReplicaSync(settings, listener, async (parts) => mergeSegments(parts))
