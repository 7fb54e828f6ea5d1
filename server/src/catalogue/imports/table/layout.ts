import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { DateOrder } from '../cells/dates.ts'
import type { DecimalMark, NumberStyle } from '../cells/numbers.ts'
import type { LineFault } from '../fields/faults.ts'
import {
  type ColumnMap,
  type FieldNames,
  type HeaderColumn,
  isRejectsHeader,
  rejectColumns,
} from '../fields/field-names.ts'
import { findField, shapeOf } from '../fields/fields.ts'
import { findHeaderLine, guessNoHeader } from './find-header.ts'
import { describeUnreadableHeader, type Header, readHeader, withoutHeader } from './header.ts'
import { quoteArgument } from './header-problems.ts'
import { cellsOf, commonWidthOf, type TableRow } from './rows.ts'

/** What a person may say about the table in a file, whatever it is written in; everything else is found out. */
export interface TableOptions {
  decimal?: DecimalMark
  /** Without it, dates such as 03/04/2021 are at fault. */
  dates?: DateOrder
  map?: ColumnMap
  /** What becomes of rows with fewer cells than the header: they are at fault, or the missing cells are empty. */
  shortRows?: 'reject' | 'fill'
  /** The line of the header; lines before it are not read. */
  headerRow?: number
  /** The fields of the columns of a file without a header, in their order; empty for one that is ignored. */
  noHeader?: readonly string[]
}

/** The options with which the file could be read, for a message. */
export interface Suggestion {
  header_row: number | null
  /** The fields of the columns, with commas. */
  no_header: string | null
}

/** How a table is read. */
export interface TableLayout extends NumberStyle {
  columns: HeaderColumn[]
  /** Why it cannot be imported with these columns. */
  problems: string[]
  suggestion: Suggestion | null
  dates: DateOrder | undefined
  /** Notices on how it is read. */
  notices: LineFault[]
  /** How many cells most rows have; more than the header if each ends with a delimiter. */
  commonWidth: number
  /** The line on which the header begins; rows below it are records. 0 without a header. */
  headerLine: number
  /** The first line that is read. */
  fromLine: number
  /** Columns without a name, in which a value is at fault. */
  nameless: readonly number[]
  fillsShortRows: boolean
}

/** The beginning of a table, which decides how it is read. */
export interface TableHead {
  sourceName: string
  /** Its rows from the line of the header on. */
  rows: readonly TableRow[]
  /** Whether these are all. */
  isWhole: boolean
  /** How much of it the beginning is, for a message: `256 KB`. */
  extent: string
  /** Each of its first lines as a row. */
  firstLines(): readonly TableRow[]
  /** The decimal mark that its numbers show. */
  detectDecimal(rows: readonly string[][], numericColumns: readonly number[]): NumberStyle
  /** How it was read, for a file without a known column: a sentence. */
  reading: string
}

/** Where the header is expected: a rejects file has it in the first line, wherever the imported file had it. */
export function headerPlaceOf({ headerRow, noHeader }: TableOptions, firstCells: readonly string[]) {
  const isRejects = isRejectsHeader(firstCells)
  return {
    headerRow: isRejects ? undefined : headerRow,
    noHeader: isRejects ? undefined : noHeader,
    fromLine: (!isRejects && headerRow) || 1,
  }
}

/** Finds out what the columns of a table are. Throws an `OperatorError` without a readable header. */
export function readLayout(names: FieldNames, options: TableOptions, head: TableHead, place: HeaderPlace): TableLayout {
  const { sourceName, rows } = head
  const { headerRow, noHeader, fromLine } = place
  const map = options.map ?? {}
  const [first, ...below] = rows
  const width = Math.max(first?.cells?.length ?? 0, commonWidthOf(cellsOf(rows)))
  const given = noHeader && first && withoutHeader(names, noHeader, width, map)
  const body = cellsOf(noHeader ? rows : below)
  if (!noHeader) requireHeaderRow(sourceName, head, headerRow)
  const header = readGivenHeader(names, given?.cells ?? first?.cells ?? [], given?.map ?? map, body)
  const headerLine = noHeader ? (first?.line ?? 1) - 1 : (first?.line ?? 0)
  const isHeaderGiven = options.noHeader !== undefined || options.headerRow !== undefined
  const suggestion = isHeaderGiven ? null : suggest(names, head, header, [first?.cells ?? [], ...body])
  const numbers = options.decimal
    ? { decimal: options.decimal, isDecimalCertain: true }
    : head.detectDecimal(body, numericColumns(names, header.columns))
  return {
    ...{ ...numbers, dates: options.dates, headerLine, fromLine, suggestion },
    columns: header.columns,
    problems: describeProblems(header, suggestion, head.reading, headerLine),
    notices: header.notices.map((fault) => ({ line: Math.max(headerLine, 1), fault })),
    commonWidth: commonWidthOf(noHeader ? cellsOf(rows) : body),
    nameless: header.nameless,
    fillsShortRows: options.shortRows === 'fill',
  }
}

