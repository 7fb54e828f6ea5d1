import { type CatalogueSnapshot, SnapshotError } from '@storedex/search-index'
import type { Queryable } from '../../db/pool.ts'
import type { Mode } from '../../kernel/ids.ts'
import { readHistoryId, readCatalogueState } from './queries.ts'
import type { ReplicaListener, ReplicaReport } from './replica.ts'
import { readSnapshotFileInfo, readSnapshotFile, removeSnapshotFile, writeSnapshotFile } from './snapshot-file.ts'

/** Reads the catalogue of an earlier run, and writes that of this one, beside other processes that do the same. */
export class SnapshotStore {
  readonly #path: string
  readonly #db: Queryable
  readonly #tell: ReplicaListener['onLine']
  readonly #stopped: AbortSignal
  #last: ReplicaReport['snapshot'] = null
  #writing: Promise<void> | null = null

  constructor(path: string, db: Queryable, tell: ReplicaListener['onLine'], stopped: AbortSignal) {
    this.#path = path
    this.#db = db
    this.#tell = tell
    this.#stopped = stopped
  }

  /** The newest that was read or written here. */
  get last(): ReplicaReport['snapshot'] {
    return this.#last
  }

  get isWriting(): boolean {
    return this.#writing !== null
  }

  /** A snapshot of this very catalogue; null when there is none. One that is of no use is removed. */
  async read(): Promise<CatalogueSnapshot<Mode> | null> {
    try {
      const file = await readSnapshotFile(this.#path)
      if (!file) return null
      const { snapshot, bytes, writtenAt } = file
      await this.#requireOwn(snapshot)
      this.#last = { batch: snapshot.batch, bytes, writtenAt }
      return snapshot
    } catch (error) {
      // An outage of the database says nothing about the file.
      if (!(error instanceof SnapshotError)) throw error
      this.#tell('warn', `the snapshot of the search index is not used: ${error.message}`)
      await removeSnapshotFile(this.#path).catch(() => {})
      return null
    }
  }

  /** Read after the file, the database cannot be behind it. */
  async #requireOwn({ batch, mark }: CatalogueSnapshot<Mode>): Promise<void> {
    const point = await readCatalogueState(this.#db, batch)
    if (batch > point.batch) throw new SnapshotError('it is of a later batch than the database')
    if (mark !== point.markOfSeen) throw new SnapshotError('it is of another catalogue')
  }

  /** Writes in the background. A file that another process wrote, of this batch or a later one, does as well. */
  write(snapshot: CatalogueSnapshot<Mode>): void {
    this.#writing ??= this.#write(snapshot)
      .catch((error: unknown) => {
        if (!this.#stopped.aborted) this.#tell('warn', 'the snapshot of the search index cannot be written', error)
      })
      .finally(() => {
        this.#writing = null
      })
  }

  async #write(snapshot: CatalogueSnapshot<Mode>): Promise<void> {
    const present = await readSnapshotFileInfo(this.#path)
    if (present && present.batch >= snapshot.batch && (await readHistoryId(this.#db, present.batch)) === present.mark) {
      const { batch, bytes, writtenAt } = present
      this.#last = { batch, bytes, writtenAt }
      return
    }
    const bytes = await writeSnapshotFile(this.#path, snapshot, this.#stopped)
    this.#last = { batch: snapshot.batch, bytes, writtenAt: Date.now() }
  }

  /** Nobody would keep it true: it would still tell of people who are erased from now on. */
  remove(): void {
    this.#last = null
    this.settled()
      .then(() => removeSnapshotFile(this.#path))
      .catch((error: unknown) => this.#tell('warn', 'a snapshot that is not kept any more cannot be removed', error))
  }

  async settled(): Promise<void> {
    await this.#writing
  }
}
