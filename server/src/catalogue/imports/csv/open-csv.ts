import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { DateOrder } from '../cells/dates.ts'
import type { DecimalMark } from '../cells/numbers.ts'
import type { LineFault } from '../fields/faults.ts'
import {
  type ColumnMap,
  type FieldNames,
  type HeaderColumn,
  isRejectsHeader,
  rejectColumns,
} from '../fields/field-names.ts'
import { findField, shapeOf } from '../fields/fields.ts'
import { decodeBlocks, detectEncoding } from '../source/encoding.ts'
import { requireEncoding } from '../source/encodings.ts'
import { looksLikeJson } from '../source/other-formats.ts'
import type { ImportSource } from '../source/text.ts'
import type { CsvRow, Delimiter } from './csv-parser.ts'
import { type Dialect, detectCommonWidth, detectDecimal, detectDelimiter, readHead } from './dialect.ts'
import { findHeaderLine, guessNoHeader } from './find-header.ts'
import { describeUnreadableHeader, type Header, readHeader, withoutHeader } from './header.ts'
import { quoteArgument } from './header-problems.ts'

/** The given options of a CSV file; everything else is detected. */
export interface CsvOptions {
  delimiter?: Delimiter
  /** Any that the decoder knows; UTF-8, UTF-16 with its mark and Windows-1252 are detected. */
  encoding?: string
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

const csvOptionNames: Record<keyof CsvOptions, true> = {
  ...{ delimiter: true, encoding: true, decimal: true, dates: true, map: true },
  ...{ shortRows: true, headerRow: true, noHeader: true },
}

/** The options that are given, and nothing else: plain data, as another thread needs it. */
export function csvOptionsOf(given: { [Name in keyof CsvOptions]?: CsvOptions[Name] | undefined }): CsvOptions {
  const names = Object.keys(csvOptionNames) as (keyof CsvOptions)[]
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
}

/** How a CSV file is read. */
export interface CsvLayout extends Dialect {
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

/** The beginning of a file that decides how it is read. */
const headBytes = 256 * 1024

/** Opens a CSV file: finds out how it is written and what its columns are. The blocks returned are UTF-8. */
export async function openCsv(
  source: ImportSource,
  names: FieldNames,
  options: CsvOptions,
): Promise<{ layout: CsvLayout; blocks: AsyncIterable<Buffer> }> {
  const encoding = options.encoding
    ? requireEncoding(options.encoding)
    : await detectEncoding(source.file!, source.maxUnpackedMb)
  const { head, isWhole, blocks } = await bufferHead(decodeBlocks(source.blocks, encoding))
  if (looksLikeJson(head))
    throw new OperatorError(`${source.name}: it has JSON, not CSV. Let its name end in .ndjson, or .json for one list.`)
  const map = options.map ?? {}
  // A rejects file has its header in the first line, wherever the imported file had it.
  const isRejects = startsAsRejects(head)
  const fromLine = (!isRejects && options.headerRow) || 1
  const noHeader = isRejects ? undefined : options.noHeader
  const place = { fromLine, hasHeader: noHeader === undefined }
  const delimiter = options.delimiter ?? detectDelimiter(names, head, map, place)
  const rows = readHead(head, delimiter, fromLine, isWhole)
  const [first, ...below] = rows
  const rowCells = (from: readonly CsvRow[]) => from.flatMap(({ cells }) => (cells ? [cells] : []))
  const commonWidth = detectCommonWidth(rowCells(rows))
  const width = Math.max(first?.cells?.length ?? 0, commonWidth)
  const given = noHeader && first && withoutHeader(names, noHeader, width, map)
  const body = rowCells(noHeader ? rows : below)
  if (!noHeader)
    requireHeaderRow(source.name, head, rows, { isWhole, headerRow: isRejects ? undefined : options.headerRow })
  const header = readGivenHeader(names, given?.cells ?? first?.cells ?? [], given?.map ?? map, body)
  const headerLine = noHeader ? (first?.line ?? 1) - 1 : (first?.line ?? 0)
  const isHeaderGiven = noHeader !== undefined || options.headerRow !== undefined
  const suggestion = isHeaderGiven ? null : suggest(names, head, delimiter, header, [first?.cells ?? [], ...body])
  const numbers = options.decimal
    ? { decimal: options.decimal, isDecimalCertain: true }
    : detectDecimal(body, delimiter, numericColumns(names, header.columns))
  const layout: CsvLayout = {
    ...{ encoding, delimiter, ...numbers, dates: options.dates, headerLine, fromLine, suggestion },
    columns: header.columns,
    problems: describeProblems(header, suggestion, { encoding, delimiter, headerLine }),
    notices: header.notices.map((fault) => ({ line: Math.max(headerLine, 1), fault })),
    commonWidth: noHeader ? commonWidth : detectCommonWidth(body),
    nameless: header.nameless,
    fillsShortRows: options.shortRows === 'fill',
  }
  return { layout, blocks }
}

/** The headings of an imported file, for its rejects: a column without a name that was ignored is ignored again. */
export function headingsForRejects({ columns, nameless }: CsvLayout): string[] {
  return columns.map(({ header, field }, index) =>
    header !== '' || field !== null || nameless.includes(index) ? header : rejectColumns.nameless,
  )
}

function startsAsRejects(head: Buffer): boolean {
  const [line] = head
    .toString('utf8', 0, 100)
    .replace(/^\ufeff/, '')
    .split(/[\r\n]/)
  return isRejectsHeader((line ?? '').replaceAll('"', '').split(/[,;\t|]/))
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
  head: Buffer,
  delimiter: Delimiter,
  { columns }: Header,
  rows: readonly (readonly string[])[],
): Suggestion | null {
  const [key] = shapeOf(names.schema).required ?? []
  if (columns.length === 0 || columns.some(({ field }) => field === key)) return null
  const line = findHeaderLine(names, head, delimiter)
  if (line !== null) return { header_row: line, no_header: null }
  const fields = guessNoHeader(names, rows)
  return fields === null ? null : { header_row: null, no_header: fields }
}

const delimiterNames: Record<Delimiter, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars (|)' }

function describeProblems(
  { columns, problems }: Header,
  suggestion: Suggestion | null,
  { encoding, delimiter, headerLine }: { encoding: string; delimiter: Delimiter; headerLine: number },
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
  const read = `No column has the name of a field. The file was read with ${delimiterNames[delimiter]} between cells, in ${encoding}; --delimiter and --encoding say otherwise.`
  return [read, ...problems]
}

async function bufferHead(
  blocks: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; isWhole: boolean; blocks: AsyncIterable<Buffer> }> {
  const first: Buffer[] = []
  let bytes = 0
  let isWhole = false
  while (bytes < headBytes && !isWhole) {
    const { done, value } = await blocks.next()
    if (done) isWhole = true
    else {
      first.push(value)
      bytes += value.length
    }
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first
    if (!isWhole) yield* blocks
  }
  // With a line break at its end, so that the last line of a small file counts.
  if (isWhole) first.push(Buffer.from('\n'))
  return { head: Buffer.concat(first), isWhole, blocks: all() }
}

/** Throws an `OperatorError` where the file has no readable header. An empty file has none and needs none. */
function requireHeaderRow(
  name: string,
  head: Buffer,
  [row]: readonly CsvRow[],
  { isWhole, headerRow }: { isWhole: boolean; headerRow: number | undefined },
): void {
  if (headerRow !== undefined && row?.line !== headerRow)
    throw new OperatorError(
      row || !isWhole
        ? `${name}: line ${headerRow} is no header: ${row ? 'it is blank' : `it is not within ${headBytes / 1024} KB`}.`
        : `${name}: there is no line ${headerRow} for a header.`,
    )
  if (!row) {
    if (isWhole || head.length === 0) return
    throw new OperatorError(`${name}: the header does not end within ${headBytes / 1024} KB.`)
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
