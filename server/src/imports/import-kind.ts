import type { TObject } from 'typebox'
import type { TaxonomyValueVisitor } from '../catalogue/search-columns.ts'
import type { Client } from '../db/pool.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import type { IdSealer, Mode } from '../kernel/ids.ts'
import type { Vocabulary } from '../search/query/vocabulary.ts'
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
