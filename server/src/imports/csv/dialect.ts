import { decimalMarkOf, type NumberStyle } from '../cells/numbers.ts'
import { LineSplitter } from '../source/lines.ts'
import { CsvParser, type Delimiter } from './csv-parser.ts'
import { type ColumnMap, countKnownColumns, type FieldNames } from './header.ts'

/** How a CSV file is written. */
export interface Dialect extends NumberStyle {
  encoding: string
  delimiter: Delimiter
}

export const delimiters = [',', ';', '\t', '|'] as const satisfies Delimiter[]

/** The line by which spreadsheets name the delimiter. */
export const delimiterLine = /^sep=(.)$/i

/** So many rows of the beginning of a file are looked at. */
const sampledRows = 1_000

/**
 * Detects the delimiter from the beginning of a file, in UTF-8: the one with which most columns are fields of a record,
 * and with which most rows have as many cells as the header.
 */
export function detectDelimiter(names: FieldNames, head: Buffer, map: ColumnMap): Delimiter {
  const [firstLine] = new LineSplitter().push(head)
  const declared = delimiterLine.exec(firstLine?.bytes.toString('utf8') ?? '')?.[1]
  const given = delimiters.find((delimiter) => delimiter === declared)
  if (given) return given
  // A delimiter that is not there would make one cell of each row.
  const candidates = delimiters.filter((delimiter) => delimiter === ',' || head.includes(delimiter))
  const scores = candidates.map((delimiter) => ({ delimiter, ...scoreOf(names, parseHead(head, delimiter), map) }))
  scores.sort((a, b) => b.known - a.known || b.even - a.even || b.width - a.width)
  // A file without known columns is reported as one with commas.
  return scores[0]!.known > 0 ? scores[0]!.delimiter : ','
}

function scoreOf(names: FieldNames, rows: string[][], map: ColumnMap): { known: number; even: number; width: number } {
  const [header, ...body] = rows
  if (!header) return { known: 0, even: 0, width: 0 }
  const known = countKnownColumns(names, header, map)
  const even = body.filter((cells) => cells.length === header.length).length / Math.max(body.length, 1)
  return { known, even: header.length > 1 ? even : 0, width: header.length }
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
  let [commas, dots] = [0, 0]
  for (const cells of rows.slice(1)) {
    for (const column of numericColumns) {
      const mark = decimalMarkOf(cells[column] ?? '')
      if (mark === 'comma') commas++
      else if (mark === 'dot') dots++
    }
  }
  if (delimiter === ',') return { decimal: 'dot', isDecimalCertain: dots > 0 && commas === 0 }
  const isComma = commas === dots ? delimiter === ';' : commas > dots
  return { decimal: isComma ? 'comma' : 'dot', isDecimalCertain: commas > 0 !== dots > 0 }
}

/** How many cells most rows at the beginning of a file have. */
export function detectCommonWidth(rows: readonly string[][]): number {
  const counts = new Map<number, number>()
  for (const cells of rows.slice(1)) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), [0, 0])[0]
}

/** The well-formed rows of the beginning of a file, its header first. */
export function parseHead(head: Buffer, delimiter: Delimiter): string[][] {
  const rows = new CsvParser(delimiter).read(new LineSplitter().push(head), false)
  const cells = rows.slice(0, sampledRows).flatMap((row) => ('cells' in row ? [row.cells as string[]] : []))
  return delimiterLine.test(cells[0]?.join(delimiter) ?? '') ? cells.slice(1) : cells
}
