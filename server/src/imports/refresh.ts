import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../db/pool.ts'
import { documentVersion, parseStore, renderStore } from '../stores/document.ts'
import type { Store } from '../stores/schema.ts'
import { loadTaxonomy } from '../taxonomy/taxonomy.ts'
import * as load from './load.ts'
import { searchColumnsOf } from './search-columns.ts'

/**
 * Brings what stores say of their contacts up to the contacts on file, under a new batch number. Stores of which that is
 * true already are not written; without others, no number is used up. Runs within the caller's transaction and takes the
 * catalogue's lock, so call it before contacts of these stores can change again. Returns how many stores were written.
 */
export async function refreshStoreSummaries(client: Client, storeIds: number[]): Promise<number> {
  if (storeIds.length === 0) return 0
  const { batch } = await load.lockCatalogue(client)
  const summaries = new Map((await load.summarizeContacts(client, storeIds)).map((row) => [row.store_id, row]))
  const stale: { row: load.StoredDocument; store: Store }[] = []
  for (const row of await load.readStoredDocuments(client, storeIds)) {
    const stored = parseStore(row.document)
    const summary = summaryOf(summaries.get(row.id))
    if (!isDeepStrictEqual(stored.contacts_summary, summary))
      stale.push({ row, store: { ...stored, contacts_summary: summary } })
  }
  if (stale.length === 0) return 0
  const { vocabulary } = await loadTaxonomy(client)
  const rows = stale.map(({ row, store }) => ({
    id: row.id,
    ...searchColumnsOf(store, vocabulary),
    activeAds: row.active_ads,
    document: renderStore(store),
  }))
  await load.recordBatch(client, batch + 1)
  await load.updateStores(client, batch + 1, documentVersion, rows)
  return rows.length
}

function summaryOf(row: load.ContactsSummaryRow | undefined): Store['contacts_summary'] {
  if (!row) return { total: 0, has_revealable_contacts: false, verified_email_count: 0, roles: [] }
  const { total, has_revealable_contacts, verified_email_count, roles } = row
  return { total, has_revealable_contacts, verified_email_count, roles }
}
