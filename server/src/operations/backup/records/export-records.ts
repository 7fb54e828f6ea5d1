import { existsSync } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { WorkbookWriter } from '@storedex/workbook/write'
import { ContactRecord } from '../../../catalogue/imports/contacts/contact-record.ts'
import { StoreRecord } from '../../../catalogue/imports/stores/store-record.ts'
import { type Client, type Pool, transact } from '../../../foundation/db/pool.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { Sealer } from '../../../foundation/kernel/seal.ts'
import type { Clock } from '../../../foundation/kernel/time.ts'
import { writeAtomically } from '../../../foundation/runtime/atomic-file.ts'
import { beginSnapshotExport, countRowsToRead } from './queries.ts'
import { readContactRecords, readHistoryLines, readStoreRecords, readSuppressionLines } from './read-records.ts'
import { formatAsCsv, formatAsLines, formatAsWorkbook, type RecordShape } from './record-blocks.ts'
import { columnsOf, type ListLengths, measureLists } from './record-csv.ts'

export type ExportedKind = 'stores' | 'contacts' | 'suppressions' | 'history'

export type RecordFormat = 'ndjson' | 'csv' | 'xlsx'

export interface RecordExportContext {
  db: Pool
  seals: { sealer: Sealer }
  clock: Clock
}

export interface RecordExportOptions {
  kind: ExportedKind
  /** A new file, compressed when its name ends with .gz; `-` for standard output. */
  file: string
  format: RecordFormat
  stdout: Writable
  onProgress?(progress: { done: number; total: number }): void
}

export interface RecordExport {
  /** `-` for standard output. */
  file: string
  format: RecordFormat
  records: number
  /** Cells of a workbook that do not hold the whole of their text; only of a workbook. */
  cut_cells?: number
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
  let [records, cutCells] = [0, 0]
  await transact(ctx.db, async (client) => {
    await beginSnapshotExport(client)
    const total = onProgress ? await countRowsToRead(client, kind) : 0
    const shape = format === 'ndjson' ? null : await readShape(ctx, client, kind)
    const pages = async function* () {
      for await (const page of readPages(ctx, client, kind)) {
        yield page
        records += page.length
        onProgress?.({ done: records, total: Math.max(total, records) })
      }
    }
    const blocks = async function* () {
      if (shape === null) yield* formatAsLines(pages())
      else if (format === 'csv') yield* formatAsCsv(pages(), shape)
      else {
        const { columns } = shape
        const writer = new WorkbookWriter({ columns, sheetName: sheetNames[kind], createdAt: ctx.clock.now() })
        yield* formatAsWorkbook(pages(), shape, writer)
        cutCells = writer.cutCells
      }
    }
    if (file === '-') await pipeline(Readable.from(blocks()), stdout, { end: false })
    else await writeAtomically(file, blocks())
  })
  const seconds = Math.round(performance.now() - startedAtMs) / 1000
  return { file, format, records, ...(format === 'xlsx' && { cut_cells: cutCells }), seconds }
}

const sheetNames = { stores: 'Stores', contacts: 'Contacts', suppressions: 'Suppressions', history: 'Changes' } as const

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

async function readShape(ctx: RecordExportContext, client: Client, kind: ExportedKind): Promise<RecordShape> {
  switch (kind) {
    case 'stores':
      return { columns: columnsOf(StoreRecord, new Map()), schema: StoreRecord }
    case 'contacts':
      return { columns: columnsOf(ContactRecord, await measureContacts(ctx, client)), schema: ContactRecord }
    case 'suppressions':
      return { columns: suppressionColumns, schema: null }
    case 'history':
      return { columns: historyColumns, schema: null }
  }
}

/** The header needs the longest lists of all contacts, so these are read once more. */
async function measureContacts({ seals }: RecordExportContext, client: Client): Promise<ListLengths> {
  const lengths: ListLengths = new Map()
  for await (const page of readContactRecords(client, seals.sealer))
    for (const record of page) measureLists(lengths, record)
  return lengths
}
