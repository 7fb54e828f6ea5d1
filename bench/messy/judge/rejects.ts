import { readFileSync, writeFileSync } from 'node:fs'
import { buildSheet, readPlainSheet } from '@storedex/testkit/workbooks'
import { parse } from 'csv-parse/sync'
import { type Dialect, decodeText, encodeText, joinCells } from '../dialect.ts'
import { cleanCells, headerOf, type Sheet } from '../records/rows.ts'
import type { LineTruth } from '../truth.ts'

/** The rejects of a CSV or a workbook, as a spreadsheet opens them. */
export interface Rejects {
  header: string[]
  rows: { line: number; reasons: string; cells: string[] }[]
  dialect: Dialect
}

export function readRejects(file: string, imported: Dialect): Rejects {
  const bytes = readFileSync(file)
  if (imported.epoch !== null) return rejectsOf(file, readPlainSheet(bytes), imported)
  const encoding = encodingOf(bytes, imported)
  const text = decodeText(bytes, encoding)
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const delimiter = ([';', '\t', ','] as const).find((each) => firstLine.includes(each))!
  const rows = parse(text, { delimiter, bom: true, relax_column_count: true }) as string[][]
  const hasByteOrderMark = bytes[0] === 0xff || bytes[0] === 0xef
  return rejectsOf(file, rows, { ...imported, delimiter, encoding, hasByteOrderMark })
}

function rejectsOf(file: string, [header, ...rows]: readonly string[][], dialect: Dialect): Rejects {
  const columnOf = (name: string) => {
    const at = header!.indexOf(name)
    if (at === -1) throw new Error(`${file} has no column ${name}`)
    return at
  }
  const [line, reasons] = [columnOf('_line'), columnOf('_reasons')]
  return {
    header: header!,
    rows: rows.map((cells) => ({ line: Number(cells[line]), reasons: cells[reasons]!, cells })),
    dialect,
  }
}

function encodingOf(bytes: Buffer, { encoding }: Dialect): Dialect['encoding'] {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  try {
    decodeText(bytes, 'utf-8')
    return 'utf-8'
  } catch {
    return encoding
  }
}

/** Writes the rejects as a person mends them who knows what every line means. Returns the number of rows. */
export function mendRejects(
  file: string,
  { header, rows, dialect }: Rejects,
  sheet: Sheet,
  truths: ReadonlyMap<number, LineTruth>,
): number {
  const names = headerOf(sheet)
  const written: string[][] = [header]
  for (const { line, reasons } of rows) {
    const meant = truths.get(line)?.meant
    // A line of totals is deleted.
    if (!meant) continue
    const clean = cleanCells(sheet, meant, dialect)
    const cellOf = (name: string) => (name === '_reasons' ? reasons : clean[names.indexOf(name)]!)
    written.push(header.map((name) => (name === '_line' ? String(line) : cellOf(name))))
  }
  writeFileSync(file, dialect.epoch === null ? csvOf(written, dialect) : buildSheet(written))
  return written.length - 1
}

function csvOf(rows: readonly string[][], dialect: Dialect): Buffer {
  const text = rows.map((cells) => `${joinCells(cells, dialect)}${dialect.lineEnd}`).join('')
  return encodeText(`${dialect.hasByteOrderMark ? '\ufeff' : ''}${text}`, dialect)
}
