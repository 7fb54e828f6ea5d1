/** The content of a file: rows of items as the API serves them, in CSV, in lines of JSON, or as cells of a workbook. */
import { type CellValue, workbookMediaType } from '@storedex/workbook/write'
import { csvCell, exactCsvCell } from '../../../foundation/kernel/csv.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { Column, ExportKind } from './columns.ts'
import { type ColumnsRequest, isForCrm, selectColumns } from './select-columns.ts'

export const exportFormats = ['csv', 'ndjson', 'xlsx'] as const
type FormatName = (typeof exportFormats)[number]

/** An item is JSON as the API serves it: a store, a contact preview or a revealed contact. */
export interface TextFormat {
  readonly extension: 'csv' | 'ndjson'
  readonly contentType: string
  /** The text before the first row; empty for lines of JSON. */
  header(): string
  /** The text of rows. */
  rows(items: readonly string[]): string
}

export interface WorkbookFormat {
  readonly extension: 'xlsx'
  readonly contentType: string
  readonly sheetName: string
  /** The header. */
  readonly columns: readonly string[]
  /** The cells of rows. */
  rows(items: readonly string[]): Cells
}

export type ExportFormat = TextFormat | WorkbookFormat
type Cells = (readonly CellValue[])[]

interface FormatRequest extends ColumnsRequest {
  format: FormatName
  gzip?: boolean | undefined
}

export function createExportFormat(request: FormatRequest & { format: 'csv' | 'ndjson' }): TextFormat
export function createExportFormat(request: FormatRequest): ExportFormat
/** Throws as `selectColumns` does, and `invalid_request` for what the format does not have. */
export function createExportFormat(request: FormatRequest): ExportFormat {
  if (request.format === 'xlsx') return workbook(request)
  return request.format === 'ndjson' ? ndjson(request) : csv(request)
}

function ndjson({ columns, preset }: FormatRequest): TextFormat {
  if (columns)
    throw new Refusal('invalid_request', 'Columns are for CSV and workbooks; NDJSON has whole objects.', {
      param: 'columns',
    })
  if (preset) throw new Refusal('invalid_request', 'Presets are for CSV and workbooks.', { param: 'preset' })
  return {
    extension: 'ndjson',
    contentType: 'application/x-ndjson; charset=utf-8',
    header: () => '',
    rows: (items) => (items.length === 0 ? '' : `${items.join('\n')}\n`),
  }
}

function csv(request: FormatRequest): TextFormat {
  const columns = selectColumns(request)
  const last = columns.length - 1
  // The import of a customer relationship system would store the guard of formulas with the value.
  const cell = isForCrm(request.preset) ? exactCsvCell : csvCell

  function row(item: unknown): string {
    let text = ''
    for (let i = 0; i < last; i++) text += `${cell(columns[i]!.read(item))},`
    return `${text}${cell(columns[last]!.read(item))}\r\n`
  }

  function rows(items: readonly string[]): string {
    let text = ''
    for (const item of items) text += row(JSON.parse(item))
    return text
  }

  const header = `${columns.map(({ name }) => csvCell(name)).join()}\r\n`
  return {
    extension: 'csv',
    contentType: 'text/csv; charset=utf-8',
    header: () => (request.preset === 'excel' ? byteOrderMark + header : header),
    rows,
  }
}

/** By it a spreadsheet recognises UTF-8. */
const byteOrderMark = '\ufeff'

const sheetNames: Record<ExportKind, string> = { stores: 'Stores', previews: 'Contacts', contacts: 'Contacts' }

function workbook(request: FormatRequest): WorkbookFormat {
  if (request.gzip)
    throw new Refusal('invalid_request', 'A workbook is compressed already; leave gzip out.', { param: 'gzip' })
  const columns = selectColumns(request)
  const row = (item: unknown) => columns.map((column) => cellOf(column, item))
  return {
    extension: 'xlsx',
    contentType: workbookMediaType,
    sheetName: sheetNames[request.kind],
    columns: columns.map(({ name }) => name),
    rows: (items) => items.map((item) => row(JSON.parse(item))),
  }
}

function cellOf({ read, isTime }: Column, item: unknown): CellValue {
  const value = read(item)
  if (!isTime || typeof value !== 'string') return value
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? value : time
}
