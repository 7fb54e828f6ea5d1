import type { Readable } from 'node:stream'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { ErasureContext } from '../../erasure/erase-contacts.ts'
import type { ImportProgress } from '../records/import-file.ts'
import type { ImportCounts } from '../records/outcome.ts'
import { RejectsFile, rejectsPathFor } from '../records/rejects.ts'
import { jsonRejects } from '../records/rejects-formats.ts'
import { decodeMarked } from '../source/encoding.ts'
import { type Line, LineSplitter } from '../source/lines.ts'
import { openText } from '../source/text.ts'
import { isBlankOrComment } from './read-suppression.ts'
import { readSuppressions, suppress } from './suppress.ts'

export interface SuppressionsInput {
  /** A path, or `-` for `stdin`. */
  file: string
  stdin?: Readable
  /** How much a compressed file may hold. */
  maxUnpackedMb?: number
  onProgress?(progress: ImportProgress): void
}

/** `inserted` counts new lines, `unchanged` known ones. */
export interface SuppressionsResult extends ImportCounts {
  erased: number
  rejects_file: string | null
  seconds: number
}

/** Finding matches reads all contacts once per chunk. */
const linesPerChunk = 20_000

/**
 * Imports a list of people and companies that must not be stored: one email, phone, profile URL or domain per line. Per
 * chunk, it first suppresses them, so that imports reject them, and then erases stored contacts that match. Running the
 * same list again finishes an interrupted import, and otherwise changes nothing.
 */
export async function importSuppressions(ctx: ErasureContext, input: SuppressionsInput): Promise<SuppressionsResult> {
  const startedAtMs = performance.now()
  const source = await openText(input.file, input.stdin, input.maxUnpackedMb)
  const rejects = await RejectsFile.begin(rejectsPathFor(input, ctx.clock, 'ndjson'), jsonRejects(), ctx.clock)
  const counts = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0, erased: 0 }
  try {
    for await (const lines of readChunks(await decodeMarked(source.name, source.blocks))) {
      const chunk = readSuppressions(ctx, lines)
      const { inserted, erased } = await suppress(ctx, chunk.suppressions)
      const bytes = lines.reduce((sum, line) => sum + line.bytes.length, 0)
      await rejects.write(chunk.rejects, bytes)
      counts.read += lines.length
      counts.inserted += inserted
      counts.unchanged += chunk.suppressions.length - inserted
      counts.rejected += chunk.rejects.length
      counts.erased += erased
      const { read, rejected } = counts
      input.onProgress?.({ read, rejected, bytesRead: source.bytesRead(), bytesTotal: source.bytesTotal })
    }
  } catch (error) {
    if (!(error instanceof OperatorError) || counts.read === 0) throw error
    throw new OperatorError(`${error.message} The ${counts.read} lines before that have been imported.`, {
      cause: error,
    })
  } finally {
    source.close()
    await rejects.close()
  }
  const seconds = Math.round(performance.now() - startedAtMs) / 1000
  return { ...counts, rejects_file: rejects.path, seconds }
}

async function* readChunks(blocks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter()
  let chunk: Line[] = []
  async function* allLines() {
    for await (const block of blocks) yield splitter.push(block)
    yield splitter.end()
  }
  for await (const lines of allLines()) {
    for (const line of lines) {
      if (isBlankOrComment(line)) continue
      chunk.push(line)
      if (chunk.length < linesPerChunk) continue
      yield chunk
      chunk = []
    }
  }
  if (chunk.length > 0) yield chunk
}
