import type { TObject } from 'typebox'
import type { TaxonomyValueVisitor } from '../catalogue/search-columns.ts'
import type { Client } from '../db/pool.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import type { IdSealer, Mode } from '../kernel/ids.ts'
import type { Vocabulary } from '../search/query/vocabulary.ts'
import { RecordError } from './fields.ts'
import type { TaxonomyResolver } from './taxonomy-resolver.ts'

/**
 * What differs between stores and contacts. Opening files, chunks, transactions, batches, rejects, counts and progress
 * are the same for both.
 */
export interface ImportKind<Patch> {
  /** The schema of a record; it also decides which columns a CSV file may have. */
  schema: TObject
  /** Checks and normalises one record; throws `RecordError` for an invalid one. */
  readRecord(value: unknown, context: ReadContext): Patch
  /** Compares records with the stored rows and plans the changes. Requires the catalogue lock. */
  planChunk(client: Client, context: WriteContext, records: NumberedRecord<Patch>[]): Promise<ChunkPlan<Patch>>
}

export interface ReadContext {
  resolver: TaxonomyResolver
  seals: ContactSeals
}

export interface WriteContext {
  ids: IdSealer
  seals: ContactSeals
  mode: Mode
  /** When the chunk is written. */
  now: Date
}

/** A checked record with its line number. */
export interface NumberedRecord<Patch> {
  line: number
  patch: Patch
  /** The original record, for the rejects file. */
  toJson(): string
}

export interface RefusedRecord<Patch> {
  record: NumberedRecord<Patch>
  reason: string
  /** Whether the rejects file must omit the record itself. */
  isWithheld: boolean
}

/** The counts of a chunk, and the records that could not be applied. */
export interface ChunkOutcome<Patch> {
  inserted: number
  updated: number
  unchanged: number
  refused: RefusedRecord<Patch>[]
}

export interface ChunkPlan<Patch> {
  outcome: ChunkOutcome<Patch>
  /** Null if nothing changes. */
  change: ChunkChange | null
}

/** The writes of a chunk, to be made once the taxonomy contains all of its values. */
export interface ChunkChange {
  visitTaxonomyValues(visit: TaxonomyValueVisitor): void
  write(client: Client, batch: number, vocabulary: Vocabulary): Promise<void>
}

/** A store or contact that records of a chunk apply to. */
export interface MergeEntry<Stored, State> {
  /** Null for a new one. */
  stored: Stored | null
  state: State
  /** Records that changed it, including the one that created it, and records that changed nothing. */
  changes: number
  noops: number
}

/** Applies records in order; returns those that cannot be applied. */
export function applyRecords<Patch>(
  records: NumberedRecord<Patch>[],
  apply: (record: NumberedRecord<Patch>, index: number) => void,
): RefusedRecord<Patch>[] {
  return records.flatMap((record, index) => {
    try {
      apply(record, index)
      return []
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      return [{ record, reason: error.message, isWithheld: error.isWithheld }]
    }
  })
}

/** Sets the state of an entry after a record and counts the record. */
export function updateEntry<State>(entry: MergeEntry<unknown, State>, state: State, isSame: boolean): void {
  if (isSame) entry.noops++
  else entry.changes++
  entry.state = state
}

type Counts = Omit<ChunkOutcome<never>, 'refused'>

/**
 * Separates created from changed entries and counts their records. The final state is compared with the stored one, so
 * records that undo each other count as unchanged, and a second import of the same file changes nothing.
 */
export function collectChanges<Stored, State>(
  entries: Iterable<MergeEntry<Stored, State>>,
  isSame: (stored: Stored, state: State) => boolean,
): Counts & { created: State[]; changed: { stored: Stored; state: State }[] } {
  const result = {
    created: [] as State[],
    changed: [] as { stored: Stored; state: State }[],
    inserted: 0,
    updated: 0,
    unchanged: 0,
  }
  for (const { stored, state, changes, noops } of entries) {
    result.unchanged += noops
    if (stored === null) {
      result.created.push(state)
      result.inserted += 1
      result.updated += changes - 1
    } else if (changes === 0 || isSame(stored, state)) {
      result.unchanged += changes
    } else {
      result.changed.push({ stored, state })
      result.updated += changes
    }
  }
  return result
}
