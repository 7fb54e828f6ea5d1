import type { Client } from '../../foundation/db/pool.ts'
import { documentVersion, parseStore, renderStore, type Store } from '../../product/delivery/store-document.ts'
import type { Vocabulary } from '../../search/query/vocabulary.ts'
import { loadTaxonomy } from '../../search/taxonomy/taxonomy.ts'
import * as queries from './queries.ts'
import { computeContactTokens, computeSearchColumns, summarizeContacts } from './search-columns.ts'

/**
 * Recomputes the contact summaries of stores and writes those that changed, with a new batch number; if none changed, no
 * number is used. Runs in the caller's transaction and takes the catalogue lock. Returns how many stores were written.
 */
export async function refreshStoreSummaries(client: Client, storeIds: number[], now: Date): Promise<number> {
  if (storeIds.length === 0) return 0
  const { batch } = await queries.lockCatalogue(client)
  const rows = await queries.readStoredStores(client, storeIds)
  const stored = rows.map((row) => ({ row, document: parseStore(row.document) }))
  const { vocabulary } = await loadTaxonomy(client)
  const summedUp = await computeStoreSummaries(client, stored, vocabulary)
  const stale = summedUp.filter(
    ({ document, tokens }, index) => document !== rows[index]!.document || tokens !== rows[index]!.tokens,
  )
  if (stale.length === 0) return 0
  await queries.updateStoreSummaries(client, batch + 1, documentVersion, stale)
  const left = stale.map((row) => row.batch)
  await queries.recordBatch(client, batch + 1, { rows: stale.length, left }, now)
  return stale.length
}

/** A store's row and its parsed document. */
export interface LoadedStore {
  row: queries.StoredStoreRow
  document: Store
}

/** Returns the rows of stores with document and tokens recomputed from their contacts. */
export async function computeStoreSummaries(
  client: Client,
  stores: LoadedStore[],
  vocabulary: Vocabulary,
): Promise<queries.StoredStoreRow[]> {
  const storeIds = stores.map(({ row }) => row.id)
  const signatures = await queries.readSignatures(client, storeIds)
  return stores.map(({ row, document }) => {
    const people = signatures.get(row.id) ?? []
    const summedUp = { ...document, contacts_summary: summarizeContacts(people) }
    const { tokens } = computeSearchColumns(summedUp, computeContactTokens(people, vocabulary), vocabulary)
    return { ...row, document: renderStore(summedUp), tokens: queries.formatPgArray(tokens) }
  })
}
