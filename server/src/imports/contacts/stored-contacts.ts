import { parsePgArray, readStoredStores } from '../../catalogue/queries.ts'
import type { LoadedStore } from '../../catalogue/store-summaries.ts'
import type { Client } from '../../db/pool.ts'
import { parseStore } from '../../delivery/store-document.ts'
import {
  type ContactImportKey,
  type IdentityHasher,
  listChannelHashes,
  normalizeChannels,
  recordIdentity,
} from '../../encryption/identities.ts'
import { openStoredContact } from '../../encryption/keyring.ts'
import type { MergeEntry, NumberedRecord, WriteContext } from '../import-kind.ts'
import type { ContactPatch } from './contact-record.ts'
import { applyContactPatch, type ContactState, hashesOfPerson } from './contact-rows.ts'
import { findSuppressedHashes, hasSuppressions, mapHostsToStoreIds, readHosts, readStoredContacts } from './queries.ts'

/** Stores by any host of theirs. */
export type StoresByHost = Map<string, LoadedStore>

export async function readStoresByHost(
  client: Client,
  { mode }: WriteContext,
  records: NumberedRecord<ContactPatch>[],
): Promise<StoresByHost> {
  const hosts = new Set(records.map(({ patch }) => patch.storeHost))
  const idOfHost = await mapHostsToStoreIds(client, mode, [...hosts])
  const rows = await readStoredStores(client, [...new Set(idOfHost.values())])
  const stores = new Map(rows.map((row) => [row.id, { row, document: parseStore(row.document) }]))
  return new Map([...idOfHost].map(([host, id]) => [host, stores.get(id)!]))
}

/** Where a record belongs. */
export interface RecordTarget extends ContactImportKey {
  store: LoadedStore
  /** What the record's channels are recognised by. */
  channelHashes: string[]
}

/** Undefined where the store is unknown. */
export function findTarget(
  { seals }: WriteContext,
  stores: StoresByHost,
  patch: ContactPatch,
): RecordTarget | undefined {
  const store = stores.get(patch.storeHost)
  if (!store) return undefined
  const { country } = store.document
  return {
    storeId: store.row.id,
    country,
    externalKey: patch.externalKey,
    store,
    channelHashes: patch.channelHashes ?? hashAt(country, patch, seals.identities),
  }
}

function hashAt(country: string | null, patch: ContactPatch, hasher: IdentityHasher): string[] {
  return listChannelHashes(hasher, normalizeChannels(applyContactPatch(null, patch, country), country))
}

/** A contact as it is on file. */
interface StoredContact extends ContactState {
  /** What it is recognised by, as PostgreSQL writes a list. */
  identities: string
}

/** Contacts that records are about, by `importKeyText`. */
export type ContactsByImportKey = Map<string, MergeEntry<StoredContact, ContactState>>

export function importKeyText({ storeId, externalKey }: Pick<ContactImportKey, 'storeId' | 'externalKey'>): string {
  return `${storeId} ${externalKey.toString('latin1')}`
}

export async function readContactsByImportKey(
  client: Client,
  { seals }: WriteContext,
  places: RecordTarget[],
): Promise<ContactsByImportKey> {
  // Where no number was given yet, nobody can be on file.
  const populated = places.filter(({ store }) => store.row.next_contact_number > 0)
  if (populated.length === 0) return new Map()
  const wanted = new Map(populated.map((place) => [importKeyText(place), place]))
  const rows = await readStoredContacts(client, [...wanted.values()])
  return new Map(
    rows.map(({ store_id: storeId, number, external_key: externalKey, identities, sealed }) => {
      const key = importKeyText({ storeId, externalKey })
      const { country } = wanted.get(key)!
      const facts = openStoredContact(seals.sealer, storeId, number, sealed)
      const stored = { storeId, country, externalKey, number, facts, channelHashes: null, identities }
      return [key, { stored, state: stored, changes: 0, noops: 0 }]
    }),
  )
}

/** Whether somebody must not be on file. */
export type SuppressionTest = (person: Omit<ContactState, 'number'>) => boolean

/**
 * Asks once for all that could make a record's person one who must not be on file: what the records say, what is on file
 * already, and the hosts of the stores. Nobody in the sandbox is real, so nobody there is left out.
 */
export async function loadSuppressionTest(
  client: Client,
  { seals: { identities: hasher }, mode }: WriteContext,
  places: RecordTarget[],
  entries: ContactsByImportKey,
): Promise<SuppressionTest> {
  const nobody = () => false
  if (mode === 'test' || places.length === 0 || !(await hasSuppressions(client))) return nobody
  const hosts = await readHosts(client, [...new Set(places.map(({ storeId }) => storeId))])
  const hashOfHost = (host: string) => hasher.hash('domain', host).hash
  const said = places.flatMap((place) => [
    ...place.channelHashes,
    ...parsePgArray(entries.get(importKeyText(place))?.stored?.identities ?? '{}'),
    recordIdentity(hasher, place).hash,
  ])
  const suppressed = await findSuppressedHashes(client, [...said, ...[...hosts.values()].flat().map(hashOfHost)])
  if (suppressed.size === 0) return nobody
  return (person) =>
    hashesOfPerson(hasher, person).some((hash) => suppressed.has(hash)) ||
    hosts.get(person.storeId)!.some((host) => suppressed.has(hashOfHost(host)))
}
