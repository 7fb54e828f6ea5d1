import { findStoresOfHosts, readStoredContacts } from '../../catalogue/contact-queries.ts'
import { readStoredDocuments } from '../../catalogue/queries.ts'
import type { StoreOnFile } from '../../catalogue/summaries.ts'
import type { Client } from '../../db/pool.ts'
import { parseStore } from '../../delivery/store-document.ts'
import {
  type ContactPlace,
  hashesOfChannels,
  type IdentityHasher,
  normalizeChannels,
} from '../../encryption/identities.ts'
import { openOnFile } from '../../encryption/keyring.ts'
import type { Entry } from '../entries.ts'
import type { NumberedRecord, WriteContext } from '../kind.ts'
import type { ContactPatch } from './contact-record.ts'
import { applyContactPatch, type ContactState } from './contact-rows.ts'

/** Stores by any host of theirs. */
export type ContactStores = Map<string, StoreOnFile>

export async function readStores(
  client: Client,
  { mode }: WriteContext,
  records: NumberedRecord<ContactPatch>[],
): Promise<ContactStores> {
  const hosts = new Set(records.map(({ patch }) => patch.storeHost))
  const idOfHost = await findStoresOfHosts(client, mode, [...hosts])
  const rows = await readStoredDocuments(client, [...new Set(idOfHost.values())])
  const stores = new Map(rows.map((row) => [row.id, { row, store: parseStore(row.document) }]))
  return new Map([...idOfHost].map(([host, id]) => [host, stores.get(id)!]))
}

/** Where a record belongs. */
export interface RecordPlace extends ContactPlace {
  home: StoreOnFile
  /** What the record's channels are recognised by. */
  channelHashes: string[]
}

/** Undefined where the store is unknown. */
export function placeOf({ seals }: WriteContext, stores: ContactStores, patch: ContactPatch): RecordPlace | undefined {
  const home = stores.get(patch.storeHost)
  if (!home) return undefined
  const { country } = home.store
  return {
    storeId: home.row.id,
    country,
    externalKey: patch.externalKey,
    home,
    channelHashes: patch.channelHashes ?? hashAt(country, patch, seals.identities),
  }
}

function hashAt(country: string | null, patch: ContactPatch, hasher: IdentityHasher): string[] {
  return hashesOfChannels(hasher, normalizeChannels(applyContactPatch(null, patch, country), country))
}

/** A contact as it is on file. */
interface StoredContact extends ContactState {
  /** What it is recognised by, as PostgreSQL writes a list. */
  identities: string
}

/** Contacts that records are about, by `entryKey`. */
export type ContactEntries = Map<string, Entry<StoredContact, ContactState>>

export function entryKey({ storeId, externalKey }: Pick<ContactPlace, 'storeId' | 'externalKey'>): string {
  return `${storeId} ${externalKey.toString('latin1')}`
}

export async function readEntries(
  client: Client,
  { seals }: WriteContext,
  places: RecordPlace[],
): Promise<ContactEntries> {
  // Where no number was given yet, nobody can be on file.
  const populated = places.filter(({ home }) => home.row.next_contact_number > 0)
  if (populated.length === 0) return new Map()
  const wanted = new Map(populated.map((place) => [entryKey(place), place]))
  const rows = await readStoredContacts(client, [...wanted.values()])
  return new Map(
    rows.map(({ store_id: storeId, number, external_key: externalKey, identities, sealed }) => {
      const key = entryKey({ storeId, externalKey })
      const { country } = wanted.get(key)!
      const facts = openOnFile(seals.sealer, storeId, number, sealed)
      const stored = { storeId, country, externalKey, number, facts, channelHashes: null, identities }
      return [key, { stored, state: stored, changes: 0, repeats: 0 }]
    }),
  )
}
