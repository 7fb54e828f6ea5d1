/** The XML of a sheet of a test workbook. */
import type { TestCell } from './cells.ts'

export interface TestSheet {
  name?: string
  state?: 'hidden' | 'veryHidden'
  rows: Iterable<TestRow | readonly TestCell[]>
  /** Ranges such as `A1:B2`. */
  merges?: readonly string[]
  /** Columns by their number, from 1. */
  hiddenColumns?: readonly number[]
  /** The range of a filter. Rows that it hides are hidden rows. */
  filter?: string
  /** Which places are written: of rows and cells, as usual, or of rows alone, or none. */
  refs?: 'all' | 'rows' | 'none'
  /** What the sheet says about its size, true or not; nothing by default. */
  dimension?: string
}

export interface TestRow {
  cells: readonly TestCell[]
  /** Another number than the one after the row before. */
  number?: number
  isHidden?: boolean
}

/** Pieces of XML are about so long. */
export const chunkLetters = 1 << 16

/** The XML in chunks, so that a sheet larger than memory can be written. */
export function* sheetChunks(
  { rows, merges = [], hiddenColumns = [], filter, refs = 'all', dimension }: TestSheet,
  namespace: string,
  write: (cell: TestCell, ref: string | null) => string,
): Generator<string> {
  let xml = `<worksheet xmlns="${namespace}">`
  if (dimension !== undefined) xml += `<dimension ref="${dimension}"/>`
  const columns = hiddenColumns.map((column) => `<col min="${column}" max="${column}" width="9" hidden="1"/>`)
  if (columns.length > 0) xml += `<cols>${columns.join('')}</cols>`
  xml += '<sheetData>'
  let number = 0
  for (const each of rows) {
    const row: TestRow = 'cells' in each ? each : { cells: each }
    number = row.number ?? number + 1
    const cells = row.cells.map((cell, column) => write(cell, refs === 'all' ? `${columnName(column)}${number}` : null))
    const place = refs === 'none' ? '' : ` r="${number}"`
    xml += `<row${place}${row.isHidden ? ' hidden="1"' : ''}>${cells.join('')}</row>`
    if (xml.length < chunkLetters) continue
    yield xml
    xml = ''
  }
  xml += '</sheetData>'
  if (filter !== undefined) xml += `<autoFilter ref="${filter}"/>`
  const ranges = merges.map((range) => `<mergeCell ref="${range}"/>`)
  if (ranges.length > 0) xml += `<mergeCells count="${ranges.length}">${ranges.join('')}</mergeCells>`
  yield `${xml}</worksheet>`
}

/** The letters of a column, counted from 0. */
function columnName(column: number): string {
  const rest = Math.floor(column / 26)
  return (rest === 0 ? '' : columnName(rest - 1)) + String.fromCharCode(65 + (column % 26))
}
