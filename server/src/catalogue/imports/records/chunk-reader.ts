import type { ContactSeals } from '../../../foundation/encryption/keyring.ts'
import type { Vocabulary } from '../../../search/query/vocabulary.ts'
import { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import type { ImportSource } from '../source/open-source.ts'
import { type Chunk, readAhead, readChunks } from './chunks.ts'
import type { ImportKind } from './import-kind.ts'
import type { OpenedFile } from './open-records.ts'
import type { ReadingOptions } from './reading-options.ts'
import type { RecordsOf } from './report.ts'

/** A file to read, and how. */
export interface ReadingRequest {
  source: ImportSource
  file: OpenedFile
  options: ReadingOptions
  vocabulary: Vocabulary
  seals: Pick<ContactSeals, 'identities'>
  extendTaxonomy: boolean
  dropsBadValues: boolean
}

/** A file that is being read into chunks, ahead of those that are written. */
export interface ChunkReading<Patch> {
  /** To be taken to its end, or returned from. */
  chunks: AsyncGenerator<Chunk<Patch>>
  /** Uses a newer vocabulary for what is read from now on. */
  setVocabulary(vocabulary: Vocabulary): void
  /** How much of the file the chunks taken so far are. */
  bytesRead(): number
}

/** Starts reading a file in another thread; null if that does not pay or is not possible. */
export type StartReading = <Patch>(kind: RecordsOf, request: ReadingRequest) => ChunkReading<Patch> | null

/** Reads in the calling thread, one chunk ahead. */
export function readInProcess<Patch>(kind: ImportKind<Patch>, request: ReadingRequest): ChunkReading<Patch> {
  const { source, file, vocabulary, seals, extendTaxonomy, dropsBadValues } = request
  const resolver = new TaxonomyResolver(vocabulary, extendTaxonomy)
  const context = { resolver, seals, cleansPhones: file.layout !== null, dropsBadValues }
  return {
    chunks: readAhead(readChunks(file.readRecords(resolver), kind, context)),
    setVocabulary: (newer) => resolver.setVocabulary(newer),
    bytesRead: () => source.bytesRead(),
  }
}
