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
import type { Fault } from '../faults.ts'
import type { MergeEntry, NumberedRecord, WriteContext } from '../import-kind.ts'
import { type ContactPatch, completePhones } from './contact-record.ts'
import { applyContactPatch, type ContactState, hashesOfPerson } from './contact-rows.ts'
import { findSuppressedHashes, hasSuppressions, mapHostsToStoreIds, readHosts, readStoredContacts } from './queries.ts'

/** Stores by each of their hosts. */
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

/** The store and import key that a record belongs to. */
export interface RecordTarget extends ContactImportKey {
  store: LoadedStore
  /** The record's changes; phones are complete if they are to be cleaned. */
  patch: ContactPatch
  /** Phones that cannot be read in the store's country; the patch lacks them. */
  phoneFaults: Fault[]
  /** Identity hashes of the record's channels. */
  channelHashes: string[]
}

/** Returns undefined if no store has the record's host. */
export function findTarget(
  { seals, expectedStores }: WriteContext,
  stores: StoresByHost,
  given: ContactPatch,
): RecordTarget | undefined {
  const store = stores.get(given.storeHost)
  if (!store) return undefined
  const expected = expectedStores?.get(given.storeHost)
  const country = expected === undefined ? store.document.country : expected
  const { patch, faults } = given.cleansPhones ? completePhones(given, country) : { patch: given, faults: [] }
  return {
    storeId: store.row.id,
    country,
    externalKey: patch.externalKey,
    store,
    patch,
    phoneFaults: faults,
    channelHashes: patch.channelHashes ?? hashChannelsOfRecord(country, patch, seals.identities),
  }
}

function hashChannelsOfRecord(country: string | null, patch: ContactPatch, hasher: IdentityHasher): string[] {
  return listChannelHashes(hasher, normalizeChannels(applyContactPatch(null, patch, country), country))
}

/** A contact as stored. */
interface StoredContact extends ContactState {
  /** The stored identity hashes, in PostgreSQL's array format. */
  identities: string
}

/** The contacts that records apply to, by `importKeyText`. */
export type ContactsByImportKey = Map<string, MergeEntry<StoredContact, ContactState>>

export function importKeyText({ storeId, externalKey }: Pick<ContactImportKey, 'storeId' | 'externalKey'>): string {
  return `${storeId} ${externalKey.toString('latin1')}`
}

export async function readContactsByImportKey(
  client: Client,
  { seals }: WriteContext,
  targets: RecordTarget[],
): Promise<ContactsByImportKey> {
  // A store that has not assigned a number has no contacts.
  const populated = targets.filter(({ store }) => store.row.next_contact_number > 0)
  if (populated.length === 0) return new Map()
  const wanted = new Map(populated.map((target) => [importKeyText(target), target]))
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

/** Whether a contact must not be stored. */
export type SuppressionTest = (person: Omit<ContactState, 'number'>) => boolean

/**
 * Looks up, in one query, every hash that could suppress one of the records: from the records, from the stored contacts
 * and from the hosts of the stores. The sandbox has only invented people, so nothing is suppressed there.
 */
export async function loadSuppressionTest(
  client: Client,
  { seals: { identities: hasher }, mode }: WriteContext,
  targets: RecordTarget[],
  entries: ContactsByImportKey,
): Promise<SuppressionTest> {
  const isNeverSuppressed = () => false
  if (mode === 'test' || targets.length === 0 || !(await hasSuppressions(client))) return isNeverSuppressed
  const hosts = await readHosts(client, [...new Set(targets.map(({ storeId }) => storeId))])
  const hashOfHost = (host: string) => hasher.hash('domain', host).hash
  const hashes = targets.flatMap((target) => [
    ...target.channelHashes,
    ...parsePgArray(entries.get(importKeyText(target))?.stored?.identities ?? '{}'),
    recordIdentity(hasher, target).hash,
  ])
  const suppressed = await findSuppressedHashes(client, [...hashes, ...[...hosts.values()].flat().map(hashOfHost)])
  if (suppressed.size === 0) return isNeverSuppressed
  return (person) =>
    hashesOfPerson(hasher, person).some((hash) => suppressed.has(hash)) ||
    hosts.get(person.storeId)!.some((host) => suppressed.has(hashOfHost(host)))
}
