import type { TObject } from 'typebox'
import type { TaxonomyValueVisitor } from '../catalogue/search-columns.ts'
import type { Client } from '../db/pool.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import type { IdSealer, Mode } from '../kernel/ids.ts'
import type { Vocabulary } from '../search/query/vocabulary.ts'
import { RecordError } from './fields.ts'
import type { TaxonomyResolver } from './taxonomy-resolver.ts'

/**
 * What is particular to records of one kind. Opening files, chunks, transactions, batches, rejects, counts and progress
 * are the same for all of them.
 */
export interface ImportKind<Patch> {
  /** Of a record; decides the columns of a CSV file too. */
  schema: TObject
  /** Reads one record by itself; throws `RecordProblem` for one that cannot be taken. */
  readRecord(value: unknown, context: ReadContext): Patch
  /** Works out what records come to against what is stored, under the catalogue's lock. */
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
}

/** A record that was read, and where. */
export interface NumberedRecord<Patch> {
  line: number
  patch: Patch
  /** The record as it was read, for the rejects file. */
  toJson(): string
}

export interface RefusedRecord<Patch> {
  record: NumberedRecord<Patch>
  reason: string
  /** Set where the rejects file must not repeat the record. */
  isWithheld: boolean
}

/** How many records changed what, and which could not be applied. */
export interface ChunkOutcome<Patch> {
  inserted: number
  updated: number
  unchanged: number
  refused: RefusedRecord<Patch>[]
}

export interface ChunkPlan<Patch> {
  outcome: ChunkOutcome<Patch>
  /** Null where nothing changes. */
  change: ChunkChange | null
}

/** What is to be written for a chunk, once the taxonomy knows all of its words. */
export interface ChunkChange {
  visitTaxonomyValues(visit: TaxonomyValueVisitor): void
  write(client: Client, batch: number, vocabulary: Vocabulary): Promise<void>
}

/** A store or contact that records of a chunk are about. */
export interface MergeEntry<Stored, State> {
  /** Null for a new one. */
  stored: Stored | null
  state: State
  /** Records that changed it, its creation among them, and records that did not. */
  changes: number
  noops: number
}

/** Applies records in their order, and answers those that cannot be. */
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

/** Notes that a record brought an entry to `state`. */
export function updateEntry<State>(entry: MergeEntry<unknown, State>, state: State, isSame: boolean): void {
  if (isSame) entry.noops++
  else entry.changes++
  entry.state = state
}

type Counts = Omit<ChunkOutcome<never>, 'refused'>

/**
 * Tells new entries from changed ones. An entry is compared once, with what is stored: records that take each other back
 * come to nothing, so that a file which names something twice is unchanged when it is read again.
 */
export function collectChanges<Stored, State>(
  entries: Iterable<MergeEntry<Stored, State>>,
  isSame: (stored: Stored, state: State) => boolean,
): Counts & { created: State[]; changed: { stored: Stored; state: State }[] } {
  const settled = {
    created: [] as State[],
    changed: [] as { stored: Stored; state: State }[],
    inserted: 0,
    updated: 0,
    unchanged: 0,
  }
  for (const { stored, state, changes, noops } of entries) {
    settled.unchanged += noops
    if (stored === null) {
      settled.created.push(state)
      settled.inserted += 1
      settled.updated += changes - 1
    } else if (changes === 0 || isSame(stored, state)) {
      settled.unchanged += changes
    } else {
      settled.changed.push({ stored, state })
      settled.updated += changes
    }
  }
  return settled
}
