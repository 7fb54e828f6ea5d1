import type { Client } from '../db/pool.ts'
import { documentVersion, parseStore, renderStore, type Store } from '../delivery/store-document.ts'
import type { Vocabulary } from '../search/query/vocabulary.ts'
import { loadTaxonomy } from '../taxonomy/taxonomy.ts'
import { readSignatures, updateStoreSummaries } from './contact-queries.ts'
import * as load from './queries.ts'
import { searchColumnsOf, summarizePeople, tokensOfPeople } from './search-columns.ts'

/**
 * Brings what stores say of their contacts up to the contacts on file, under a new batch number. Stores of which that is
 * true already are not written; without others, no number is used up. Runs within the caller's transaction and takes the
 * catalogue's lock, so call it before contacts of these stores can change again. Returns how many stores were written.
 */
export async function refreshStoreSummaries(client: Client, storeIds: number[]): Promise<number> {
  if (storeIds.length === 0) return 0
  const { batch } = await load.lockCatalogue(client)
  const rows = await load.readStoredDocuments(client, storeIds)
  const stored = rows.map((row) => ({ row, store: parseStore(row.document) }))
  const { vocabulary } = await loadTaxonomy(client)
  const summedUp = await sumUpContacts(client, stored, vocabulary)
  const stale = summedUp.filter(
    ({ document, tokens }, index) => document !== rows[index]!.document || tokens !== rows[index]!.tokens,
  )
  if (stale.length === 0) return 0
  await load.recordBatch(client, batch + 1)
  await updateStoreSummaries(client, batch + 1, documentVersion, stale)
  return stale.length
}

/** A store's row, and what its document says. */
export interface StoreOnFile {
  row: load.StoredDocument
  store: Store
}

/** The rows of stores as they should be by their contacts. */
export async function sumUpContacts(
  client: Client,
  stores: StoreOnFile[],
  vocabulary: Vocabulary,
): Promise<load.StoredDocument[]> {
  const storeIds = stores.map(({ row }) => row.id)
  const signatures = await readSignatures(client, storeIds)
  return stores.map(({ row, store }) => {
    const people = signatures.get(row.id) ?? []
    const summedUp = { ...store, contacts_summary: summarizePeople(people) }
    const { tokens } = searchColumnsOf(summedUp, tokensOfPeople(people, vocabulary), vocabulary)
    return { ...row, document: renderStore(summedUp), tokens: load.arrayText(tokens) }
  })
}
