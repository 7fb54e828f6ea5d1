import { countDead, type LiveSegment } from '@storedex/search-index'
import { type Mode, modes } from '../../foundation/kernel/ids.ts'

/** Plain data, so that it can be sent to a thread. */
export interface ReplicaSettings {
  databaseUrl: string
  /** A standby that is read in place of the database while it has the needed batches; null for none. */
  standbyUrl?: string | null
  /** The file that keeps the index between runs; null for none. */
  snapshotFile: string | null
  /** Memory limit of the index, as estimated; null for none. */
  budgetBytes: number | null
  timings: ReplicaTimings
}

export interface ReplicaTimings {
  /** Interval of reading the newest batch number, with or without notifications. */
  pollMs: number
  /** Time from the removal of a contact to the merge that drops the dead copy. */
  purgeAfterMs: number
  snapshotEveryMs: number
  /** Interval of checking again whether a catalogue that was too large fits now. */
  budgetCheckMs: number
  /** Approximate number of changed stores to read at a time. */
  portionStores: number
  /** Merges of more stores run in the background, while changes are applied. */
  backgroundMergeStores: number
}

export const defaultTimings: ReplicaTimings = {
  pollMs: 500,
  purgeAfterMs: 20_000,
  snapshotEveryMs: 300_000,
  budgetCheckMs: 60_000,
  portionStores: 20_000,
  backgroundMergeStores: 100_000,
}

/** Sent after every check of the database. */
export interface ReplicaReport {
  /** The reason why there is no index, as a phrase; null while there is one. */
  reason: string | null
  /** The newest batch seen in the database. */
  databaseBatch: number | null
  /** Time since the index was up to date. */
  behindSeconds: number
  /** Estimated memory needed by the index. */
  neededBytes: number | null
  figures: (IndexFigures & { bytes: number }) | null
  /** The initial load. */
  load: { from: 'postgres' | 'snapshot'; seconds: number } | null
  /** The newest snapshot this process wrote or read. */
  snapshot: { batch: number; bytes: number; writtenAt: number } | null
}

export type LogLevel = 'info' | 'warn' | 'error'

export interface ReplicaListener {
  /** Null withdraws the last index. */
  onIndex(index: CatalogueIndex | null): void
  onReport(report: ReplicaReport): void
  onLog(level: LogLevel, line: string, cause?: unknown): void
}

export interface Replica {
  /** Releases all resources; resolves within a few seconds. */
  close(): Promise<void>
}

export type StartReplica = (settings: ReplicaSettings, listener: ReplicaListener) => Replica

/** The segments of each mode, the newest last. A store is alive in at most one of them. */
export type SegmentLists = Readonly<Record<Mode, readonly LiveSegment[]>>

/** The index as of a batch. Immutable, so a search sees one state of the catalogue. */
export interface CatalogueIndex {
  /** All changes up to this batch are included. */
  batch: number
  lists: SegmentLists
}

export interface IndexFigures {
  segments: number
  /** Living stores, and all contacts in the index. */
  stores: number
  contacts: number
  /** Dead copies that wait for a merge. */
  deadStores: number
  /** Stores outside the largest segment of their mode. */
  deltaStores: number
}

/** Contacts of dead copies are included: telling them apart takes a merge. */
export function measureIndex(lists: SegmentLists): IndexFigures {
  const figures = { segments: 0, stores: 0, contacts: 0, deadStores: 0, deltaStores: 0 }
  for (const mode of modes) {
    const parts = lists[mode]
    const largest = Math.max(0, ...parts.map(({ segment }) => segment.size))
    figures.segments += parts.length
    for (const part of parts) {
      const dead = countDead(part)
      figures.stores += part.segment.size - dead
      figures.deadStores += dead
      figures.deltaStores += part.segment.size
      figures.contacts += part.segment.contactNumbers.length
    }
    figures.deltaStores -= largest
  }
  return figures
}
