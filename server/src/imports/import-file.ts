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

/** Every record read is counted once more: as inserted, updated, unchanged or rejected. */
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
 * Brings the records of a file into the catalogue, chunk by chunk. A record that cannot be taken goes into the rejects
 * file with its line and the reason; the others are not affected. Stopped at any moment, the catalogue holds whole
 * records only, and the same import once more finishes the work: what is there already is left as it is.
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

/** The import itself, wherever records come from and rejects go. Closes both. */
export async function importSource<Patch>(
  { db, ids, seals }: ImportContext,
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
      const applied = await applyChunk(kind, { db, ids, seals, mode, extendTaxonomy }, chunk, taxonomy)
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
    const refused = rejects.path === null ? '' : `, the refused ones apart, which are in ${rejects.path}`
    throw new OperatorError(`${error.message} The ${counts.read} records before that have been imported${refused}.`, {
      cause: error,
    })
  } finally {
    source.close()
    await rejects.close()
  }
  await settle(db, counts.inserted + counts.updated)
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

/** From here on the planner's old figures may mislead it. */
const largeImport = 1_000

async function settle(db: Pool, written: number): Promise<void> {
  if (written === 0) return
  await transact(db, async (client) => {
    await prepareCatalogueTransaction(client)
    await refreshSearchStatistics(client, written >= largeImport)
  })
}
