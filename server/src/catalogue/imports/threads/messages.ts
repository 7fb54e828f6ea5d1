import type { Term } from '../../../search/query/vocabulary.ts'
import type { Chunk } from '../records/chunks.ts'
import type { Inspection, InspectOptions } from '../records/inspect-file.ts'
import type { ReadingOptions } from '../records/reading-options.ts'
import type { Original } from '../records/records.ts'
import type { RecordsOf } from '../records/report.ts'
import type { InspectedKind } from './inspect.ts'

/** The task of the thread. Plain data. */
export type ImportThreadTask = ({ work: 'read' } & ReadingTask) | ({ work: 'inspect' } & InspectingTask)

interface FileTask {
  file: string
  maxUnpackedMb: number
  terms: readonly Term[]
  /** The key of the identity hashes. */
  identityKey: Uint8Array
}

/** A file to read to its end. */
export interface ReadingTask extends FileTask {
  kind: RecordsOf
  options: ReadingOptions
  extendTaxonomy: boolean
  dropsBadValues: boolean
}

/** A file whose beginning is looked at. */
export interface InspectingTask extends FileTask {
  kind: InspectedKind
  options: InspectOptions
}

/** Messages of the thread. It keeps the originals of records until their chunk is done: few are needed. */
export type FromReadingThread =
  | { kind: 'chunk'; number: number; chunk: Chunk<unknown>; bytesRead: number }
  | { kind: 'originals'; originals: Original[] }
  /** The program is loaded, and looks at the file now. */
  | { kind: 'inspecting' }
  | { kind: 'inspected'; inspection: Inspection }
  | { kind: 'end' }
  | { kind: 'failed'; message: string; isOperators: boolean; stack: string | undefined }

/** Messages to the thread. */
export type ToReadingThread =
  /** The chunk was written: another one may be read. */
  | { kind: 'done'; number: number }
  | { kind: 'originals'; number: number; indexes: number[] }
  /** The taxonomy changed. */
  | { kind: 'terms'; terms: readonly Term[] }

/** Chunks that were read and not written yet; with more, reading waits. */
export const maxWaitingChunks = 2
