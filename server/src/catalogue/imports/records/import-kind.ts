import type { Client } from '../../../foundation/db/pool.ts'
import type { ContactSeals } from '../../../foundation/encryption/keyring.ts'
import type { IdSealer, Mode } from '../../../foundation/kernel/ids.ts'
import type { Vocabulary } from '../../../search/query/vocabulary.ts'
import type { BatchContents } from '../../writing/queries.ts'
import type { TaxonomyValueVisitor } from '../../writing/search-columns.ts'
import type { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { type Fault, type LineFault, RecordError } from '../fields/faults.ts'
import type { FieldNames } from '../fields/field-names.ts'
import type { PatchField } from '../fields/fields.ts'
import type { RecentNames } from './recent-names.ts'
import type { Original, RawRecord } from './records.ts'

/** How records are read: what they look like, and what their values may be. */
export interface RecordKind<Patch> extends FieldNames {
  /** The part of a record that is imported; null for none. Without it, all of it is. */
  select?(record: RawRecord): RawRecord | null
  /** Returns the faults of a record's shape; none for a valid one. */
  checkShape(value: unknown): Fault[]
  /** Reads a record of valid shape; adds what is wrong with its values to `faults`. */
  readRecord(value: object, context: ReadContext, faults: Fault[]): Patch
}

/**
 * What differs between stores and contacts. Opening files, chunks, transactions, batches, rejects, counts and progress
 * are the same for both.
 */
export interface ImportKind<Patch> extends RecordKind<Patch> {
  /** Compares records with the stored rows and plans the changes. Requires the catalogue lock, except in a dry run. */
  planChunk(client: Client, context: WriteContext, chunk: ChunkRecords<Patch>): Promise<ChunkPlan<Patch>>
}

export interface ReadContext {
  resolver: TaxonomyResolver
  seals: Pick<ContactSeals, 'identities'>
  /** Whether phones are written as E.164: those of spreadsheets are. */
  cleansPhones: boolean
}

export interface WriteContext {
  ids: IdSealer
  seals: ContactSeals
  mode: Mode
  /** When the chunk is written. */
  now: Date
  /** Whether a bad value is left out; otherwise its record is refused. */
  dropsBadValues: boolean
  /** The names of stores in the records so far. */
  storeNames: RecentNames
  /** Stores that a dry run would have imported, by host, with the country that it would give them; undefined for none. */
  expectedStores?: ReadonlyMap<string, PatchField<string>>
}

/** A checked record with its line number. */
export interface NumberedRecord<Patch> {
  line: number
  patch: Patch
  /** The record as the file has it, for the rejects file. */
  original: Original
}

export interface ChunkRecords<Patch> {
  records: NumberedRecord<Patch>[]
  /** Rejected records without their bad values: would they be taken? They change nothing. */
  trials: NumberedRecord<Patch>[]
  /** Rejected records as far as they could be read: what else is wrong with them? */
  remnants: NumberedRecord<Patch>[]
}

export interface RefusedRecord<Patch> {
  record: NumberedRecord<Patch>
  faults: readonly Fault[]
  /** Whether it would be taken without the values at fault. */
  isTakenWithDrop: boolean
  /** Whether the rejects file must omit the record itself. */
  isWithheld: boolean
}

/** The counts of a chunk, and the records that could not be applied. */
export interface ChunkOutcome<Patch> {
  inserted: number
  updated: number
  unchanged: number
  refused: RefusedRecord<Patch>[]
  /** Values that only the stored rows showed to be bad. */
  dropped: LineFault[]
  /** Notices beside refused and omitted values. */
  notices?: readonly LineFault[]
  /** How many of the trials would be taken. */
  takenTrials: number
  /** Faults of remnants that only the stored rows show, by line. */
  lateFaults?: ReadonlyMap<number, readonly Fault[]>
}

export interface ChunkPlan<Patch> {
  outcome: ChunkOutcome<Patch>
  /** Null if nothing changes. */
  change: ChunkChange | null
}

/** The writes of a chunk, to be made once the taxonomy contains all of its values. */
export interface ChunkChange {
  visitTaxonomyValues(visit: TaxonomyValueVisitor): void
  write(client: Client, batch: number, vocabulary: Vocabulary): Promise<BatchContents>
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
      const { faults, isWithheld, isTakenWithDrop } = error
      return [{ record, faults, isWithheld, isTakenWithDrop }]
    }
  })
}

/** Sets the state of an entry after a record and counts the record. */
export function updateEntry<State>(entry: MergeEntry<unknown, State>, state: State, isSame: boolean): void {
  if (isSame) entry.noops++
  else entry.changes++
  entry.state = state
}

type Counts = Pick<ChunkOutcome<never>, 'inserted' | 'updated' | 'unchanged'>

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
