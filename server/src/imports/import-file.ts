import type { Readable } from 'node:stream'
import { prepareCatalogueTransaction, refreshSearchStatistics } from '../catalogue/queries.ts'
import { type Pool, transact } from '../db/pool.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import { OperatorError } from '../kernel/errors.ts'
import type { IdSealer, Mode } from '../kernel/ids.ts'
import type { Clock } from '../kernel/time.ts'
import { loadTaxonomy } from '../taxonomy/taxonomy.ts'
import { applyChunk, type Chunk, readAhead, readChunks } from './chunks.ts'
import type { ChunkOutcome, ImportKind } from './import-kind.ts'
import { type Reject, RejectsFile, type RejectsSink, rejectsPathFor, toReject } from './source/rejects.ts'
import { type ImportSource, openSource } from './source/text.ts'
import { TaxonomyResolver } from './taxonomy-resolver.ts'

export interface ImportContext {
  db: Pool
  clock: Clock
  ids: IdSealer
  seals: ContactSeals
}

export interface ImportProgress {
  read: number
  rejected: number
  bytesRead: number
  /** Null for standard input. */
  bytesTotal: number | null
}

export interface ImportInput {
  /** A path, or `-` for `stdin`. */
  file: string
  stdin?: Readable
  mode?: Mode
  extendTaxonomy: boolean
  onProgress?(progress: ImportProgress): void
}

/** `read` is the sum of the other counts. */
export interface ImportCounts {
  read: number
  inserted: number
  updated: number
  unchanged: number
  rejected: number
}

export interface ImportResult extends ImportCounts {
  rejects_file: string | null
  seconds: number
}

/**
 * Imports the records of a file into the catalogue, chunk by chunk. A rejected record is written to the rejects file with
 * its line and the reason; the others are not affected. An interrupted import leaves only complete records, and running
 * the same import again finishes the work: records that are already imported change nothing.
 */
export async function importFile<Patch>(
  context: ImportContext,
  kind: ImportKind<Patch>,
  input: ImportInput,
): Promise<ImportResult> {
  const startedAtMs = performance.now()
  const source = await openSource(input.file, input.stdin)
  const rejects = await RejectsFile.begin(rejectsPathFor(input.file, context.clock))
  const counts = await importSource(context, kind, source, rejects, { mode: 'live', ...input })
  const seconds = Math.round(performance.now() - startedAtMs) / 1000
  return { ...counts, rejects_file: rejects.path, seconds }
}

/** Imports from any source with any rejects sink, and closes both. */
export async function importSource<Patch>(
  { db, clock, ids, seals }: ImportContext,
  kind: ImportKind<Patch>,
  source: ImportSource,
  rejects: RejectsSink,
  { mode, extendTaxonomy, onProgress }: Pick<ImportInput, 'extendTaxonomy' | 'onProgress'> & { mode: Mode },
): Promise<ImportCounts> {
  const counts: ImportCounts = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0 }
  try {
    let taxonomy = await loadTaxonomy(db)
    const resolver = new TaxonomyResolver(taxonomy.vocabulary, extendTaxonomy)
    for await (const chunk of readAhead(readChunks(source, kind, { resolver, seals }))) {
      const context = { db, ids, seals, mode, now: clock.now(), extendTaxonomy }
      const applied = await applyChunk(kind, context, chunk, taxonomy)
      if (applied.taxonomy !== taxonomy) resolver.setVocabulary(applied.taxonomy.vocabulary)
      taxonomy = applied.taxonomy
      await rejects.write(rejectsOf(chunk, applied.outcome))
      count(counts, chunk, applied.outcome)
      onProgress?.({
        read: counts.read,
        rejected: counts.rejected,
        bytesRead: source.bytesRead(),
        bytesTotal: source.bytesTotal,
      })
    }
  } catch (error) {
    if (!(error instanceof OperatorError) || counts.read === 0) throw error
    const refused = rejects.path === null ? '' : `; the rejected ones are in ${rejects.path}`
    throw new OperatorError(`${error.message} The ${counts.read} records before that have been imported${refused}.`, {
      cause: error,
    })
  } finally {
    source.close()
    await rejects.close()
  }
  await finish(db, counts.inserted + counts.updated)
  return counts
}

function rejectsOf<Patch>(chunk: Chunk<Patch>, { refused }: ChunkOutcome<Patch>): Reject[] {
  const late = refused.map(({ record, reason, isWithheld }) =>
    isWithheld ? { line: record.line, reason, record: 'null' } : toReject(record, reason),
  )
  return [...chunk.rejects, ...late].sort((a, b) => a.line - b.line)
}

function count<Patch>(counts: ImportCounts, chunk: Chunk<Patch>, outcome: ChunkOutcome<Patch>): void {
  counts.read += chunk.read
  counts.inserted += outcome.inserted
  counts.updated += outcome.updated
  counts.unchanged += outcome.unchanged
  counts.rejected += chunk.rejects.length + outcome.refused.length
}

/** From this many written records on, the planner's statistics are updated. */
const largeImport = 1_000

async function finish(db: Pool, written: number): Promise<void> {
  if (written === 0) return
  await transact(db, async (client) => {
    await prepareCatalogueTransaction(client)
    await refreshSearchStatistics(client, written >= largeImport)
  })
}
