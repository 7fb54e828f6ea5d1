import { countDecimalMarks, type NumberStyle } from '../cells/numbers.ts'
import type { ColumnMap, FieldNames } from '../fields/field-names.ts'
import { LineSplitter } from '../source/lines.ts'
import { findHeaderLine } from '../table/find-header.ts'
import { fieldsOfHeader } from '../table/header.ts'
import { cellsOf, commonWidthOf, type TableRow } from '../table/rows.ts'
import { CsvParser, type Delimiter } from './csv-parser.ts'

export const delimiters = [',', ';', '\t', '|'] as const satisfies Delimiter[]

/** The line by which spreadsheets name the delimiter. */
const delimiterLine = /^sep=(.)$/i

/** So many rows of the beginning of a file are looked at. */
const sampledRows = 1_000

/** Where the header is expected. */
export interface HeaderPlace {
  /** The first line that is read. */
  fromLine: number
  hasHeader: boolean
}

/**
 * Detects the delimiter from the beginning of a file, in UTF-8: the one with which most columns are fields of a record,
 * and with which most rows have the same number of cells.
 */
export function detectDelimiter(names: FieldNames, head: Buffer, map: ColumnMap, place: HeaderPlace): Delimiter {
  const [firstLine] = new LineSplitter().push(head)
  const declared = delimiterLine.exec(firstLine?.bytes.toString('utf8') ?? '')?.[1]
  const given = delimiters.find((delimiter) => delimiter === declared)
  if (given) return given
  // A delimiter that is not there would make one cell of each row.
  const candidates = delimiters.filter((delimiter) => delimiter === ',' || head.includes(delimiter))
  const scores = candidates.map((delimiter) => ({ delimiter, ...scoreOf(names, head, delimiter, map, place) }))
  scores.sort((a, b) => b.known - a.known || b.below - a.below || b.even - a.even || b.width - a.width)
  const [best] = scores
  // A file of one column is reported as one with commas.
  return best!.known > 0 || best!.below > 0 || best!.even > 0.5 ? best!.delimiter : ','
}

interface Score {
  /** How many columns of the header are fields, and whether a later line has some. */
  known: number
  below: number
  even: number
  width: number
}

function scoreOf(
  names: FieldNames,
  head: Buffer,
  delimiter: Delimiter,
  map: ColumnMap,
  { fromLine, hasHeader }: HeaderPlace,
): Score {
  const [header, ...body] = readHead(head, delimiter, fromLine)
  if (header?.cells === undefined) return { known: 0, below: 0, even: 0, width: 0 }
  const width = header.cells.length
  const known = hasHeader ? fieldsOfHeader(names, header.cells, map).length : 0
  const below = hasHeader && known === 0 && findHeaderLine(names, readFirstLines(head, delimiter)) !== null ? 1 : 0
  const shareOf = (wanted: number) => {
    const fitting = body.filter(({ cells }) => cells?.length === wanted).length
    return wanted < 2 ? 0 : body.length === 0 ? 1 : fitting / body.length
  }
  // Rows may have a delimiter at their end, or stand below lines of another width.
  const common = commonWidthOf(cellsOf(body))
  return { known, below, even: Math.max(shareOf(width), 0.9 * shareOf(common)), width: Math.max(width, common) }
}

/**
 * Detects the decimal mark from the numbers at the beginning of a file. With commas between cells it is the dot; with
 * semicolons the comma, unless the numbers have dots. It is certain if the numbers show it and none shows the other.
 */
export function detectDecimal(
  rows: readonly string[][],
  delimiter: Delimiter,
  numericColumns: readonly number[],
): NumberStyle {
  const { commas, dots } = countDecimalMarks(rows, numericColumns)
  if (delimiter === ',') return { decimal: 'dot', isDecimalCertain: dots > 0 && commas === 0 }
  const isComma = commas === dots ? delimiter === ';' : commas > dots
  return { decimal: isComma ? 'comma' : 'dot', isDecimalCertain: commas > 0 !== dots > 0 }
}

/** The rows of the beginning of a file from a line on, without the line that names the delimiter. */
export function readHead(head: Buffer, delimiter: Delimiter, fromLine: number, isWhole = false): TableRow[] {
  const lines = new LineSplitter().push(head).filter(({ number }) => number >= fromLine)
  const rows = new CsvParser(delimiter).read(lines, isWhole).slice(0, sampledRows)
  return delimiterLine.test(rows[0]?.cells?.join(delimiter) ?? '') ? rows.slice(1) : rows
}

const headerLines = 50

/** Each of the first lines of a file as a row. */
export function readFirstLines(head: Buffer, delimiter: Delimiter): TableRow[] {
  const lines = new LineSplitter().push(head).slice(0, headerLines)
  return lines.flatMap((line) => new CsvParser(delimiter).read([line], true))
}
