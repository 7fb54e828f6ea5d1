import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { type CellValue, WorkbookWriter } from '../../src/write/index.ts'
import { convertWorkbook, testWithLibreOffice } from '../support/libreoffice.ts'
import { readTexts } from '../support/read-texts.ts'

/** What each cell holds, and what a person sees in it. */
const cells: [CellValue, string][] = [
  ['aurora-candles.example', 'aurora-candles.example'],
  ['=1+1', '=1+1'],
  ['=HYPERLINK("https://thief.example","x")', '=HYPERLINK("https://thief.example","x")'],
  ['@SUM(A1:A9)', '@SUM(A1:A9)'],
  ['+442079460123', '+442079460123'],
  ['004912', '004912'],
  ['1234567890123456789', '1234567890123456789'],
  ['  two  spaces  ', '  two  spaces  '],
  ['line\nbreak & <b>"quoted"</b> ]]>', 'line\nbreak & <b>"quoted"</b> ]]>'],
  ['_x0041_ and 株式会社 🕯️ עברית', '_x0041_ and 株式会社 🕯️ עברית'],
  ['true', 'true'],
  [true, 'true'],
  [64.5, '64.5'],
  [-12, '-12'],
  [0, '0'],
  [1_234_567, '1234567'],
  [new Date('2026-11-01T10:11:12.000Z'), '2026-11-01 10:11:12'],
  [new Date('1900-03-01T00:00:00.000Z'), '1900-03-01 00:00:00'],
  [{ day: '2021-06-11' }, '2021-06-11'],
  [{ day: '1850-01-01' }, '1850-01-01'],
  [null, ''],
]

const rowCount = 40
const rowsOfSheet = 25
const columns = cells.map((_, index) => `column ${index + 1}`)
const rowOf = (index: number): CellValue[] => [`row ${index + 1}`, ...cells.slice(1).map(([value]) => value)]
const shownOf = (index: number): string[] => [`row ${index + 1}`, ...cells.slice(1).map(([, text]) => text)]
const expected = [
  [columns, ...Array.from({ length: rowsOfSheet }, (_, index) => shownOf(index))],
  [columns, ...Array.from({ length: rowCount - rowsOfSheet }, (_, index) => shownOf(rowsOfSheet + index))],
]

/** Two sheets, in parts of which one ends a sheet. */
async function writeWorkbook(): Promise<Buffer> {
  const options = { columns, sheetName: 'Stores & more', createdAt: new Date('2026-11-29T01:02:04Z') }
  const writer = new WorkbookWriter({ ...options, limits: { rows: rowsOfSheet } })
  const parts: Buffer[] = []
  for (let start = 0; start < rowCount; start += 10) {
    writer.add(Array.from({ length: 10 }, (_, index) => rowOf(start + index)))
    parts.push(await writer.flush())
  }
  return Buffer.concat([...parts, writer.end()])
}

testWithLibreOffice('LibreOffice shows what was written, on every sheet', async () => {
  const sheets = await convertWorkbook(await writeWorkbook(), 'csv')
  expect([...sheets.keys()].sort()).toEqual(['book-Part 2.csv', 'book-Stores & more.csv'])
  const read = (name: string) => parse(sheets.get(name)!, { relaxColumnCount: true }) as string[][]
  expect([read('book-Stores & more.csv'), read('book-Part 2.csv')]).toEqual(expected)
})

testWithLibreOffice('saved again by LibreOffice, a workbook is read with the same cells', async () => {
  const saved = await convertWorkbook(await writeWorkbook(), 'xlsx')
  const folder = await mkdtemp(join(tmpdir(), 'storedex-saved-'))
  try {
    const file = join(folder, 'saved.xlsx')
    await writeFile(file, saved.get('book.xlsx')!)
    // Times are read as ISO 8601.
    const asRead = (text: string) => text.replace(/^(\d{4}-\d\d-\d\d) /, '$1T')
    expect(await readTexts(file, columns.length)).toEqual(expected.map((rows) => rows.map((row) => row.map(asRead))))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
