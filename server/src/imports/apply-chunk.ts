import * as load from '../catalogue/queries.ts'
import { type Client, type Pool, transact } from '../db/pool.ts'
import { extendTaxonomy, type TaxonomyAddition } from '../taxonomy/extend.ts'
import { loadTaxonomy, type Taxonomy } from '../taxonomy/taxonomy.ts'
import type { Chunk } from './chunks.ts'
import type { ChunkChange, ChunkOutcome, ImportKind, WriteContext } from './kind.ts'

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
    await load.prepareTransaction(client)
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
  change.visitWords((facet, value) => {
    if (!taxonomy.vocabulary.find(facet, value)) newWords.push({ facet, value } as TaxonomyAddition)
  })
  if (newWords.length === 0) return taxonomy
  await extendTaxonomy(client, newWords)
  return loadTaxonomy(client)
}