type HeaderPlace = ReturnType<typeof headerPlaceOf>

/** The headings of an imported file, for its rejects: a column without a name that was ignored is ignored again. */
export function headingsForRejects({ columns, nameless }: TableLayout): string[] {
  return columns.map(({ header, field }, index) =>
    header !== '' || field !== null || nameless.includes(index) ? header : rejectColumns.nameless,
  )
}

function readGivenHeader(
  names: FieldNames,
  cells: readonly string[],
  map: ColumnMap,
  body: readonly (readonly string[])[],
): Header {
  return cells.length === 0
    ? { columns: [], problems: [], notices: [], nameless: [] }
    : readHeader(names, cells, map, body)
}

/** A header that lacks the records' key may stand in a later line, or the file has none. */
function suggest(
  names: FieldNames,
  head: TableHead,
  { columns }: Header,
  rows: readonly (readonly string[])[],
): Suggestion | null {
  const [key] = shapeOf(names.schema).required ?? []
  if (columns.length === 0 || columns.some(({ field }) => field === key)) return null
  const line = findHeaderLine(names, head.firstLines())
  if (line !== null) return { header_row: line, no_header: null }
  const fields = guessNoHeader(names, rows)
  return fields === null ? null : { header_row: null, no_header: fields }
}

function describeProblems(
  { columns, problems }: Header,
  suggestion: Suggestion | null,
  reading: string,
  headerLine: number,
): string[] {
  if (problems.length === 0) return []
  if (suggestion?.header_row != null)
    return [
      `line ${headerLine} is no header, and line ${suggestion.header_row} looks like one: --header-row ${suggestion.header_row} takes it.`,
    ]
  if (suggestion?.no_header != null) {
    const advice = `--no-header ${quoteArgument(suggestion.no_header)}`
    return [
      `line ${headerLine} looks like a record, not like a header: ${advice} reads the file without one. It names the fields of the columns in their order; a column without a field is ignored.`,
    ]
  }
  if (columns.some(({ field }) => field !== null)) return problems
  return [`No column has the name of a field. ${reading}`, ...problems]
}

/** Throws an `OperatorError` where the file has no readable header. An empty file has none and needs none. */
function requireHeaderRow(
  name: string,
  { rows: [row], isWhole, extent }: TableHead,
  headerRow: number | undefined,
): void {
  if (headerRow !== undefined && row?.line !== headerRow)
    throw new OperatorError(
      row || !isWhole
        ? `${name}: line ${headerRow} is no header: ${row ? 'it is blank' : `it is not within ${extent}`}.`
        : `${name}: there is no line ${headerRow} for a header.`,
    )
  if (!row) {
    if (isWhole) return
    throw new OperatorError(`${name}: the header does not end within ${extent}.`)
  }
  if (row.problem !== undefined) throw new OperatorError(`${name}, line ${row.line}: the header is ${row.problem}.`)
  const unreadable = describeUnreadableHeader(row.cells)
  if (unreadable !== null) throw new OperatorError(`${name}, line ${row.line}: ${unreadable}`)
}

function numericColumns({ schema }: FieldNames, columns: HeaderColumn[]): number[] {
  return columns.flatMap(({ field }, index) => {
    const type = field === null ? null : findField(schema, field)?.type
    return type === 'number' || type === 'integer' ? [index] : []
  })
}
