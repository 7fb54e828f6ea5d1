import type { CellOptions } from '../cells/clean-cell.ts'
import type { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { CsvParser } from '../csv/csv-parser.ts'
import type { CsvLayout } from '../csv/open-csv.ts'
import { quoteForReason } from '../fields/faults.ts'
import { type FieldNames, type HeaderColumn, rejectColumns } from '../fields/field-names.ts'
import { shapeOf } from '../fields/fields.ts'
import { type Line, LineSplitter } from '../source/lines.ts'
import { type CleanedRow, compileColumns } from '../table/columns.ts'
import type { TableLayout } from '../table/layout.ts'
import type { RowText, TableRow } from '../table/rows.ts'
import type { Original, RawRecord, RecordReader } from './records.ts'

/** The records of a table: its rows below the header. */
export class TableReader {
  readonly #columns: readonly HeaderColumn[]
  /** Columns that are read; a row without any cell in them is blank. */
  readonly #readColumns: number[]
  readonly #keyColumns: number[]
  /** Rows may have so many cells, the last of them empty, if most do. */
  readonly #commonWidth: number
  /** Stands between the cells of a row that is too long, in its reason. */
  readonly #separator: string
  readonly #readRow: (cells: readonly string[], text: RowText, kinds: Uint8Array | null | undefined) => CleanedRow
  readonly #headerLine: number
  /** Columns without a name, in which a value is at fault. */
  readonly #nameless: readonly number[]
  readonly #fillsShortRows: boolean
  #isBelowHeader = false
  #hasDecoded = false

  constructor({ schema }: FieldNames, layout: TableLayout, resolver: TaxonomyResolver, separator: string) {
    const { columns, decimal, isDecimalCertain, dates, commonWidth } = layout
    this.#columns = columns
    this.#commonWidth = commonWidth
    this.#headerLine = layout.headerLine
    this.#nameless = layout.nameless
    this.#fillsShortRows = layout.fillsShortRows
    const columnsWhere = (isWanted: (column: HeaderColumn) => boolean) =>
      columns.flatMap((column, index) => (isWanted(column) ? [index] : []))
    // The line of an earlier import counts: a rejected row without cells is to be mended.
    this.#readColumns = columnsWhere(({ field, header }) => field !== null || header === rejectColumns.line)
    const required = shapeOf(schema).required ?? []
    this.#keyColumns = columnsWhere(({ field }) => field !== null && required.includes(field))
    this.#separator = separator
    const options: CellOptions = { numbers: { decimal, isDecimalCertain }, dates, resolver }
    const readRow = compileColumns(
      schema,
      columns.map(({ field }) => field),
    )
    this.#readRow = (cells, text, kinds) => readRow(cells, options, text, kinds)
  }

  read(rows: readonly TableRow[]): RawRecord[] {
    return rows.flatMap((row) => {
      this.#isBelowHeader ||= row.line > this.#headerLine
      return this.#isBelowHeader ? this.#readBelowHeader(row) : []
    })
  }

  #readBelowHeader(row: TableRow): RawRecord[] {
    const { line, bytes } = row
    if (row.problem !== undefined) return [{ line, bytes, problem: row.problem, detail: row.content, original: [] }]
    const width = this.#columns.length
    const cells = this.#fillsShortRows && row.cells.length < width ? filled(row.cells, width) : row.cells
    const stray = this.#nameless.find((column) => !isBlankCell(cells[column] ?? ''))
    if (stray !== undefined) return [this.#describeStray(row, cells, stray)]
    // Spreadsheets end a file with rows of empty cells.
    const hasNoMore = cells.length === width || (cells.length > width && cells.slice(width).every(isBlankCell))
    if (hasNoMore && this.#readColumns.every((column) => isBlankCell(cells[column]!))) return []
    const isPadded = hasNoMore && cells.length === this.#commonWidth
    if (cells.length !== width && !isPadded) {
      const problem = 'the wrong number of cells'
      const figures = `${cells.length} under a header of ${width}`
      // A shorter row stays too short in the rejects file. A longer one could fit there, and has no key.
      if (cells.length < width) return [{ line, bytes, problem, detail: figures, hint: shortRowsHint, original: cells }]
      const detail = `${figures}: ${cells.join(this.#separator)}`
      return [{ line, bytes, problem, detail, original: this.#withoutKey(cells) }]
    }
    const { record: value, ...rest } = this.#readRow(cells, row.text, row.kinds)
    const read: RawRecord = { line, bytes, value, ...rest, original: originalOf(row, cells) }
    if (row.isHidden) read.isHidden = true
    if (!this.#hasDecoded && (row.text === 'utf-8' || row.text === 'invalid')) return [this.#withDecoded(read, cells)]
    return [read]
  }

  #describeStray(row: Extract<TableRow, { cells: string[] }>, cells: readonly string[], column: number): RawRecord {
    const { reference } = this.#columns[column]!
    const naming = `name the column: --map "${reference}=FIELD"; "${reference}=" ignores it`
    return {
      ...{ line: row.line, bytes: row.bytes, original: originalOf(row, cells) },
      problem: 'a value in a column without a name',
      detail: `column ${reference.slice(1)} has ${quoteForReason(cells[column]!.trim())}`,
      hint: row.text === 'workbook' ? naming : `quote values that contain the delimiter, or ${naming}`,
    }
  }

  #withDecoded(record: RawRecord, cells: readonly string[]): RawRecord {
    const column = this.#readColumns.find((column) => lettersBeyondAscii.test(cells[column]!))
    if (column === undefined) return record
    this.#hasDecoded = true
    return { ...record, decoded: cells[column]!.trim().slice(0, maxDecodedLength) }
  }

  /** Its cells may stand in other columns than their own: until a person has mended the row, it has no key. */
  #withoutKey(cells: readonly string[]): string[] {
    return cells.map((cell, column) => (this.#keyColumns.includes(column) ? '' : cell))
  }
}

const shortRowsHint = 'give --short-rows fill if empty cells at the end of a row are left out'
const lettersBeyondAscii = /[^\P{L}\0-\x7f]/u
const maxDecodedLength = 200

/** With the kinds of a workbook's cells, so that its rejects have them, too. */
function originalOf({ kinds }: TableRow, cells: readonly string[]): Original {
  return kinds ? { cells, kinds } : cells
}

function filled(cells: readonly string[], width: number): string[] {
  return [...cells, ...Array<string>(width - cells.length).fill('')]
}

function isBlankCell(cell: string): boolean {
  return cell === '' || cell.trim() === ''
}

/** The records of a CSV file. */
export class CsvReader implements RecordReader {
  readonly #lines = new LineSplitter()
  readonly #rows: CsvParser
  readonly #records: TableReader
  readonly #fromLine: number
  #isBelow = false

  constructor(names: FieldNames, layout: CsvLayout, resolver: TaxonomyResolver) {
    this.#rows = new CsvParser(layout.delimiter)
    this.#records = new TableReader(names, layout, resolver, layout.delimiter)
    this.#fromLine = layout.fromLine
  }

  read(block: Buffer): RawRecord[] {
    return this.#records.read(this.#rows.read(this.#wanted(this.#lines.push(block)), false))
  }

  end(): RawRecord[] {
    return this.#records.read(this.#rows.read(this.#wanted(this.#lines.end()), true))
  }

  #wanted(lines: Line[]): Line[] {
    if (this.#isBelow || this.#fromLine === 1) return lines
    const wanted = lines.filter(({ number }) => number >= this.#fromLine)
    this.#isBelow = wanted.length > 0
    return wanted
  }
}
