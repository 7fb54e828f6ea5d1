import * as load from '../catalogue/queries.ts'
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
export async function* readAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
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
    if (record.problem !== undefined) throw new RecordError(record.problem)
    chunk.records.push({ line, patch: kind.readRecord(record.value, context), toJson })
  } catch (error) {
    if (!(error instanceof RecordError)) throw error
    chunk.rejects.push(toReject(record, error.message))
  }
}

export interface AppliedChunk<Patch> {
  outcome: ChunkOutcome<Patch>
  /** The taxonomy that the chunk was written by; newer than the one given when others changed it, or the chunk did. */
  taxonomy: Taxonomy
}

export interface ApplyContext extends WriteContext {
  db: Pool
  /** Whether words that the taxonomy lacks are added to it. */
  extendTaxonomy: boolean
}

/**
 * Writes a chunk in one transaction and under one batch number; a chunk that changes nothing writes nothing and uses up
 * no number. All that it is compared with is read under the catalogue's lock, so imports side by side take turns chunk
 * by chunk.
 */
export function applyChunk<Patch>(
  kind: ImportKind<Patch>,
  context: ApplyContext,
  chunk: Chunk<Patch>,
  known: Taxonomy,
): Promise<AppliedChunk<Patch>> {
  return transact(context.db, async (client) => {
    await load.prepareCatalogueTransaction(client)
    const { batch, taxonomyVersion } = await load.lockCatalogue(client)
    const current = taxonomyVersion === known.version ? known : await loadTaxonomy(client)
    const { outcome, change } = await kind.planChunk(client, context, chunk.records)
    if (!change) return { outcome, taxonomy: current }

    const taxonomy = context.extendTaxonomy ? await learnWords(client, change, current) : current
    await load.recordBatch(client, batch + 1)
    await change.write(client, batch + 1, taxonomy.vocabulary)
    return { outcome, taxonomy }
  })
}

async function learnWords(client: Client, change: ChunkChange, taxonomy: Taxonomy): Promise<Taxonomy> {
  const newWords: TaxonomyAddition[] = []
  // Reading a record let no word pass that is neither known nor may be added.
  change.visitTaxonomyValues((facet, value) => {
    if (!taxonomy.vocabulary.find(facet, value)) newWords.push({ facet, value } as TaxonomyAddition)
  })
  if (newWords.length === 0) return taxonomy
  await extendTaxonomy(client, newWords)
  return loadTaxonomy(client)
}
