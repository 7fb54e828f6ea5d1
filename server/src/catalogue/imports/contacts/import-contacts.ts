import { isDeepStrictEqual } from 'node:util'
import { contactsPerStore } from '@storedex/search-index'
import type { Client } from '../../../foundation/db/pool.ts'
import { previewVersion } from '../../../product/delivery/contact-preview.ts'
import { documentVersion } from '../../../product/delivery/store-document.ts'
import type { Vocabulary } from '../../../search/query/vocabulary.ts'
import { type BatchContents, updateStoreSummaries } from '../../writing/queries.ts'
import { computeStoreSummaries, type LoadedStore } from '../../writing/store-summaries.ts'
import { type Fault, fault, type LineFault, RecordError } from '../fields/faults.ts'
import { listFields } from '../fields/import-fields.ts'
import { contactSynonyms } from '../fields/synonyms.ts'
import { type ImportContext, type ImportInput, type ImportResult, importFile } from '../records/import-file.ts'
import {
  applyRecords,
  type ChunkPlan,
  type ChunkRecords,
  collectChanges,
  type ImportKind,
  type NumberedRecord,
  updateEntry,
  type WriteContext,
} from '../records/import-kind.ts'
import { completePhones, hopelessPhones } from './contact-channels.ts'
import { type ContactPatch, ContactRecord, checkContactShape, readContactRecord } from './contact-record.ts'
import { applyContactPatch, buildContactRows } from './contact-rows.ts'
import { bulkInsertContacts, updateContacts } from './queries.ts'
import {
  type ContactsByImportKey,
  chooseKey,
  findTarget,
  importKeyText,
  loadSuppressionTest,
  type RecordTarget,
  readContactsByImportKey,
  readStoresByHost,
  type StoresByHost,
  type SuppressionTest,
} from './stored-contacts.ts'

async function planContacts(
  client: Client,
  context: WriteContext,
  { records, trials, remnants }: ChunkRecords<ContactPatch>,
): Promise<ChunkPlan<ContactPatch>> {
  const stores = await readStoresByHost(client, context, remnants.length === 0 ? records : [...records, ...remnants])
  const targets = records.map(({ patch }) => findTarget(context, stores, patch))
  const trialTargets = trials.map(({ patch }) => findTarget(context, stores, patch))
  const known = [...targets, ...trialTargets].filter((target) => target !== undefined)
  const entries = await readContactsByImportKey(client, context, known)
  const isSuppressed = await loadSuppressionTest(client, context, known, entries)
  const dropped: LineFault[] = []
  let expected = 0
  const refused = applyRecords(records, ({ line, patch }, index) => {
    if (!targets[index] && context.expectedStores?.has(patch.storeHost)) {
      for (const fault of requireExpected(context, patch)) dropped.push({ line, fault })
      expected++
      return
    }
    for (const fault of applyRecord(entries, patch, targets[index], isSuppressed, context.dropsBadValues))
      dropped.push({ line, fault })
  })
  const { created, changed, ...counts } = collectChanges(entries.values(), (stored, state) =>
    isDeepStrictEqual(stored.facts, state.facts),
  )
  const takenTrials = countTaken(trials, stores, (patch, index) =>
    applyRecord(entries, patch, trialTargets[index], isSuppressed, true),
  )
  const lateFaults = new Map(remnants.map(({ line, patch }) => [line, findLateFaults(context, stores, patch)]))
  const outcome = { ...counts, inserted: counts.inserted + expected, refused, dropped, takenTrials, lateFaults }
  const states = changed.map(({ state }) => state)
  const written = [...created, ...states]
  if (written.length === 0) return { outcome, change: null }
  const writtenIds = new Set(written.map(({ storeId }) => storeId))
  const writtenStores = [...new Set(stores.values())].filter(({ row }) => writtenIds.has(row.id))
  return {
    outcome,
    change: {
      visitTaxonomyValues: (visit) => {
        for (const { facts } of written) if (facts.role !== null) visit('role', facts.role)
      },
      write: async (client, batch, vocabulary) => {
        if (created.length > 0)
          await bulkInsertContacts(client, previewVersion, context.now, buildContactRows(context, created))
        if (states.length > 0) await updateContacts(client, previewVersion, [...buildContactRows(context, states)])
        return writeStoreSummaries(client, batch, vocabulary, writtenStores)
      },
    },
  }
}

