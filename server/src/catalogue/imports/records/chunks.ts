import { type Client, type Pool, transact } from '../../../foundation/db/pool.ts'
import { extendTaxonomy, type TaxonomyAddition } from '../../../search/taxonomy/extend-taxonomy.ts'
import { loadTaxonomy, type Taxonomy } from '../../../search/taxonomy/taxonomy.ts'
import * as queries from '../../writing/queries.ts'
import { describeFaults, type Fault, fault, type LineFault } from '../fields/faults.ts'
import type {
  ChunkChange,
  ChunkOutcome,
  ChunkRecords,
  ImportKind,
  ReadContext,
  RecordKind,
  WriteContext,
} from './import-kind.ts'
import { readRecord } from './read-record.ts'
import type { Original, RawRecord } from './records.ts'
import type { Reject } from './rejects-formats.ts'

/** Records that are written in one transaction. Plain data, so that they can be read in another thread. */
export interface Chunk<Patch> extends ChunkRecords<Patch> {
  /** The number of records read: those to apply and those already rejected. */
  read: number
  /** How much of the unpacked file it is. */
  bytes: number
  rejects: (Reject & { faults: Fault[] })[]
  /** Values that were left out of records to apply. */
  dropped: LineFault[]
  /** Lines of the rows that a workbook hides. */
  hidden: number[]
  /** The first value of a CSV file with letters beyond ASCII, if it is in this chunk. */
  decoded?: { line: number; value: string }
  /** Returns the originals of records, by index, if they stayed in the thread that read them. */
  fetchOriginals?(indexes: number[]): Promise<Original[]>
}

/** Many enough that the cost of a transaction does not matter, few enough that other writers do not wait long. */
const maxRecords = 2_000
/** Bounds memory when records are long. */
const maxBytes = 8_000_000

export interface ReadChunksContext extends ReadContext {
  /** Whether a bad value is left out; otherwise its record is rejected. */
  dropsBadValues: boolean
}

/** Reads records into chunks of checked ones. */
export async function* readChunks<Patch>(
  records: AsyncIterable<RawRecord[]>,
  kind: RecordKind<Patch>,
  context: ReadChunksContext,
): AsyncGenerator<Chunk<Patch>> {
  let chunk = emptyChunk<Patch>()
  for await (const batch of records) {
    for (const given of batch) {
      const record = kind.select ? kind.select(given) : given
      if (record === null) continue
      chunk.read++
      chunk.bytes += record.bytes
      readInto(chunk, record, kind, context)
      if (chunk.read < maxRecords && chunk.bytes < maxBytes) continue
      yield chunk
      chunk = emptyChunk()
    }
  }
  if (chunk.read > 0) yield chunk
}

/** Yields each item while the next one is already being produced. */
export async function* readAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next()
  while (true) {
    const { done, value } = await next
    if (done) return
    next = items.next()
    // The next iteration awaits it; until then a failure must not count as an unhandled rejection.
    next.catch(() => {})
    yield value
  }
}

function emptyChunk<Patch>(): Chunk<Patch> {
  return { read: 0, bytes: 0, records: [], trials: [], remnants: [], rejects: [], dropped: [], hidden: [] }
}

function readInto<Patch>(
  chunk: Chunk<Patch>,
  record: RawRecord,
  kind: RecordKind<Patch>,
  context: ReadChunksContext,
): void {
  const { line, original } = record
  if (record.isHidden) chunk.hidden.push(line)
  if (record.decoded !== undefined) chunk.decoded ??= { line, value: record.decoded }
  const { faults, patch, remnant } =
    record.problem === undefined
      ? readRecord(kind, record, context)
      : { faults: [describeProblem(record)], patch: null, remnant: null }
  if (patch !== null && (faults.length === 0 || context.dropsBadValues)) {
    chunk.records.push({ line, patch, original })
    for (const fault of faults) chunk.dropped.push({ line, fault })
    return
  }
  chunk.rejects.push({ line, reason: describeFaults(faults), original, faults })
  if (patch !== null) chunk.trials.push({ line, patch, original })
  if (remnant !== null) chunk.remnants.push({ line, patch: remnant, original })
}

const maxDetailLength = 2_000

/** The fault of a text that is no record. */
function describeProblem({
  problem,
  detail,
  hint = null,
}: {
  problem: string
  detail: string | null
  hint?: string | null
}): Fault {
  const text = detail === null ? problem : `${problem}: ${detail.slice(0, maxDetailLength)}`
  return fault('', problem, { text, value: detail, hint })
}

export interface AppliedChunk<Patch> {
  outcome: ChunkOutcome<Patch>
  /** The taxonomy used to write the chunk; newer than the given one if another process or this chunk changed it. */
  taxonomy: Taxonomy
}

export interface ApplyContext extends WriteContext {
  db: Pool
  /** Whether to add unknown values to the taxonomy. */
  extendTaxonomy: boolean
  /** Whether to compare only, and to write nothing. */
  isDryRun: boolean
}

/**
 * Writes a chunk in one transaction, with one batch number. A chunk that changes nothing writes nothing and uses no
 * number. The stored rows are read under the catalogue lock, so concurrent imports alternate chunk by chunk; a dry run
 * takes no lock.
 */
export function applyChunk<Patch>(
  kind: ImportKind<Patch>,
  context: ApplyContext,
  chunk: ChunkRecords<Patch>,
  known: Taxonomy,
): Promise<AppliedChunk<Patch>> {
  return transact(context.db, async (client) => {
    await queries.prepareCatalogueTransaction(client)
    if (context.isDryRun) return { outcome: (await kind.planChunk(client, context, chunk)).outcome, taxonomy: known }
    const { batch, taxonomyVersion } = await queries.lockCatalogue(client)
    const current = taxonomyVersion === known.version ? known : await loadTaxonomy(client)
    const { outcome, change } = await kind.planChunk(client, context, chunk)
    if (!change) return { outcome, taxonomy: current }

    const taxonomy = context.extendTaxonomy ? await addUnknownValues(client, change, current) : current
    const contents = await change.write(client, batch + 1, taxonomy.vocabulary)
    await queries.recordBatch(client, batch + 1, contents, context.now)
    return { outcome, taxonomy }
  })
}

async function addUnknownValues(client: Client, change: ChunkChange, taxonomy: Taxonomy): Promise<Taxonomy> {
  const additions: TaxonomyAddition[] = []
  // Reading the record has rejected every unknown value that may not be added.
  change.visitTaxonomyValues((facet, value) => {
    if (!taxonomy.vocabulary.find(facet, value)) additions.push({ facet, value } as TaxonomyAddition)
  })
  if (additions.length === 0) return taxonomy
  await extendTaxonomy(client, additions)
  return loadTaxonomy(client)
}
