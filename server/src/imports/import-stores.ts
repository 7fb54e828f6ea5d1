import { type ImportContext, type ImportInput, type ImportResult, importFile } from './import-file.ts'
import type { ImportKind } from './kind.ts'
import { planStores } from './stores/import-stores.ts'
import { readStoreRecord, type StorePatch, StoreRecord } from './stores/store-record.ts'

export const storeRecords: ImportKind<StorePatch> = {
  schema: StoreRecord,
  readRecord: (value, { words }) => readStoreRecord(value, words),
  planChunk: planStores,
}

export function importStores(context: ImportContext, input: ImportInput): Promise<ImportResult> {
  return importFile(context, storeRecords, input)
}
