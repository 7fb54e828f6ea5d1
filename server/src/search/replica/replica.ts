import type { CatalogueView, ShelfFigures } from './view.ts'

/** What a feed works with. Plain data, so that it can be handed to a thread. */
export interface FeedSettings {
  databaseUrl: string
  /** Where the catalogue is kept between runs; null: nowhere. */
  snapshotFile: string | null
  /** How much memory the catalogue may need; null: as much as it takes. */
  budgetBytes: number | null
  timings: FeedTimings
}

export interface FeedTimings {
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

export const feedTimings: FeedTimings = {
  pollMs: 500,
  forgetAfterMs: 20_000,
  snapshotEveryMs: 300_000,
  budgetCheckMs: 60_000,
  portionStores: 20_000,
  asideStores: 100_000,
}

/** How it stands, told after every look at the database. */
export interface FeedReport {
  /** Why there is no view, in words; null while there is one. */
  reason: string | null
  /** The newest batch that the database was seen to have. */
  databaseBatch: number | null
  /** For how long there have been batches that are not in the view. */
  behindSeconds: number
  /** What the catalogue needs of memory, as estimated. */
  neededBytes: number | null
  figures: (ShelfFigures & { bytes: number }) | null
  /** How the catalogue came into memory. */
  load: { from: 'postgres' | 'snapshot'; seconds: number } | null
  /** The newest snapshot that this process wrote or read. */
  snapshot: { batch: number; bytes: number; writtenAt: number } | null
}

export type LogLevel = 'info' | 'warn' | 'error'

export interface FeedListener {
  /** Null: what was shown before is not to be used any more. */
  onView(view: CatalogueView | null): void
  onReport(report: FeedReport): void
  onLine(level: LogLevel, line: string, cause?: unknown): void
}

export interface Feed {
  /** Resolves once it has let go of everything, within a bound. */
  close(): Promise<void>
}

export type StartFeed = (settings: FeedSettings, listener: FeedListener) => Feed
