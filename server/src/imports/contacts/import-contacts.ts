import { isDeepStrictEqual } from 'node:util'
import { contactsPerStore } from '@storedex/search-index'
import { updateContacts, updateStoreSummaries } from '../../catalogue/contact-queries.ts'
import { copyContacts } from '../../catalogue/copy.ts'
import { type StoreOnFile, sumUpContacts } from '../../catalogue/summaries.ts'
import type { Client } from '../../db/pool.ts'
import { previewVersion } from '../../delivery/contact-preview.ts'
import { documentVersion } from '../../delivery/store-document.ts'
import type { Vocabulary } from '../../search/query/vocabulary.ts'
import { advance, applyEach, settleEntries } from '../entries.ts'
import { RecordProblem } from '../fields.ts'
import { type ImportContext, type ImportInput, type ImportResult, importFile } from '../import-file.ts'
import type { ChunkPlan, ImportKind, NumberedRecord, WriteContext } from '../kind.ts'
import { findSuppressions, type SuppressionTest } from '../suppressions/suppressions.ts'
import { type ContactPatch, ContactRecord, readContactRecord } from './contact-record.ts'
import { applyContactPatch, contactRows } from './contact-rows.ts'
import { type ContactEntries, entryKey, placeOf, type RecordPlace, readEntries, readStores } from './stored-contacts.ts'

async function planContacts(
  client: Client,
  context: WriteContext,
  records: NumberedRecord<ContactPatch>[],
): Promise<ChunkPlan<ContactPatch>> {
  const stores = await readStores(client, context, records)
  const places = records.map(({ patch }) => placeOf(context, stores, patch))
  const known = places.filter((place) => place !== undefined)
  const entries = await readEntries(client, context, known)
  const isSuppressed = await findSuppressions(client, context, known, entries)
  const refused = applyEach(records, ({ patch }, index) => applyPatch(entries, patch, places[index], isSuppressed))
  const { created, changed, ...counts } = settleEntries(entries.values(), (stored, state) =>
    isDeepStrictEqual(stored.facts, state.facts),
  )
  const outcome = { ...counts, refused }
  const states = changed.map(({ state }) => state)
  const written = [...created, ...states]
  if (written.length === 0) return { outcome, change: null }
  const writtenIds = new Set(written.map(({ storeId }) => storeId))
  const homes = [...new Set(stores.values())].filter(({ row }) => writtenIds.has(row.id))
  return {
    outcome,
    change: {
      visitWords: (visit) => {
        for (const { facts } of written) if (facts.role !== null) visit('role', facts.role)
      },
      write: async (client, batch, vocabulary) => {
        if (created.length > 0) await copyContacts(client, previewVersion, contactRows(context, created))
        if (states.length > 0) await updateContacts(client, previewVersion, [...contactRows(context, states)])
        await writeStores(client, batch, vocabulary, homes)
      },
    },
  }
}

function applyPatch(
  entries: ContactEntries,
  patch: ContactPatch,
  place: RecordPlace | undefined,
  isSuppressed: SuppressionTest,
): void {
  if (!place) throw new RecordProblem(`store_domain: no store is known for ${patch.storeHost}; import it first`)
  const { storeId, country, externalKey } = place
  const key = entryKey(place)
  const entry = entries.get(key)
  const before = entry?.state.facts ?? null
  const facts = applyContactPatch(before, patch, country)
  const channelHashes = entry ? null : place.channelHashes
  if (isSuppressed({ storeId, country, externalKey, facts, channelHashes }))
    throw new RecordProblem('this person or domain asked to be left out', { isWithheld: true })
  const number = entry?.state.number ?? takeNumber(place.home)
  const state = { storeId, country, externalKey, number, facts, channelHashes }
  if (entry) advance(entry, state, isDeepStrictEqual(before, facts))
  else entries.set(key, { stored: null, state, changes: 1, repeats: 0 })
}

/** The numbers of people who were erased stay taken. */
function takeNumber({ row }: StoreOnFile): number {
  if (row.next_contact_number >= contactsPerStore)
    throw new RecordProblem(`store_domain: the store has had ${contactsPerStore} contacts and can have no more`)
  return row.next_contact_number++
}

/**
 * Every store whose people changed is written, also where it says the same of them as before: whoever follows the
 * batches learns of people by their stores.
 */
async function writeStores(
  client: Client,
  batch: number,
  vocabulary: Vocabulary,
  stores: StoreOnFile[],
): Promise<void> {
  await updateStoreSummaries(client, batch, documentVersion, await sumUpContacts(client, stores, vocabulary))
}

export const contactRecords: ImportKind<ContactPatch> = {
  schema: ContactRecord,
  readRecord: readContactRecord,
  planChunk: planContacts,
}

/** People at stores that are there already. */
export function importContacts(context: ImportContext, input: ImportInput): Promise<ImportResult> {
  return importFile(context, contactRecords, input)
}
