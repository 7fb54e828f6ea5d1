import { openContact } from '../contacts/sealed-contact.ts'
import type { Client } from '../db/pool.ts'
import { parseStore } from '../stores/document.ts'
import type { ContactPatch } from './contact-record.ts'
import type { ContactState } from './contact-rows.ts'
import type { Entry } from './entries.ts'
import type { NumberedRecord, WriteContext } from './kind.ts'
import { readStoredDocuments, type StoredDocument } from './load.ts'
import { findStoresOfHosts, readStoredContacts } from './load-contacts.ts'
import { RecordProblem } from './problem.ts'

/** A store that records of a chunk are about. */
export interface ContactStore {
  row: StoredDocument
  country: string | null
}

/** Stores by any host of theirs. */
export type ContactStores = Map<string, ContactStore>

export async function readStores(
  client: Client,
  { mode }: WriteContext,
  records: NumberedRecord<ContactPatch>[],
): Promise<ContactStores> {
  const hosts = new Set(records.map(({ patch }) => patch.storeHost))
  const idOfHost = await findStoresOfHosts(client, mode, [...hosts])
  const rows = await readStoredDocuments(client, [...new Set(idOfHost.values())])
  const stores = new Map(rows.map((row) => [row.id, { row, country: parseStore(row.document).country }]))
  return new Map([...idOfHost].map(([host, id]) => [host, stores.get(id)!]))
}

/** A record at its store. */
export interface PlacedRecord extends NumberedRecord<ContactPatch> {
  store: ContactStore
}

export function placeRecord(stores: ContactStores, record: NumberedRecord<ContactPatch>): PlacedRecord {
  const { storeHost } = record.patch
  const store = stores.get(storeHost)
  if (!store) throw new RecordProblem(`store_domain: no store is known for ${storeHost}; import it first`)
  return { ...record, store }
}

/** A contact as it is on file, with the hashes of all that it can be recognised by. */
export type StoredContact = ContactState & { identities: string[] }

/** Contacts that records are about, by `entryKey`. */
export type ContactEntries = Map<string, Entry<StoredContact, ContactState>>

export function entryKey(storeId: number, externalKey: Buffer): string {
  return `${storeId} ${externalKey.toString('latin1')}`
}

export async function readEntries(
  client: Client,
  { seals }: WriteContext,
  records: PlacedRecord[],
): Promise<ContactEntries> {
  // Where no number was given yet, nobody can be on file.
  const populated = records.filter(({ store }) => store.row.next_contact_number > 0)
  if (populated.length === 0) return new Map()
  const stores = new Map(populated.map(({ store }) => [store.row.id, store]))
  const keys = new Map(
    populated.map(({ store, patch: { externalKey } }) => [
      entryKey(store.row.id, externalKey),
      { storeId: store.row.id, externalKey },
    ]),
  )
  const rows = await readStoredContacts(client, [...keys.values()])
  return new Map(
    rows.map(({ store_id: storeId, number, external_key: externalKey, identities, sealed }) => {
      const facts = openContact(seals.sealer, storeId, number, sealed)
      const { country } = stores.get(storeId)!
      const stored = { storeId, country, number, externalKey, facts, identities }
      return [entryKey(storeId, externalKey), { stored, state: stored, changes: 0, repeats: 0 }]
    }),
  )
}
