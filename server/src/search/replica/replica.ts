import { countDead, type LiveSegment } from '@storedex/search-index'
import { type Mode, modes } from '../../kernel/ids.ts'

/** What a feed works with. Plain data, so that it can be handed to a thread. */
export interface ReplicaSettings {
  databaseUrl: string
  /** Where the catalogue is kept between runs; null: nowhere. */
  snapshotFile: string | null
  /** How much memory the catalogue may need; null: as much as it takes. */
  budgetBytes: number | null
  timings: ReplicaTimings
}

export interface ReplicaTimings {
  /** How often the newest batch is asked for, whether or not a notification came. */
  pollMs: number
  /** How long a dead copy of somebody who was erased stays before everything is merged. */
  forgetAfterMs: number
  snapshotEveryMs: number
  /** How often a catalogue that was too large is looked at again. */
  budgetCheckMs: number
  /** About so many changed stores are read at a time. */
  portionStores: number
  /** Merges of more stores than this are made aside, so that changes go on meanwhile. */
  asideStores: number
}

export const defaultTimings: ReplicaTimings = {
  pollMs: 500,
  forgetAfterMs: 20_000,
  snapshotEveryMs: 300_000,
  budgetCheckMs: 60_000,
  portionStores: 20_000,
  asideStores: 100_000,
}

/** How it stands, told after every look at the database. */
export interface ReplicaReport {
  /** Why there is no view, in words; null while there is one. */
  reason: string | null
  /** The newest batch that the database was seen to have. */
  databaseBatch: number | null
  /** For how long there have been batches that are not in the view. */
  behindSeconds: number
  /** What the catalogue needs of memory, as estimated. */
  neededBytes: number | null
  figures: (IndexFigures & { bytes: number }) | null
  /** How the catalogue came into memory. */
  load: { from: 'postgres' | 'snapshot'; seconds: number } | null
  /** The newest snapshot that this process wrote or read. */
  snapshot: { batch: number; bytes: number; writtenAt: number } | null
}

export type LogLevel = 'info' | 'warn' | 'error'

export interface ReplicaListener {
  /** Null: what was shown before is not to be used any more. */
  onView(view: CatalogueView | null): void
  onReport(report: ReplicaReport): void
  onLine(level: LogLevel, line: string, cause?: unknown): void
}

export interface Feed {
  /** Resolves once it has let go of everything, within a bound. */
  close(): Promise<void>
}

export type StartReplica = (settings: ReplicaSettings, listener: ReplicaListener) => Feed

/** The segments of each mode, the newest last. A store stands alive in one of them at most. */
export type SegmentLists = Readonly<Record<Mode, readonly LiveSegment[]>>

/** The catalogue in memory as of a batch. Never changes once it was shown to anybody. */
export interface CatalogueView {
  /** Everything up to this batch is in it. */
  batch: number
  shelves: SegmentLists
}

export interface IndexFigures {
  segments: number
  /** Stores that can be found, with those of their contacts that can be. */
  stores: number
  contacts: number
  /** Copies that no longer count, and stand there until a merge. */
  deadStores: number
  /** Stores outside of the largest segment of their mode. */
  deltaStores: number
}

/** Contacts of dead copies count in: only a merge knows them apart, and it soon comes. */
export function measureIndex(shelves: SegmentLists): IndexFigures {
  const figures = { segments: 0, stores: 0, contacts: 0, deadStores: 0, deltaStores: 0 }
  for (const mode of modes) {
    const parts = shelves[mode]
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
