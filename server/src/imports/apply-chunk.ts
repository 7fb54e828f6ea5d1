import { type Client, type Pool, transact } from '../db/pool.ts'
import type { IdSealer, Mode } from '../kernel/ids.ts'
import type { Vocabulary } from '../search/vocabulary.ts'
import { documentVersion, parseStore, renderStore } from '../stores/document.ts'
import { extendTaxonomy, type TaxonomyAddition } from '../taxonomy/extend.ts'
import { loadTaxonomy, type Taxonomy } from '../taxonomy/taxonomy.ts'
import type { Chunk } from './chunks.ts'
import * as load from './load.ts'
import { copyHosts, copyStores, type HostRow } from './load-copy.ts'
import type { StoreState } from './merge.ts'
import { type ChunkOutcome, hostsOf, mergeChunk, type StoredStore } from './merge-chunk.ts'
import { searchColumnsOf, visitWords } from './search-columns.ts'

export interface AppliedChunk {
  outcome: ChunkOutcome
  /** The taxonomy that the chunk was written by; newer than the one given when others changed it, or the chunk did. */
  taxonomy: Taxonomy
}

export interface ApplyContext {
  db: Pool
  ids: IdSealer
  mode: Mode
  /** Whether words that the taxonomy lacks are added to it. */
  extendTaxonomy: boolean
}

/**
 * Writes a chunk in one transaction and under one batch number; a chunk that changes nothing writes nothing and uses up
 * no number. All that it is compared with is read under the catalogue's lock, so imports side by side take turns chunk
 * by chunk.
 */
export function applyChunk(context: ApplyContext, chunk: Chunk, known: Taxonomy): Promise<AppliedChunk> {
  return transact(context.db, async (client) => {
    await load.prepareTransaction(client)
    const { batch, taxonomyVersion } = await load.lockCatalogue(client)
    let taxonomy = taxonomyVersion === known.version ? known : await loadTaxonomy(client)
    const outcome = mergeChunk(await readStored(client, context.mode, chunk), chunk.patches)
    const newWords = context.extendTaxonomy ? newWordsOf(outcome, taxonomy.vocabulary) : []
    if (newWords.length > 0) {
      await extendTaxonomy(client, newWords)
      taxonomy = await loadTaxonomy(client)
    }
    await writeOutcome(client, context, batch + 1, taxonomy.vocabulary, outcome)
    return { outcome, taxonomy }
  })
}

/** Reading a record let no word pass that is neither known nor may be added. */
function newWordsOf({ created, changed }: ChunkOutcome, vocabulary: Vocabulary): TaxonomyAddition[] {
  const words: TaxonomyAddition[] = []
  for (const { store } of [...created, ...changed.map(({ state }) => state)])
    visitWords(store, (facet, value) => {
      if (!vocabulary.find(facet, value)) words.push({ facet, value } as TaxonomyAddition)
    })
  return words
}

async function readStored(client: Client, mode: Mode, { patches }: Chunk): Promise<StoredStore[]> {
  const hosts = new Set(patches.flatMap(({ patch }) => [patch.domain, ...(patch.aliases ?? [])]))
  if (hosts.size === 0) return []
  const storeIds = await load.findOwnersOfHosts(client, mode, [...hosts])
  if (storeIds.length === 0) return []
  const documents = await load.readStoredDocuments(client, storeIds)
  const aliases = await load.readAliases(client, storeIds)
  return documents.map(({ id, document, active_ads }) => ({
    id,
    state: { store: parseStore(document), activeAds: active_ads, aliases: aliases.get(id) ?? [] },
  }))
}

async function writeOutcome(
  client: Client,
  { ids, mode }: ApplyContext,
  batch: number,
  vocabulary: Vocabulary,
  { created, changed, removedHosts }: ChunkOutcome,
): Promise<void> {
  if (created.length + changed.length === 0) return
  await load.recordBatch(client, batch)
  const newStores = await giveIds(client, ids, mode, created)
  if (changed.length > 0) await load.updateStores(client, batch, documentVersion, [...storeRows(changed, vocabulary)])
  if (removedHosts.length > 0) await load.deleteHosts(client, mode, removedHosts)
  if (newStores.length > 0) await copyStores(client, { mode, batch, documentVersion }, storeRows(newStores, vocabulary))
  const newHosts: HostRow[] = [
    ...newStores.flatMap(({ id, state }) =>
      hostsOf(state).map((host) => ({ host, storeId: id, isCanonical: host === state.store.domain })),
    ),
    ...changed.flatMap(({ id, addedAliases }) =>
      addedAliases.map((host) => ({ host, storeId: id, isCanonical: false })),
    ),
  ]
  if (newHosts.length > 0) await copyHosts(client, mode, newHosts)
}

async function giveIds(client: Client, ids: IdSealer, mode: Mode, states: StoreState[]): Promise<StoredStore[]> {
  if (states.length === 0) return []
  const keys = await load.takeStoreIds(client, states.length)
  const publicIds = ids.sealMany('store', keys, mode)
  return states.map((state, index) => ({
    id: keys[index]!,
    state: { ...state, store: { ...state.store, id: publicIds[index]! } },
  }))
}

/** Made one by one as they are drawn: rendering is half the work of a chunk, and PostgreSQL need not wait for all of it. */
function* storeRows(stores: StoredStore[], vocabulary: Vocabulary): Generator<load.StoreRow> {
  for (const { id, state } of stores)
    yield {
      id,
      ...searchColumnsOf(state.store, vocabulary),
      activeAds: state.activeAds,
      document: renderStore(state.store),
    }
}
