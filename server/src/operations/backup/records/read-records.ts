/** The catalogue as the records that an import takes. */

import type { ContactRecord } from '../../../catalogue/imports/contacts/contact-record.ts'
import { readAliases } from '../../../catalogue/imports/stores/queries.ts'
import type { StoreRecord } from '../../../catalogue/imports/stores/store-record.ts'
import type { Client } from '../../../foundation/db/pool.ts'
import { openContact } from '../../../foundation/encryption/keyring.ts'
import type { Sealer } from '../../../foundation/kernel/seal.ts'
import { parseStore } from '../../../product/delivery/store-document.ts'
import { describeChange, type StoreChange } from '../../../product/delivery/store-history.ts'
import * as queries from './queries.ts'

const rowsPerPage = 1_000

/**
 * In the order of their ids, which decides between stores of equal score: imported in this order, they stand in searches
 * as they did.
 */
export async function* readStoreRecords(client: Client): AsyncGenerator<StoreRecord[]> {
  for (let after = 0; ; ) {
    const rows = await queries.selectStoresAfter(client, after, rowsPerPage)
    if (rows.length === 0) return
    const ids = rows.map(({ id }) => id)
    const aliases = await readAliases(client, ids)
    yield rows.map((row) => storeRecordOf(row, aliases.get(row.id) ?? []))
    after = ids.at(-1)!
  }
}

function storeRecordOf({ document, active_ads }: queries.StorePageRow, aliases: string[]): StoreRecord {
  const { id: _id, object: _object, contacts_summary: _summary, domain, name, ...fields } = parseStore(document)
  return { domain, name, aliases, ...fields, active_ads }
}

/** In the order of their stores, then of their numbers, which decides between contacts of equal rank. */
export async function* readContactRecords(client: Client, sealer: Sealer): AsyncGenerator<ContactRecord[]> {
  for (let after: queries.ContactPosition = { store_id: 0, number: -1 }; ; ) {
    const rows = await queries.selectContactsAfter(client, after, rowsPerPage)
    const last = rows.at(-1)
    if (!last) return
    const domains = await queries.readLiveDomains(client, [...new Set(rows.map((row) => row.store_id))])
    yield rows.flatMap((row) => {
      const store_domain = domains.get(row.store_id)
      return store_domain === undefined ? [] : [contactRecordOf(store_domain, row, sealer)]
    })
    after = last
  }
}

function contactRecordOf(store_domain: string, row: queries.ContactPageRow, sealer: Sealer): ContactRecord {
  return { store_domain, ...openContact(sealer, row.store_id, row.number, row.sealed) }
}

/** A suppression as stored: a hash, from which no address can be read. */
export interface SuppressionLine {
  kind: string
  hash: string
  added_at: string
}

export async function* readSuppressionLines(client: Client): AsyncGenerator<SuppressionLine[]> {
  for (let after: string | null = null; ; ) {
    const rows: queries.SuppressionRow[] = await queries.selectSuppressionsAfter(client, after, rowsPerPage)
    if (rows.length === 0) return
    yield rows.map(({ kind, hash, added_at }) => ({ kind, hash, added_at: added_at.toISOString() }))
    after = rows.at(-1)!.hash
  }
}

/** A change as the API tells it, with the store's domain of today. */
export type HistoryLine = { domain: string } & StoreChange

/** Store by store, the oldest first. */
export async function* readHistoryLines(client: Client): AsyncGenerator<HistoryLine[]> {
  for (let after: queries.ChangeKey = { store_id: 0, batch: 0, field: -1 }; ; ) {
    const rows = await queries.selectChangesAfter(client, after, rowsPerPage)
    const last = rows.at(-1)
    if (!last) return
    const domains = await queries.readLiveDomains(client, [...new Set(rows.map((row) => row.store_id))])
    yield rows.flatMap((row) => {
      const domain = domains.get(row.store_id)
      return domain === undefined ? [] : [{ domain, ...describeChange(row) }]
    })
    after = last
  }
}
