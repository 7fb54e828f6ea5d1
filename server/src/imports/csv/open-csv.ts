import { OperatorError } from '../../kernel/errors.ts'
import type { DateOrder } from '../cells/dates.ts'
import type { DecimalMark } from '../cells/numbers.ts'
import type { LineFault } from '../faults.ts'
import { findField } from '../fields.ts'
import { decodeBlocks, detectEncoding, requireEncoding } from '../source/encoding.ts'
import { LineSplitter } from '../source/lines.ts'
import type { ImportSource } from '../source/text.ts'
import { CsvParser, type Delimiter } from './csv-parser.ts'
import { type Dialect, delimiterLine, detectCommonWidth, detectDecimal, detectDelimiter, parseHead } from './dialect.ts'
import { type ColumnMap, describeUnreadableHeader, type FieldNames, type HeaderColumn, readHeader } from './header.ts'

/** What the person who imports says about a CSV file; everything else is detected. */
export interface CsvOptions {
  delimiter?: Delimiter
  /** Any that the decoder knows; UTF-8, UTF-16 with its mark and Windows-1252 are detected. */
  encoding?: string
  decimal?: DecimalMark
  /** Without it, dates such as 03/04/2021 are at fault. */
  dates?: DateOrder
  map?: ColumnMap
}

/** How a CSV file is read. */
export interface CsvLayout extends Dialect {
  columns: HeaderColumn[]
  /** Why it cannot be imported with these columns. */
  problems: string[]
  dates: DateOrder | undefined
  /** What is worth knowing of how it is read. */
  notices: LineFault[]
  /** How many cells most rows have; more than the header if each ends with a delimiter. */
  commonWidth: number
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
  const { head, isWhole, blocks } = await readHead(decodeBlocks(source.blocks, encoding))
  const map = options.map ?? {}
  const delimiter = options.delimiter ?? detectDelimiter(names, head, map)
  const cells = readHeaderCells(source.name, head, delimiter, isWhole)
  const { columns, problems } = cells.length === 0 ? { columns: [], problems: [] } : readHeader(names, cells, map)
  const rows = parseHead(head, delimiter)
  const numbers = options.decimal
    ? { decimal: options.decimal, isDecimalCertain: true }
    : detectDecimal(rows, delimiter, numericColumns(names, columns))
  const commonWidth = detectCommonWidth(rows)
  const { dates } = options
  return { layout: { encoding, delimiter, ...numbers, columns, problems, notices: [], dates, commonWidth }, blocks }
}

async function readHead(
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

/** The cells of the header; none for an empty file. */
function readHeaderCells(name: string, head: Buffer, delimiter: Delimiter, isWhole: boolean): string[] {
  const rows = new CsvParser(delimiter).read(new LineSplitter().push(head), isWhole)
  const row = rows.find((row) => row.problem !== undefined || !delimiterLine.test(row.cells.join(delimiter)))
  if (!row) {
    if (isWhole) return []
    throw new OperatorError(`${name}: the header does not end within ${headBytes / 1024} KB.`)
  }
  if (row.problem !== undefined) throw new OperatorError(`${name}, line ${row.line}: the header is ${row.problem}.`)
  const unreadable = describeUnreadableHeader(row.cells)
  if (unreadable !== null) throw new OperatorError(`${name}, line ${row.line}: ${unreadable}`)
  return row.cells
}

function numericColumns({ schema }: FieldNames, columns: HeaderColumn[]): number[] {
  return columns.flatMap(({ field }, index) => {
    const type = field === null ? null : findField(schema, field)?.type
    return type === 'number' || type === 'integer' ? [index] : []
  })
}
