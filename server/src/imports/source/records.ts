import { parseStrictJson } from '../../kernel/json.ts'
import type { CellOptions } from '../cells/clean-cell.ts'
import { type CleanedRow, compileColumns } from '../csv/columns.ts'
import { CsvParser, type CsvRow } from '../csv/csv-parser.ts'
import { delimiterLine } from '../csv/dialect.ts'
import { type FieldNames, type HeaderColumn, rejectColumns } from '../csv/header.ts'
import type { CsvLayout } from '../csv/open-csv.ts'
import type { Fault } from '../faults.ts'
import { shapeOf } from '../fields.ts'
import type { TaxonomyResolver } from '../taxonomy-resolver.ts'
import { JsonArraySplitter } from './json-array.ts'
import { isBlank, type Line, LineSplitter } from './lines.ts'

/** A record as the file has it: JSON, the cells of a row, or the text of what is neither. */
export type Original = Buffer | readonly string[]

/** An unchecked record of a file, or the reason why its text is not a record. */
export type RawRecord = { line: number; bytes: number; original: Original } & (
  | { value: unknown; faults: readonly Fault[]; keepsPhones?: boolean; problem?: never }
  | {
      problem: string
      /** What is to be said of it beyond the problem: figures and the text, if `original` lacks it. */
      detail: string | null
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
  if (parsed?.ok) return { line, bytes: bytes.length, original: bytes, value: parsed.value, faults: noFaults }
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
  readonly #readRow: (cells: readonly string[], isDamaged: boolean) => CleanedRow
  #isBelowHeader = false

  constructor({ schema }: FieldNames, layout: CsvLayout, resolver: TaxonomyResolver) {
    const { columns, delimiter, decimal, dates, commonWidth } = layout
    this.#rows = new CsvParser(delimiter)
    this.#columns = columns
    this.#commonWidth = commonWidth
    const columnsWhere = (isWanted: (column: HeaderColumn) => boolean) =>
      columns.flatMap((column, index) => (isWanted(column) ? [index] : []))
    // The line of an earlier import counts: a rejected row without cells is to be mended.
    this.#readColumns = columnsWhere(({ field, header }) => field !== null || header === rejectColumns.line)
    const required = shapeOf(schema).required ?? []
    this.#keyColumns = columnsWhere(({ field }) => field !== null && required.includes(field))
    this.#delimiter = delimiter
    const options: CellOptions = { decimal, dates, resolver }
    const readRow = compileColumns(
      schema,
      columns.map(({ field }) => field),
    )
    this.#readRow = (cells, isDamaged) => readRow(cells, options, isDamaged)
  }

  read(block: Buffer): RawRecord[] {
    return this.#records(this.#rows.read(this.#lines.push(block), false))
  }

  end(): RawRecord[] {
    return this.#records(this.#rows.read(this.#lines.end(), true))
  }

  #records(rows: CsvRow[]): RawRecord[] {
    return rows.flatMap((row) => {
      if (this.#isBelowHeader) return this.#readBelowHeader(row)
      this.#isBelowHeader = !delimiterLine.test(row.cells?.join(this.#delimiter) ?? '')
      return []
    })
  }

  #readBelowHeader(row: CsvRow): RawRecord[] {
    const { line, bytes } = row
    if (row.problem !== undefined) return [{ line, bytes, problem: row.problem, detail: row.text, original: [] }]
    const { cells } = row
    const width = this.#columns.length
    // Spreadsheets end a file with rows of empty cells.
    if (cells.length >= width && this.#readColumns.every((column) => isBlankCell(cells[column]!))) return []
    const isPadded = cells.length > width && cells.length === this.#commonWidth && cells.slice(width).every(isBlankCell)
    if (cells.length !== width && !isPadded) {
      const problem = 'the wrong number of cells'
      const figures = `${cells.length} under a header of ${width}`
      // A shorter row stays too short in the rejects file. A longer one could fit there, and has no key.
      if (cells.length < width) return [{ line, bytes, problem, detail: figures, original: cells }]
      const detail = `${figures}: ${cells.join(this.#delimiter)}`
      return [{ line, bytes, problem, detail, original: this.#withoutKey(cells) }]
    }
    const { record: value, ...read } = this.#readRow(cells, row.isDamaged)
    return [{ line, bytes, value, ...read, original: cells }]
  }

  /** Its cells may stand in other columns than their own: until a person has mended the row, it has no key. */
  #withoutKey(cells: readonly string[]): string[] {
    return cells.map((cell, column) => (this.#keyColumns.includes(column) ? '' : cell))
  }
}

function isBlankCell(cell: string): boolean {
  return cell === '' || cell.trim() === ''
}
