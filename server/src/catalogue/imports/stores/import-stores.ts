import type { Client } from '../../../foundation/db/pool.ts'
import type { IdSealer, Mode } from '../../../foundation/kernel/ids.ts'
import { renderPreviewedStore } from '../../../product/delivery/contact-preview.ts'
import { documentVersion, parseStore, renderStore } from '../../../product/delivery/store-document.ts'
import { columnsOfKind } from '../../../product/exports/format/columns.ts'
import { admitPendingStores } from '../../../product/lists/upkeep/admit-stores.ts'
import type { Vocabulary } from '../../../search/query/vocabulary.ts'
import { bulkInsertChanges, type StoreChangeInsert } from '../../history/queries.ts'
import { compareStores, storeAdded } from '../../history/store-changes.ts'
import { type BatchContents, parsePgArray, readStoredStores } from '../../writing/queries.ts'
import { computeSearchColumns, selectContactTokens, visitTaxonomyValues } from '../../writing/search-columns.ts'
import { listFields } from '../fields/import-fields.ts'
import { storeSynonyms } from '../fields/synonyms.ts'
import { type ImportContext, type ImportInput, type ImportResult, importFile } from '../records/import-file.ts'
import type { ChunkPlan, ChunkRecords, ImportKind, NumberedRecord, WriteContext } from '../records/import-kind.ts'
import { isObject } from '../records/read-record.ts'
import type { RawRecord } from '../records/records.ts'
import {
  hostsOf,
  mergeStores,
  type ReadStore,
  type StoreChanges,
  type StoredStore,
  type StoreState,
} from './merge-stores.ts'
import * as queries from './queries.ts'
import { checkStoreShape, readStoreRecord, type StorePatch, StoreRecord } from './store-record.ts'

async function planStores(
  client: Client,
  context: WriteContext,
  { records, trials }: ChunkRecords<StorePatch>,
): Promise<ChunkPlan<StorePatch>> {
  const stored = await readStored(client, context.mode, trials.length === 0 ? records : [...records, ...trials])
  const { changes, outcome } = mergeStores(stored, { records, trials }, context)
  if (changes.created.length + changes.changed.length === 0) return { outcome, change: null }
  return {
    outcome,
    change: {
      visitTaxonomyValues: (visit) => {
        for (const { store } of [...changes.created, ...changes.changed.map(({ state }) => state)])
          visitTaxonomyValues(store, visit)
      },
      write: (client, batch, vocabulary) => writeStores(client, context, batch, vocabulary, changes),
    },
  }
}

async function readStored(client: Client, mode: Mode, records: NumberedRecord<StorePatch>[]): Promise<ReadStore[]> {
  const hosts = new Set(records.flatMap(({ patch }) => [patch.domain, ...(patch.aliases ?? [])]))
  if (hosts.size === 0) return []
  const storeIds = await queries.findStoreIdsOfHosts(client, mode, [...hosts])
  if (storeIds.length === 0) return []
  const documents = await readStoredStores(client, storeIds)
  const aliases = await queries.readAliases(client, storeIds)
  return documents.map(({ id, batch, document, active_ads, tokens }) => ({
    id,
    batch,
    state: {
      store: parseStore(document),
      activeAds: active_ads,
      aliases: aliases.get(id) ?? [],
      contactTokens: selectContactTokens(parsePgArray(tokens).map(Number)),
    },
  }))
}

/** The store's contacts are not rewritten, even if its country changed and phone numbers would be read differently. */
async function writeStores(
  client: Client,
  { ids, mode, now }: WriteContext,
  batch: number,
  vocabulary: Vocabulary,
  { created, changed, removedHosts }: StoreChanges,
): Promise<BatchContents> {
  const newStores = await assignIds(client, ids, mode, created)
  if (changed.length > 0)
    await queries.updateStores(client, batch, documentVersion, [...storeRows(changed, vocabulary)])
  if (removedHosts.length > 0) await queries.deleteHosts(client, mode, removedHosts)
  if (newStores.length > 0)
    await queries.bulkInsertStores(client, { mode, batch, documentVersion }, storeRows(newStores, vocabulary))
  const newHosts: queries.HostRow[] = [
    ...newStores.flatMap(({ id, state }) =>
      hostsOf(state).map((host) => ({ host, storeId: id, isCanonical: host === state.store.domain })),
    ),
    ...changed.flatMap(({ id, addedAliases }) =>
      addedAliases.map((host) => ({ host, storeId: id, isCanonical: false })),
    ),
  ]
  if (newHosts.length > 0) {
    await queries.bulkInsertHosts(client, mode, newHosts)
    await admitPendingStores(client, mode, newHosts, now)
  }
  const history = [...historyRows(newStores, changed)]
  if (history.length > 0) await bulkInsertChanges(client, { batch, at: now }, history)
  return { rows: newStores.length + changed.length, left: changed.map((store) => store.batch) }
}

async function assignIds(client: Client, ids: IdSealer, mode: Mode, states: StoreState[]): Promise<StoredStore[]> {
  if (states.length === 0) return []
  const keys = await queries.allocateStoreIds(client, states.length)
  const publicIds = ids.sealMany('store', keys, mode)
  return states.map((state, index) => ({
    id: keys[index]!,
    state: { ...state, store: { ...state.store, id: publicIds[index]! } },
  }))
}

/** A generator, because rendering is half the work of a chunk: PostgreSQL works while the next rows are rendered. */
function* storeRows(stores: StoredStore[], vocabulary: Vocabulary): Generator<queries.StoreRow> {
  for (const { id, state } of stores)
    yield {
      id,
      ...computeSearchColumns(state.store, state.contactTokens, vocabulary),
      activeAds: state.activeAds,
      document: renderStore(state.store),
      preview: renderPreviewedStore(state.store),
    }
}

function* historyRows(created: StoredStore[], changed: StoreChanges['changed']): Generator<StoreChangeInsert> {
  for (const { id } of created) yield storeAdded(id)
  for (const { id, before, state } of changed) yield* compareStores(id, before, state)
}

/** Fields of the API that no record has: `POST /exports` writes them, too. */
const servedFields = ['id', 'object', 'contacts_summary'] as const
const servedColumns = columnsOfKind.stores
  .map(({ name }) => name)
  .filter((name) => servedFields.some((field) => name === field || name.startsWith(`${field}.`)))

/** A store as the API serves it is a record. */
function withoutServed(record: RawRecord): RawRecord {
  if (record.problem !== undefined || !isObject(record.value) || record.value.object !== 'store') return record
  const { id: _id, object: _object, contacts_summary: _summary, ...value } = record.value
  return { ...record, value }
}

export const storeImportKind: ImportKind<StorePatch> = {
  noun: 'store',
  schema: StoreRecord,
  fields: listFields(StoreRecord),
  synonyms: storeSynonyms,
  served: servedColumns,
  select: withoutServed,
  checkShape: checkStoreShape,
  readRecord: (value, { resolver }, faults) => readStoreRecord(value, resolver, faults),
  planChunk: planStores,
}

export function importStores(context: ImportContext, input: ImportInput): Promise<ImportResult> {
  return importFile(context, storeImportKind, input, 'stores')
}
