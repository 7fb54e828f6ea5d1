import { parseStrictJson } from '../../../foundation/kernel/json.ts'
import type { CellOptions } from '../cells/clean-cell.ts'
import type { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { type CleanedRow, compileColumns } from '../csv/columns.ts'
import { CsvParser, type CsvRow, type RowText } from '../csv/csv-parser.ts'
import type { CsvLayout } from '../csv/open-csv.ts'
import { type Fault, quoteForReason } from '../fields/faults.ts'
import { type FieldNames, type HeaderColumn, rejectColumns } from '../fields/field-names.ts'
import { shapeOf } from '../fields/fields.ts'
import { JsonArraySplitter } from '../source/json-array.ts'
import { isBlank, type Line, LineSplitter } from '../source/lines.ts'
import { mayHaveLostText, takeLostText } from '../source/lost-text.ts'

/** A record as the file has it: JSON, the cells of a row, or the text of what is neither. */
export type Original = Buffer | readonly string[]

/** An unchecked record of a file, or the reason why its text is not a record. */
export type RawRecord = {
  line: number
  bytes: number
  original: Original
  /** Of the first row with letters beyond ASCII, a cell with them: it shows whether the encoding is right. */
  decoded?: string
} & (
  | { value: unknown; faults: readonly Fault[]; keepsPhones?: boolean; problem?: never }
  | {
      problem: string
      /** Details beyond the problem: figures, and the text if `original` lacks it. */
      detail: string | null
      hint?: string
    }
)

/** Reads the records of blocks of bytes, in order. */
export interface RecordReader {
  read(block: Buffer): RawRecord[]
  end(): RawRecord[]
}

const noFaults: readonly Fault[] = []

/** One JSON record a line. */
export class NdjsonReader implements RecordReader {
  readonly #lines = new LineSplitter()

  read(block: Buffer): RawRecord[] {
    return this.#records(this.#lines.push(block))
  }

  end(): RawRecord[] {
    return this.#records(this.#lines.end())
  }

  #records(lines: Line[]): RawRecord[] {
    return lines.filter((line) => line.isTruncated || !isBlank(line)).map((line) => readJson(line.number, line))
  }
}

/** A JSON array of records. */
export class JsonArrayReader implements RecordReader {
  readonly #elements = new JsonArraySplitter()

  read(block: Buffer): RawRecord[] {
    return this.#elements.push(block).map((element) => readJson(element.line, element))
  }

  end(): RawRecord[] {
    const rest = this.#elements.end()
    return rest.map(({ line, bytes }) => ({
      line,
      bytes: bytes.length,
      original: [bytes.toString('utf8')],
      problem: this.#elements.isClosed ? 'text after the end of the list' : 'the list is never closed',
      detail: null,
    }))
  }
}

const jsonProblems = {
  invalid_utf8: 'not valid UTF-8',
  syntax: 'not valid JSON',
  too_deep: 'nested too deeply',
  duplicate_key: 'duplicate key in an object',
}

function readJson(line: number, { bytes, isTruncated }: Pick<Line, 'bytes' | 'isTruncated'>): RawRecord {
  const parsed = isTruncated ? null : parseStrictJson(bytes)
  if (parsed?.ok) {
    const faults = mayHaveLostText(bytes) ? takeLostText(parsed.value) : noFaults
    return { line, bytes: bytes.length, original: bytes, value: parsed.value, faults }
  }
  const problem = parsed ? jsonProblems[parsed.reason] : 'longer than 1 MB'
  return { line, bytes: bytes.length, original: [bytes.toString('utf8')], problem, detail: null }
}

/** The rows of a CSV file below its header. */
export class CsvReader implements RecordReader {
  readonly #lines = new LineSplitter()
  readonly #rows: CsvParser
  readonly #columns: readonly HeaderColumn[]
  /** Columns that are read; a row without any cell in them is blank. */
  readonly #readColumns: number[]
  readonly #keyColumns: number[]
  /** Rows may have so many cells, the last of them empty, if most do. */
  readonly #commonWidth: number
  readonly #delimiter: string
  readonly #readRow: (cells: readonly string[], text: RowText) => CleanedRow
  readonly #headerLine: number
  readonly #fromLine: number
  /** Columns without a name, in which a value is at fault. */
  readonly #nameless: readonly number[]
  readonly #fillsShortRows: boolean
  #isBelowHeader = false
  #hasDecoded = false

  constructor({ schema }: FieldNames, layout: CsvLayout, resolver: TaxonomyResolver) {
    const { columns, delimiter, decimal, isDecimalCertain, dates, commonWidth } = layout
    this.#rows = new CsvParser(delimiter)
    this.#columns = columns
    this.#commonWidth = commonWidth
    this.#headerLine = layout.headerLine
    this.#fromLine = layout.fromLine
    this.#nameless = layout.nameless
    this.#fillsShortRows = layout.fillsShortRows
    const columnsWhere = (isWanted: (column: HeaderColumn) => boolean) =>
      columns.flatMap((column, index) => (isWanted(column) ? [index] : []))
    // The line of an earlier import counts: a rejected row without cells is to be mended.
    this.#readColumns = columnsWhere(({ field, header }) => field !== null || header === rejectColumns.line)
    const required = shapeOf(schema).required ?? []
    this.#keyColumns = columnsWhere(({ field }) => field !== null && required.includes(field))
    this.#delimiter = delimiter
    const options: CellOptions = { numbers: { decimal, isDecimalCertain }, dates, resolver }
    const readRow = compileColumns(
      schema,
      columns.map(({ field }) => field),
    )
    this.#readRow = (cells, text) => readRow(cells, options, text)
  }

  read(block: Buffer): RawRecord[] {
    return this.#records(this.#rows.read(this.#wanted(this.#lines.push(block)), false))
  }

  end(): RawRecord[] {
    return this.#records(this.#rows.read(this.#wanted(this.#lines.end()), true))
  }

  #wanted(lines: Line[]): Line[] {
    return this.#isBelowHeader || this.#fromLine === 1 ? lines : lines.filter(({ number }) => number >= this.#fromLine)
  }

  #records(rows: CsvRow[]): RawRecord[] {
    return rows.flatMap((row) => {
      this.#isBelowHeader ||= row.line > this.#headerLine
      return this.#isBelowHeader ? this.#readBelowHeader(row) : []
    })
  }

  #readBelowHeader(row: CsvRow): RawRecord[] {
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
      const detail = `${figures}: ${cells.join(this.#delimiter)}`
      return [{ line, bytes, problem, detail, original: this.#withoutKey(cells) }]
    }
    const { record: value, ...rest } = this.#readRow(cells, row.text)
    const read: RawRecord = { line, bytes, value, ...rest, original: cells }
    if (!this.#hasDecoded && row.text !== 'ascii') return [this.#withDecoded(read, cells)]
    return [read]
  }

  #describeStray({ line, bytes }: CsvRow, cells: readonly string[], column: number): RawRecord {
    const { reference } = this.#columns[column]!
    return {
      ...{ line, bytes, original: cells },
      problem: 'a value in a column without a name',
      detail: `column ${reference.slice(1)} has ${quoteForReason(cells[column]!.trim())}`,
      hint: `quote values that contain the delimiter, or name the column: --map "${reference}=FIELD"; "${reference}=" ignores it`,
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

function filled(cells: readonly string[], width: number): string[] {
  return [...cells, ...Array<string>(width - cells.length).fill('')]
}

function isBlankCell(cell: string): boolean {
  return cell === '' || cell.trim() === ''
}
