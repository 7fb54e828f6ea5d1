import type { ImportKind, NumberedRecord, ReadContext } from './kind.ts'
import { RecordProblem } from './problem.ts'
import type { ImportSource } from './source/read.ts'
import { type RawRecord, readRecords } from './source/records.ts'
import { type Reject, rejectOf } from './source/rejects.ts'

/** Records that are written in one transaction. */
export interface Chunk<Patch> {
  /** Records read: those to apply and those refused already. */
  read: number
  records: NumberedRecord<Patch>[]
  rejects: Reject[]
}

/** Enough for the cost of a transaction not to matter, few enough for others to get their turn in between. */
const maxRecords = 2_000
/** Long records fill a chunk sooner, so that memory stays bounded. */
const maxBytes = 8_000_000

/** Reads a source into chunks of checked records. */
export async function* readChunks<Patch>(
  source: ImportSource,
  kind: ImportKind<Patch>,
  context: ReadContext,
): AsyncGenerator<Chunk<Patch>> {
  let chunk = emptyChunk<Patch>()
  let bytes = 0
  for await (const records of readRecords(source, kind.schema)) {
    for (const record of records) {
      chunk.read++
      bytes += record.bytes
      readInto(chunk, record, kind, context)
      if (chunk.read < maxRecords && bytes < maxBytes) continue
      yield chunk
      chunk = emptyChunk()
      bytes = 0
    }
  }
  if (chunk.read > 0) yield chunk
}

/** Passes items on while the next one is being made. */
export async function* oneAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next()
  while (true) {
    const { done, value } = await next
    if (done) return
    next = items.next()
    // Awaited at the next turn; until then a failure is no unhandled one.
    next.catch(() => {})
    yield value
  }
}

function emptyChunk<Patch>(): Chunk<Patch> {
  return { read: 0, records: [], rejects: [] }
}

function readInto<Patch>(chunk: Chunk<Patch>, record: RawRecord, kind: ImportKind<Patch>, context: ReadContext): void {
  const { line, toJson } = record
  try {
    if (record.problem !== undefined) throw new RecordProblem(record.problem)
    chunk.records.push({ line, patch: kind.readRecord(record.value, context), toJson })
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error
    chunk.rejects.push(rejectOf(record, error.message))
  }
}
