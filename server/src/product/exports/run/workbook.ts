/** Files of exports that are workbooks. */
import { type WorkbookOptions, type WorkbookState, WorkbookWriter } from '@storedex/workbook/write'
import type { ExportRow } from '../export-row.ts'
import { type Cells, createExportFormat } from '../format/export-format.ts'
import { mapInSteps } from './items.ts'

/** What a workbook of an export is written by; null for other formats. */
export function workbookOptionsOf({
  kind,
  layout,
  createdAt,
}: Pick<ExportRow, 'kind' | 'layout' | 'createdAt'>): WorkbookOptions | null {
  const format = createExportFormat({ kind, ...layout })
  return format.extension === 'xlsx' ? { columns: format.columns, sheetName: format.sheetName, createdAt } : null
}

/** The bytes of rows behind those of a state, in steps that leave the event loop to requests. */
export async function appendRows(
  options: WorkbookOptions,
  from: WorkbookState | null,
  rows: Cells,
): Promise<{ bytes: Buffer; state: WorkbookState }> {
  const writer = new WorkbookWriter({ ...options, ...(from && { state: from }) })
  await mapInSteps(rows, (row) => writer.add([row]))
  const bytes = await writer.flush()
  return { bytes, state: writer.state }
}

/** The bytes that complete a file which ends at a state. */
export function endWorkbook(options: WorkbookOptions, from: WorkbookState | null): Buffer {
  return new WorkbookWriter({ ...options, ...(from && { state: from }) }).end()
}
