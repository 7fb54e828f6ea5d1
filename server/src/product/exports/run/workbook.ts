/** Files of exports that are workbooks. */
import { type WorkbookOptions, type WorkbookState, WorkbookWriter } from '@storedex/workbook/write'
import type { Client } from '../../../foundation/db/pool.ts'
import type { ExportRow } from '../export-row.ts'
import { insertPieces } from '../file-queries.ts'
import { createExportFormat, type WorkbookFormat } from '../format/export-format.ts'

/** What a workbook of an export is written by; null for other formats. */
export function workbookOptionsOf({
  kind,
  layout,
  createdAt,
}: Pick<ExportRow, 'kind' | 'layout' | 'createdAt'>): WorkbookOptions | null {
  const format = createExportFormat({ kind, ...layout })
  return format.extension === 'xlsx' ? optionsOf(format, createdAt) : null
}

function optionsOf({ columns, sheetName }: WorkbookFormat, createdAt: Date): WorkbookOptions {
  return { columns, sheetName, createdAt }
}

/** Rows that stand behind those of a state, and nowhere else. */
export interface PackedRows {
  from: WorkbookState | null
  bytes: Buffer
  state: WorkbookState
}

/** A workbook to which rows are added behind a state. */
export function openWorkbook(format: WorkbookFormat, createdAt: Date, from: WorkbookState | null) {
  const writer = new WorkbookWriter({ ...optionsOf(format, createdAt), ...(from && { state: from }) })
  return {
    add: (items: readonly string[]) => writer.add(format.rows(items)),
    async pack(): Promise<PackedRows> {
      const bytes = await writer.flush()
      return { from, bytes, state: writer.state }
    },
  }
}

/** The bytes that complete a file which ends at a state. */
export function endWorkbook(options: WorkbookOptions, from: WorkbookState | null): Buffer {
  return new WorkbookWriter({ ...options, ...(from && { state: from }) }).end()
}

/**
 * Writes what a file still needs to be complete, in the transaction that ends its export; returns its length. Of a workbook that is
 * the directory of the archive; the checksum of the row includes it already. It has no channels, so it is not sealed.
 */
export async function closeFile(client: Client, row: ExportRow): Promise<{ pieces: number; bytes: number }> {
  const { pieces, bytes: startsAt } = row
  const workbook = workbookOptionsOf(row)
  if (!workbook) return { pieces, bytes: startsAt }
  const bytes = endWorkbook(workbook, row.workbook)
  const piece = { number: pieces, startsAt, size: bytes.length, storedAt: 0, storedSize: bytes.length }
  await insertPieces(client, row, { pieces: [piece], sealed: false, contactIds: null, bytes })
  return { pieces: pieces + 1, bytes: startsAt + bytes.length }
}
