import { type CatalogueSnapshot, SnapshotError } from '@storedex/search-index'
import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import { systemClock } from '../../foundation/kernel/time.ts'
import { readCatalogueState, readHistoryId } from './queries.ts'
import type { ReplicaListener, ReplicaReport } from './replica.ts'
import { readSnapshotFile, readSnapshotFileInfo, removeSnapshotFile, writeSnapshotFile } from './snapshot-file.ts'

/** Reads the snapshot of an earlier run and writes new ones. Several processes may share the file. */
export class SnapshotStore {
  readonly #path: string
  readonly #db: Queryable
  readonly #log: ReplicaListener['onLog']
  readonly #stopped: AbortSignal
  #last: ReplicaReport['snapshot'] = null
  #writing: Promise<void> | null = null

  constructor(path: string, db: Queryable, log: ReplicaListener['onLog'], stopped: AbortSignal) {
    this.#path = path
    this.#db = db
    this.#log = log
    this.#stopped = stopped
  }

  /** The newest snapshot read or written by this process. */
  get last(): ReplicaReport['snapshot'] {
    return this.#last
  }

  get isWriting(): boolean {
    return this.#writing !== null
  }

  /** The snapshot of this catalogue; null if there is none. Removes an unusable file. */
  async read(): Promise<CatalogueSnapshot<Mode> | null> {
    try {
      const file = await readSnapshotFile(this.#path)
      if (!file) return null
      const { snapshot, bytes, writtenAt } = file
      await this.#requireSameCatalogue(snapshot)
      this.#last = { batch: snapshot.batch, bytes, writtenAt }
      return snapshot
    } catch (error) {
      // A database outage does not make the file unusable.
      if (!(error instanceof SnapshotError)) throw error
      this.#log('warn', `the search index snapshot was discarded: ${error.message}`)
      await removeSnapshotFile(this.#path).catch(() => {})
      return null
    }
  }

  /** The database is read after the file, so it cannot be behind the file. */
  async #requireSameCatalogue({ batch, historyId }: CatalogueSnapshot<Mode>): Promise<void> {
    const point = await readCatalogueState(this.#db, batch)
    if (batch > point.batch) throw new SnapshotError('it has a later batch than the database')
    if (historyId !== point.seenHistoryId) throw new SnapshotError('it belongs to another catalogue')
  }

  /** Writes in the background, unless another process has written this batch or a later one. */
  write(snapshot: CatalogueSnapshot<Mode>): void {
    this.#writing ??= this.#write(snapshot)
      .catch((error: unknown) => {
        if (!this.#stopped.aborted) this.#log('warn', 'the search index snapshot cannot be written', error)
      })
      .finally(() => {
        this.#writing = null
      })
  }

  async #write(snapshot: CatalogueSnapshot<Mode>): Promise<void> {
    const present = await readSnapshotFileInfo(this.#path)
    if (
      present &&
      present.batch >= snapshot.batch &&
      (await readHistoryId(this.#db, present.batch)) === present.historyId
    ) {
      const { batch, bytes, writtenAt } = present
      this.#last = { batch, bytes, writtenAt }
      return
    }
    const bytes = await writeSnapshotFile(this.#path, snapshot, this.#stopped)
    this.#last = { batch: snapshot.batch, bytes, writtenAt: systemClock.now().getTime() }
  }

  /** Without an index to update it, the file would keep contacts that are erased later. */
  remove(): void {
    this.#last = null
    this.settled()
      .then(() => removeSnapshotFile(this.#path))
      .catch((error: unknown) => this.#log('warn', 'the unused search index snapshot cannot be removed', error))
  }

  async settled(): Promise<void> {
    await this.#writing
  }
}
