import type { Client } from '../../../foundation/db/pool.ts'
import { fullNameOf } from '../../../foundation/encryption/contact-facts.ts'
import {
  type ContactImportKey,
  type IdentityHasher,
  listChannelHashes,
  normalizeChannels,
  recordIdentity,
} from '../../../foundation/encryption/identities.ts'
import { openStoredContact } from '../../../foundation/encryption/keyring.ts'
import { parseStore } from '../../../product/delivery/store-document.ts'
import { parsePgArray, readStoredStores } from '../../writing/queries.ts'
import type { LoadedStore } from '../../writing/store-summaries.ts'
import type { Fault } from '../fields/faults.ts'
import type { MergeEntry, NumberedRecord, WriteContext } from '../records/import-kind.ts'
import { completePhones } from './contact-channels.ts'
import type { ContactPatch } from './contact-record.ts'
import { applyContactPatch, type ContactState, hashesOfPerson } from './contact-rows.ts'
import { canBeOnePerson, keyWithName } from './person-keys.ts'
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

/** The store that a record belongs to, and the keys by which its contact is found there. */
export interface RecordTarget extends Pick<ContactImportKey, 'storeId' | 'country'> {
  store: LoadedStore
  mainKey: Buffer
  hasher: IdentityHasher
  /** The key of a further person with the same address, once `namedKeyOf` has made it. */
  namedKey?: Buffer | null
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
    store,
    mainKey: patch.keys.main,
    hasher: seals.identities,
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

/**
 * The key of the contact that a record applies to. Two different names with one address are two people: the first has the
 * key of the address alone, unless that is a role's, and the others that with their name.
 */
export function chooseKey(entries: ContactsByImportKey, target: RecordTarget): Buffer {
  const { storeId, mainKey } = target
  if (!isNameInQuestion(entries, target)) return mainKey
  const named = namedKeyOf(target)
  if (named === null) return mainKey
  const isLegacy = !entries.has(importKeyText({ storeId, externalKey: named })) && hasSameName(entries, target)
  return isLegacy ? mainKey : named
}

/** Null without a name. It costs a hash, and most records do not need it. */
function namedKeyOf(target: RecordTarget): Buffer | null {
  target.namedKey ??= keyWithName(target.hasher, target.patch.keys)
  return target.namedKey
}

/** Whether the key of the address alone may be another person's. */
function isNameInQuestion(entries: ContactsByImportKey, target: RecordTarget): boolean {
  const { storeId, mainKey, patch } = target
  if (patch.keys.person === null) return false
  const main = entries.get(importKeyText({ storeId, externalKey: mainKey }))
  return patch.keys.isShared || (main !== undefined && !hasSameName(entries, target))
}

/** Whether the contact with the key of the address alone can be the record's person. */
function hasSameName(entries: ContactsByImportKey, { storeId, mainKey, patch }: RecordTarget): boolean {
  const main = entries.get(importKeyText({ storeId, externalKey: mainKey }))
  const { person, isShared } = patch.keys
  const known = main && fullNameOf(main.state.facts)
  if (known === undefined || known === null) return known === null && !isShared
  return person !== null && canBeOnePerson(known, person.name)
}

export function importKeyText({ storeId, externalKey }: Pick<ContactImportKey, 'storeId' | 'externalKey'>): string {
  return `${storeId} ${externalKey.toString('latin1')}`
}

export async function readContactsByImportKey(
  client: Client,
  context: WriteContext,
  targets: RecordTarget[],
): Promise<ContactsByImportKey> {
  // A store that has not assigned a number has no contacts.
  const populated = targets.filter(({ store }) => store.row.next_contact_number > 0)
  const entries: ContactsByImportKey = new Map()
  await addStored(client, context, entries, populated, ({ mainKey }) => mainKey)
  const inQuestion = populated.filter((target) => isNameInQuestion(entries, target))
  await addStored(client, context, entries, inQuestion, namedKeyOf)
  return entries
}

async function addStored(
  client: Client,
  { seals }: WriteContext,
  entries: ContactsByImportKey,
  targets: RecordTarget[],
  keyOf: (target: RecordTarget) => Buffer | null,
): Promise<void> {
  const wanted = new Map<string, ContactImportKey>()
  for (const target of targets) {
    const [externalKey, { storeId, country }] = [keyOf(target), target]
    if (externalKey !== null) wanted.set(importKeyText({ storeId, externalKey }), { storeId, externalKey, country })
  }
  if (wanted.size === 0) return
  const rows = await readStoredContacts(client, [...wanted.values()])
  for (const { store_id: storeId, number, external_key: externalKey, identities, sealed } of rows) {
    const key = importKeyText({ storeId, externalKey })
    const { country } = wanted.get(key)!
    const facts = openStoredContact(seals.sealer, storeId, number, sealed)
    const stored = { storeId, country, externalKey, number, facts, channelHashes: null, identities }
    entries.set(key, { stored, state: stored, changes: 0, noops: 0 })
  }
}

/** Whether the contact of a record must not be stored. */
export type SuppressionTest = (person: Omit<ContactState, 'number'>, target: RecordTarget) => boolean

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
  const hashOfKey = ({ storeId }: RecordTarget, externalKey: Buffer) =>
    recordIdentity(hasher, { storeId, externalKey }).hash
  const hashes = targets.flatMap((target) => {
    const externalKey = chooseKey(entries, target)
    const stored = entries.get(importKeyText({ storeId: target.storeId, externalKey }))?.stored
    const keys = externalKey === target.mainKey ? [externalKey] : [externalKey, target.mainKey]
    return [
      ...target.channelHashes,
      ...parsePgArray(stored?.identities ?? '{}'),
      ...keys.map((key) => hashOfKey(target, key)),
    ]
  })
  const suppressed = await findSuppressedHashes(client, [...hashes, ...[...hosts.values()].flat().map(hashOfHost)])
  if (suppressed.size === 0) return isNeverSuppressed
  return (person, target) =>
    hashesOfPerson(hasher, person).some((hash) => suppressed.has(hash)) ||
    // Before names counted, a person with a role's address was erased under the key of the address.
    (target.patch.keys.isShared && suppressed.has(hashOfKey(target, target.mainKey))) ||
    hosts.get(person.storeId)!.some((host) => suppressed.has(hashOfHost(host)))
}
