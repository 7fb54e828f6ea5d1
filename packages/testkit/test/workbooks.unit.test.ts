import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  bookCell,
  buildBook,
  buildSheet,
  buildZip,
  hostileFiles,
  readPlainSheet,
  readZip,
  type TestBook,
  writeBook,
} from '../src/workbooks/index.ts'

const sheetOf = (zip: Buffer) => readZip(zip).get('xl/worksheets/sheet1.xml')!.toString()
const cellsOf = (zip: Buffer) => sheetOf(zip).match(/<c[ >].*?<\/c>|<c\/>/g)

describe('a test workbook', () => {
  test('has its cells as Excel writes them', () => {
    const row = [
      'oak',
      'oak',
      bookCell.inline({ runs: ['a ', 'b'], phonetic: 'c' }),
      bookCell.number('71.299999999999997', '0.0 %'),
      bookCell.date('1900-01-01'),
      bookCell.date('1900-03-01T12:00:00'),
      true,
      bookCell.error('#N/A'),
      bookCell.formula('A1&"x"', 'oakx'),
      bookCell.formula('A1'),
    ]
    const zip = buildSheet([row])
    expect(cellsOf(zip)).toEqual([
      '<c r="A1" t="s"><v>0</v></c>',
      '<c r="B1" t="s"><v>0</v></c>',
      '<c r="C1" t="inlineStr"><is><r><rPr><b/></rPr><t xml:space="preserve">a </t></r><r><rPr><b/></rPr><t>b</t></r><rPh sb="0" eb="1"><t>c</t></rPh><phoneticPr fontId="0"/></is></c>',
      '<c r="D1" s="1"><v>71.299999999999997</v></c>',
      '<c r="E1" s="2"><v>1</v></c>',
      '<c r="F1" s="3"><v>61.5</v></c>',
      '<c r="G1" t="b"><v>1</v></c>',
      '<c r="H1" t="e"><v>#N/A</v></c>',
      '<c r="I1" t="str"><f>A1&amp;&quot;x&quot;</f><v>oakx</v></c>',
      '<c r="J1"><f>A1</f></c>',
    ])
  })

  test('counts days from either epoch', () => {
    const first = (epoch: 1900 | 1904) => cellsOf(buildSheet([[bookCell.date('2024-02-29')]], { epoch }))
    expect([first(1900), first(1904)]).toEqual([
      ['<c r="A1" s="1"><v>45351</v></c>'],
      ['<c r="A1" s="1"><v>43889</v></c>'],
    ])
  })

  test('escapes characters that XML lacks, and what looks like such an escape', () => {
    const strings = readZip(buildSheet([['a\r\n<b>\u0007_x0041_']]))
      .get('xl/sharedStrings.xml')
      ?.toString()
    expect(strings).toContain('<t xml:space="preserve">a_x000D_\n&lt;b&gt;_x0007__x005F_x0041_</t>')
  })

  test.each([
    [{ prefix: 'x' }, '<x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c></x:row>'],
    [{ isStrict: true }, '<worksheet xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main">'],
    [{ isStored: true }, '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'],
  ])('can be written as %o', (options: Partial<TestBook>, xml) => {
    expect(sheetOf(buildSheet([['oak']], options))).toContain(xml)
  })

  test('can have parts of its own, and lack others', () => {
    const zip = buildSheet([], { parts: { 'xl/styles.xml': null, 'xl/comments1.xml': '<comments/>' } })
    expect([...readZip(zip).keys()].slice(-2)).toEqual(['xl/sharedStrings.xml', 'xl/comments1.xml'])
  })

  test('is read back, each cell at its place', () => {
    const rows = [
      ['a<&\r\n_x0041_', null, bookCell.inline('b')],
      { number: 3, cells: [true, bookCell.number(7, '000')] },
    ]
    expect(readPlainSheet(buildSheet(rows))).toEqual([
      ['a<&\r\n_x0041_', '', 'b'],
      ['', '', ''],
      ['1', '7', ''],
    ])
  })

  test('is the same in a file, whatever its size', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'storedex-books-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const book: TestBook = { sheets: [{ rows: Array.from({ length: 5_000 }, (_, index) => [index, `oak ${index}`]) }] }
    const file = join(folder, 'stores.xlsx')
    await writeBook(file, book)
    expect(readZip(readFileSync(file))).toEqual(readZip(buildBook(book)))
  })
})

test('an archive can hold more entries than its directory can count', () => {
  const entries = Array.from({ length: 70_000 }, (_, index) => ({ name: String(index), content: '', stored: true }))
  const end = buildZip(entries).subarray(-98)
  expect([end.readBigUInt64LE(24), end.readUInt16LE(76 + 10)]).toEqual([70_000n, 0xffff])
})

test('every hostile file can be built, and no two are the same', () => {
  const { bombs, ...small } = hostileFiles
  const files = Object.values(small).flatMap((group) => Object.values<() => Buffer>(group))
  const built = files.map((build) => build().toString('base64'))
  expect(new Set(built).size).toBe(files.length)
  expect(Object.keys(bombs).length).toBeGreaterThan(5)
})
