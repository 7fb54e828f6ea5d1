import type { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { type Pool, transact } from '../../../foundation/db/pool.ts'
import type { ContactSeals } from '../../../foundation/encryption/keyring.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { IdSealer, Mode } from '../../../foundation/kernel/ids.ts'
import type { Clock } from '../../../foundation/kernel/time.ts'
import { loadTaxonomy } from '../../../search/taxonomy/taxonomy.ts'
import { prepareCatalogueTransaction, refreshSearchStatistics } from '../../writing/queries.ts'
import { describeFaults } from '../fields/faults.ts'
import { type ImportSource, openSource } from '../source/open-source.ts'
import { readInProcess, type StartReading } from './chunk-reader.ts'
import { applyChunk, type Chunk } from './chunks.ts'
import type { ChunkOutcome, ImportKind } from './import-kind.ts'
import { type OpenedFile, openRecords } from './open-records.ts'
import { type ImportCounts, type ImportOutcome, OutcomeCounter } from './outcome.ts'
import { givenReadingOptions, type ReadingOptions } from './reading-options.ts'
import { RecentNames } from './recent-names.ts'
import { RejectsFile, type RejectsSink, rejectsPathFor } from './rejects.ts'
import type { Reject } from './rejects-formats.ts'
import type { badValueRules, RecordsOf } from './report.ts'

export interface ImportContext {
  db: Pool
  clock: Clock
  ids: IdSealer
  seals: ContactSeals
  /** How much a compressed file may hold. */
  config?: { importMaxUnpackedMb: number }
  /** How to read large files in a thread; without it the calling thread reads. */
  startReading?: StartReading
}

export interface ImportProgress {
  read: number
  rejected: number
  bytesRead: number
  /** Null for standard input. */
  bytesTotal: number | null
}

/** How records are read and what becomes of them. */
export interface ImportOptions extends ReadingOptions {
  mode?: Mode
  extendTaxonomy: boolean
  onBadValue?: (typeof badValueRules)[number]
  /** Read, clean and check everything, and write nothing. */
  dryRun?: boolean
  /** Ends the import after the chunk that is being written. */
  signal?: AbortSignal
  onProgress?(progress: ImportProgress): void
}

export interface ImportInput extends ImportOptions {
  /** A path, or `-` for `stdin`. */
  file: string
  stdin?: Readable
  /** The name of the rejects file: `<file>.rejects.csv` beside the file by default. */
  rejectsName?: string
}

export interface ImportResult extends ImportOutcome {
  rejects_file: string | null
  seconds: number
  dry_run: boolean
  format: OpenedFile['format']
  /** How the CSV file was read; null for others. */
  encoding: string | null
  delimiter: string | null
  /** Of a CSV file or a workbook. */
  decimal: string | null
  /** The sheet that was read; null for anything but a workbook. */
  sheet: string | null
}

/**
 * Imports the records of a file into the catalogue, chunk by chunk. A rejected record is written to the rejects file with
 * its line and the reasons; the others are not affected. An interrupted import leaves only complete records, and running
 * the same import again finishes the work: records that are already imported change nothing.
 */
export async function importFile<Patch>(
  context: ImportContext,
  kind: ImportKind<Patch>,
  input: ImportInput,
  threadKind: RecordsOf | null = null,
): Promise<ImportResult> {
  const startedAtMs = performance.now()
  const source = await openSource(input.file, input.stdin, context.config?.importMaxUnpackedMb)
  const { file, rejects, outcome } = await importOpened(context, kind, source, input, threadKind)
  const { layout, format } = file
  return {
    ...outcome,
    rejects_file: rejects.path,
    seconds: Math.round(performance.now() - startedAtMs) / 1000,
    dry_run: input.dryRun ?? false,
    format,
    ...describeLayout(layout),
  }
}

/** How a table was read, for its report; nothing for JSON. */
export function describeLayout(
  layout: OpenedFile['layout'],
): Pick<ImportResult, 'encoding' | 'delimiter' | 'decimal' | 'sheet'> {
  if (layout === null) return { encoding: null, delimiter: null, decimal: null, sheet: null }
  const { decimal } = layout
  if ('sheet' in layout) return { encoding: null, delimiter: null, decimal, sheet: layout.sheet }
  return { encoding: layout.encoding, delimiter: layout.delimiter, decimal, sheet: null }
}

async function importOpened<Patch>(
  context: ImportContext,
  kind: ImportKind<Patch>,
  source: ImportSource,
  input: ImportInput,
  threadKind: RecordsOf | null,
): Promise<{ file: OpenedFile; rejects: RejectsSink; outcome: ImportOutcome }> {
  try {
    const file = await openRecords(source, kind, input)
    const path = rejectsPathFor(input, context.clock, file.rejects.extension)
    const rejects = await RejectsFile.begin(path, file.rejects, context.clock)
    return { file, rejects, outcome: await importRecords(context, kind, { source, file, rejects, threadKind }, input) }
  } finally {
    source.close()
  }
}

/** Imports a JSON source of any origin with any rejects sink, and closes both. */
export async function importSource<Patch>(
  context: ImportContext,
  kind: ImportKind<Patch>,
  source: ImportSource,
  rejects: RejectsSink,
  options: ImportOptions,
): Promise<ImportCounts> {
  try {
    const file = await openRecords(source, kind, options)
    const outcome = await importRecords(context, kind, { source, file, rejects, threadKind: null }, options)
    const { read, inserted, updated, unchanged, rejected } = outcome
    return { read, inserted, updated, unchanged, rejected }
  } finally {
    source.close()
  }
}

interface Streams {
  source: ImportSource
  file: OpenedFile
  rejects: RejectsSink
  /** The kind of records for the reading thread; null if only the calling thread can read them. */
  threadKind: RecordsOf | null
}

async function importRecords<Patch>(
  { db, clock, ids, seals, startReading }: ImportContext,
  kind: ImportKind<Patch>,
  { source, file, rejects, threadKind }: Streams,
  { mode = 'live', extendTaxonomy, onBadValue, dryRun = false, signal, onProgress, ...options }: ImportOptions,
): Promise<ImportOutcome> {
  const report = new OutcomeCounter(file.layout?.notices ?? [])
  const dropsBadValues = onBadValue === 'drop'
  try {
    let taxonomy = await loadTaxonomy(db)
    const { vocabulary } = taxonomy
    const request = {
      source,
      file,
      options: givenReadingOptions(options),
      vocabulary,
      seals,
      extendTaxonomy,
      dropsBadValues,
    }
    const elsewhere = threadKind && startReading?.<Patch>(threadKind, request)
    const reading = elsewhere || readInProcess(kind, request)
    const storeNames = new RecentNames()
    const writing = { db, ids, seals, mode, extendTaxonomy, dropsBadValues, storeNames, isDryRun: dryRun }
    for await (const chunk of reading.chunks) {
      if (signal?.aborted) {
        report.stopped = true
        break
      }
      const applied = await applyChunk(kind, { ...writing, now: clock.now() }, chunk, taxonomy)
      addLateFaults(chunk, applied.outcome)
      if (applied.taxonomy !== taxonomy) reading.setVocabulary(applied.taxonomy.vocabulary)
      taxonomy = applied.taxonomy
      await rejects.write(await rejectsOf(chunk, applied.outcome), chunk.bytes)
      report.add(chunk, applied.outcome)
      const { read, rejected } = report.counts
      onProgress?.({ read, rejected, bytesRead: reading.bytesRead(), bytesTotal: source.bytesTotal })
    }
  } catch (error) {
    const { read } = report.counts
    if (!(error instanceof OperatorError) || read === 0) throw error
    const refused = rejects.path === null ? '' : `; the rejected ones are in ${rejects.path}`
    const done = dryRun ? 'checked' : 'imported'
    throw new OperatorError(`${error.message} The ${read} records before that have been ${done}${refused}.`, {
      cause: error,
    })
  } finally {
    await rejects.close()
  }
  if (!dryRun) await finish(db, report.counts.inserted + report.counts.updated, clock.now())
  report.close(file, dryRun)
  return report.outcome()
}

/** A rejected record lists all of its faults, so that it is mended once. */
function addLateFaults<Patch>({ rejects }: Chunk<Patch>, { lateFaults }: ChunkOutcome<Patch>): void {
  if (!lateFaults || lateFaults.size === 0) return
  for (const reject of rejects) {
    const known = new Set(reject.faults.map(({ path }) => path))
    const late = lateFaults.get(reject.line)?.filter(({ path }) => !known.has(path)) ?? []
    if (late.length === 0) continue
    reject.faults = [...reject.faults, ...late]
    reject.reason = describeFaults(reject.faults)
  }
}

async function rejectsOf<Patch>(chunk: Chunk<Patch>, { refused }: ChunkOutcome<Patch>): Promise<Reject[]> {
  const indexes = chunk.fetchOriginals ? refused.map(({ record }) => chunk.records.indexOf(record)) : []
  const fetched = indexes.length === 0 ? null : await chunk.fetchOriginals!(indexes)
  const late = refused.map(({ record: { line, original }, faults, isWithheld }, index) => ({
    line,
    reason: describeFaults(faults),
    original: isWithheld ? null : (fetched?.[index] ?? original),
  }))
  return [...chunk.rejects, ...late].sort((a, b) => a.line - b.line)
}

/**
 * For a process that imports and does nothing else. Nearly all that an import allocates is garbage soon; by itself the heap
 * grows to several times what is in use before it is cleared. With this bound a large workbook takes less than half of the
 * memory, and as much processor time.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100')
}

/** From this many written records on, the planner's statistics and the counts of rows are updated. */
const largeImport = 1_000

async function finish(db: Pool, written: number, now: Date): Promise<void> {
  if (written === 0) return
  await transact(db, async (client) => {
    await prepareCatalogueTransaction(client)
    await refreshSearchStatistics(client, written >= largeImport, now)
  })
}
