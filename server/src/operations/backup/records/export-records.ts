import { existsSync } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ContactRecord } from '../../../catalogue/imports/contacts/contact-record.ts'
import { StoreRecord } from '../../../catalogue/imports/stores/store-record.ts'
import { type Client, type Pool, transact } from '../../../foundation/db/pool.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { Sealer } from '../../../foundation/kernel/seal.ts'
import { writeAtomically } from '../../../foundation/runtime/atomic-file.ts'
import { beginSnapshotExport, countRowsToRead } from './queries.ts'
import { readContactRecords, readHistoryLines, readStoreRecords, readSuppressionLines } from './read-records.ts'
import { columnsOf, createRecordCsv, type ListLengths, measureLists, type RecordCsv } from './record-csv.ts'

export type ExportedKind = 'stores' | 'contacts' | 'suppressions' | 'history'

export interface RecordExportContext {
  db: Pool
  seals: { sealer: Sealer }
}

export interface RecordExportOptions {
  kind: ExportedKind
  /** A new file, compressed when its name ends with .gz; `-` for standard output. */
  file: string
  format: 'ndjson' | 'csv'
  stdout: Writable
  onProgress?(progress: { done: number; total: number }): void
}

export interface RecordExport {
  /** `-` for standard output. */
  file: string
  format: 'ndjson' | 'csv'
  records: number
  seconds: number
}

/**
 * Writes everything of a kind in the live catalogue as the records that an import takes, from one snapshot of the database
 * and page by page, so that its size does not matter. Contacts are opened from their seals with all that was imported.
 */
export async function exportRecords(
  ctx: RecordExportContext,
  { kind, file, format, stdout, onProgress }: RecordExportOptions,
): Promise<RecordExport> {
  if (file !== '-' && existsSync(file)) throw new OperatorError(`${file} already exists; choose another file name.`)
  const startedAtMs = performance.now()
  let records = 0
  await transact(ctx.db, async (client) => {
    await beginSnapshotExport(client)
    const total = onProgress ? await countRowsToRead(client, kind) : 0
    const csv = format === 'csv' ? await openCsv(ctx, client, kind) : null
    const blocks = async function* () {
      if (csv) yield csv.header
      const row = csv ? csv.row : (record: object) => `${JSON.stringify(record)}\n`
      for await (const page of readPages(ctx, client, kind)) {
        yield page.map(row).join('')
        records += page.length
        onProgress?.({ done: records, total: Math.max(total, records) })
      }
    }
    if (file === '-') await pipeline(Readable.from(blocks()), stdout, { end: false })
    else await writeAtomically(file, blocks())
  })
  return { file, format, records, seconds: Math.round(performance.now() - startedAtMs) / 1000 }
}

function readPages({ seals }: RecordExportContext, client: Client, kind: ExportedKind): AsyncGenerator<object[]> {
  switch (kind) {
    case 'stores':
      return readStoreRecords(client)
    case 'contacts':
      return readContactRecords(client, seals.sealer)
    case 'suppressions':
      return readSuppressionLines(client)
    case 'history':
      return readHistoryLines(client)
  }
}

const suppressionColumns = ['kind', 'hash', 'added_at']
const historyColumns = ['domain', 'at', 'field', 'before', 'after', 'added', 'removed']

async function openCsv(ctx: RecordExportContext, client: Client, kind: ExportedKind): Promise<RecordCsv> {
  switch (kind) {
    case 'stores':
      return createRecordCsv(columnsOf(StoreRecord, new Map()), StoreRecord)
    case 'contacts':
      return createRecordCsv(columnsOf(ContactRecord, await measureContacts(ctx, client)), ContactRecord)
    case 'suppressions':
      return createRecordCsv(suppressionColumns)
    case 'history':
      return createRecordCsv(historyColumns)
  }
}

/** The header needs the longest lists of all contacts, so these are read once more. */
async function measureContacts({ seals }: RecordExportContext, client: Client): Promise<ListLengths> {
  const lengths: ListLengths = new Map()
  for await (const page of readContactRecords(client, seals.sealer))
    for (const record of page) measureLists(lengths, record)
  return lengths
}
