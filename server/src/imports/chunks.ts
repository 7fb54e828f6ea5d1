import * as queries from '../catalogue/queries.ts'
import { type Client, type Pool, transact } from '../db/pool.ts'
import { extendTaxonomy, type TaxonomyAddition } from '../taxonomy/extend-taxonomy.ts'
import { loadTaxonomy, type Taxonomy } from '../taxonomy/taxonomy.ts'
import { RecordError } from './fields.ts'
import type { ChunkChange, ChunkOutcome, ImportKind, NumberedRecord, ReadContext, WriteContext } from './import-kind.ts'
import { type RawRecord, readRecords } from './source/records.ts'
import { type Reject, toReject } from './source/rejects.ts'
import type { ImportSource } from './source/text.ts'

/** Records that are written in one transaction. */
export interface Chunk<Patch> {
  /** The number of records read: those to apply and those already rejected. */
  read: number
  records: NumberedRecord<Patch>[]
  rejects: Reject[]
}

/** Many enough that the cost of a transaction does not matter, few enough that other writers do not wait long. */
const maxRecords = 2_000
/** Bounds memory when records are long. */
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
  return { read: 0, records: [], rejects: [] }
}

function readInto<Patch>(chunk: Chunk<Patch>, record: RawRecord, kind: ImportKind<Patch>, context: ReadContext): void {
  const { line, toJson } = record
  try {
    if (record.problem !== undefined) throw new RecordError(record.problem)
    chunk.records.push({ line, patch: kind.readRecord(record.value, context), toJson })
  } catch (error) {
    if (!(error instanceof RecordError)) throw error
    chunk.rejects.push(toReject(record, error.message))
  }
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
}

/**
 * Writes a chunk in one transaction, with one batch number. A chunk that changes nothing writes nothing and uses no
 * number. The stored rows are read under the catalogue lock, so concurrent imports alternate chunk by chunk.
 */
export function applyChunk<Patch>(
  kind: ImportKind<Patch>,
  context: ApplyContext,
  chunk: Chunk<Patch>,
  known: Taxonomy,
): Promise<AppliedChunk<Patch>> {
  return transact(context.db, async (client) => {
    await queries.prepareCatalogueTransaction(client)
    const { batch, taxonomyVersion } = await queries.lockCatalogue(client)
    const current = taxonomyVersion === known.version ? known : await loadTaxonomy(client)
    const { outcome, change } = await kind.planChunk(client, context, chunk.records)
    if (!change) return { outcome, taxonomy: current }

    const taxonomy = context.extendTaxonomy ? await addUnknownValues(client, change, current) : current
    await queries.recordBatch(client, batch + 1, context.now)
    await change.write(client, batch + 1, taxonomy.vocabulary)
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
