import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../db/pool.ts'
import type { Vocabulary } from '../search/vocabulary.ts'
import { documentVersion } from '../stores/document.ts'
import { previewVersion } from '../stores/preview.ts'
import type { ContactPatch } from './contact-record.ts'
import { contactRows } from './contact-rows.ts'
import { advance, applyEach, settleEntries } from './entries.ts'
import type { ChunkPlan, NumberedRecord, WriteContext } from './kind.ts'
import { updateContacts, updateStoreSummaries } from './load-contacts.ts'
import { copyContacts } from './load-copy.ts'
import { applyContactPatch } from './merge-contact.ts'
import { RecordProblem } from './problem.ts'
import { type StoreOnFile, sumUpContacts } from './refresh.ts'
import {
  type ContactEntries,
  entryKey,
  type PlacedRecord,
  placeRecord,
  readEntries,
  readStores,
} from './stored-contacts.ts'
import { findSuppressions, type SuppressionTest } from './suppressions.ts'

export async function planContacts(
  client: Client,
  context: WriteContext,
  records: NumberedRecord<ContactPatch>[],
): Promise<ChunkPlan<ContactPatch>> {
  const stores = await readStores(client, context, records)
  const placed: PlacedRecord[] = []
  const homeless = applyEach(records, (record) => placed.push(placeRecord(context, stores, record)))
  const entries = await readEntries(client, context, placed)
  const isSuppressed = await findSuppressions(client, context, placed, entries)
  const refused = applyEach(placed, (record) => applyRecord(entries, record, isSuppressed))

  const { created, changed, ...counts } = settleEntries(entries.values(), (stored, state) =>
    isDeepStrictEqual(stored.facts, state.facts),
  )
  const outcome = { ...counts, refused: [...homeless, ...refused] }
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

function applyRecord(
  entries: ContactEntries,
  { patch, home, place, channelHashes }: PlacedRecord,
  isSuppressed: SuppressionTest,
): void {
  const key = entryKey(place)
  const entry = entries.get(key)
  const before = entry?.state.facts ?? null
  const facts = applyContactPatch(before, patch, place.country)
  const person = { ...place, facts, channelHashes: entry ? null : channelHashes }
  if (isSuppressed(person)) throw new RecordProblem('this person or domain asked to be left out', { isWithheld: true })
  if (entry) advance(entry, { ...person, number: entry.state.number }, isDeepStrictEqual(before, facts))
  else entries.set(key, { stored: null, state: { ...person, number: takeNumber(home) }, changes: 1, repeats: 0 })
}

/** A public id has room for as many; the numbers of people who were erased stay taken. */
const maxNumbers = 4_096

function takeNumber({ row }: StoreOnFile): number {
  if (row.next_contact_number >= maxNumbers)
    throw new RecordProblem(`store_domain: the store has had ${maxNumbers} contacts and can have no more`)
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