/** Applies a record; returns the faults of the values that were left out of it. */
function applyRecord(
  entries: ContactsByImportKey,
  patch: ContactPatch,
  target: RecordTarget | undefined,
  isSuppressed: SuppressionTest,
  dropsBadValues: boolean,
): Fault[] {
  if (!target) throw new RecordError([unknownStore(patch), ...hopelessPhones(patch)])
  const { storeId, country, phoneFaults } = target
  if (phoneFaults.length > 0 && !dropsBadValues) throw new RecordError(phoneFaults, { isTakenWithDrop: true })
  const externalKey = chooseKey(entries, target)
  const key = importKeyText({ storeId, externalKey })
  const entry = entries.get(key)
  const before = entry?.state.facts ?? null
  const facts = applyContactPatch(before, target.patch, country)
  const channelHashes = entry ? null : target.channelHashes
  if (isSuppressed({ storeId, country, externalKey, facts, channelHashes }, target))
    throw new RecordError('this person or domain is suppressed', { isWithheld: true })
  const number = entry?.state.number ?? allocateContactNumber(target.store)
  const state = { storeId, country, externalKey, number, facts, channelHashes }
  if (entry) updateEntry(entry, state, isDeepStrictEqual(before, facts))
  else entries.set(key, { stored: null, state, changes: 1, noops: 0 })
  return phoneFaults
}

function unknownStore({ storeHost }: ContactPatch): Fault {
  const text = `no store is known for ${storeHost}; import it first`
  return fault('store_domain', 'no store is known', { value: storeHost, hint: 'import it first', text })
}

/** The faults that the values at fault of a record have kept from being found: its store, and phones in its country. */
function findLateFaults(context: WriteContext, stores: StoresByHost, patch: ContactPatch): Fault[] {
  const target = findTarget(context, stores, patch)
  if (target) return target.phoneFaults
  if (context.expectedStores?.has(patch.storeHost)) return expectedPhoneFaults(context, patch)
  // Empty if the host itself is at fault.
  return patch.storeHost === '' ? hopelessPhones(patch) : [unknownStore(patch), ...hopelessPhones(patch)]
}

function expectedPhoneFaults({ expectedStores }: WriteContext, patch: ContactPatch): Fault[] {
  return patch.cleansPhones ? completePhones(patch, expectedStores?.get(patch.storeHost) ?? null).faults : []
}

/** Phones of a contact of a store that a dry run would have imported; refuses the contact unless bad values are dropped. */
function requireExpected(context: WriteContext, patch: ContactPatch): Fault[] {
  const faults = expectedPhoneFaults(context, patch)
  if (faults.length > 0 && !context.dropsBadValues) throw new RecordError(faults, { isTakenWithDrop: true })
  return faults
}

/** How many trials would be taken. Runs after the changes were collected; the numbers that trials take are given back. */
function countTaken(
  trials: NumberedRecord<ContactPatch>[],
  stores: StoresByHost,
  apply: (patch: ContactPatch, index: number) => void,
): number {
  if (trials.length === 0) return 0
  const numbers = [...new Set(stores.values())].map(({ row }) => ({ row, next: row.next_contact_number }))
  const refused = applyRecords(trials, ({ patch }, index) => apply(patch, index))
  for (const { row, next } of numbers) row.next_contact_number = next
  return trials.length - refused.length
}

/** Numbers of erased contacts are not reused. */
function allocateContactNumber({ row }: LoadedStore): number {
  if (row.next_contact_number >= contactsPerStore)
    throw new RecordError([fault('store_domain', `the store has used all of its ${contactsPerStore} contact numbers`)])
  return row.next_contact_number++
}

/**
 * Writes every store whose contacts changed, even if its summary is the same: replicas detect changed contacts by the
 * batch number of their store.
 */
async function writeStoreSummaries(
  client: Client,
  batch: number,
  vocabulary: Vocabulary,
  stores: LoadedStore[],
): Promise<BatchContents> {
  await updateStoreSummaries(client, batch, documentVersion, await computeStoreSummaries(client, stores, vocabulary))
  return { rows: stores.length, left: stores.map(({ row }) => row.batch) }
}

export const contactImportKind: ImportKind<ContactPatch> = {
  noun: 'contact',
  schema: ContactRecord,
  fields: listFields(ContactRecord),
  synonyms: contactSynonyms,
  checkShape: checkContactShape,
  readRecord: readContactRecord,
  planChunk: planContacts,
}

/** Imports contacts of stores that exist already. */
export function importContacts(context: ImportContext, input: ImportInput): Promise<ImportResult> {
  return importFile(context, contactImportKind, input, 'contacts')
}
