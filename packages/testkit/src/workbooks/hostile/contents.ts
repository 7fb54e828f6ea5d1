/** Archives in order, whose XML is not. */

import { buildBook, buildSheet } from '../book.ts'
import { bookCell } from '../cells.ts'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const sheetPart = 'xl/worksheets/sheet1.xml'
const rows = [['domain'], ['oak.example']]

const withSheetXml = (xml: string | Uint8Array) => buildSheet(rows, { parts: { [sheetPart]: xml } })
const withRows = (xml: string, head = '') =>
  withSheetXml(`${head}<worksheet xmlns="${main}"><sheetData>${xml}</sheetData></worksheet>`)
const withPart = (part: string, content: string | null) => buildSheet(rows, { parts: { [part]: content } })
const inlineRow = (text: string) => `<row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c></row>`
const cellAt = (ref: string) => buildSheet([['domain', bookCell.shared('oak.example', { ref })]])
const sharedAt = (index: string) => buildSheet([['domain'], [bookCell.raw(`<c r="A2" t="s"><v>${index}</v></c>`)]])

/** Ten entities, each ten times the one before: a billion texts of a line. */
function billionLaughs(): Buffer {
  const entities = Array.from({ length: 9 }, (_, index) => {
    const value = index === 0 ? 'lol'.repeat(10) : `&l${index - 1};`.repeat(10)
    return `<!ENTITY l${index} "${value}">`
  })
  return withRows(inlineRow('&l8;'), `<!DOCTYPE worksheet [${entities.join('')}]>`)
}

const inEntity = (definition: string) => withRows(inlineRow('&x;'), `<!DOCTYPE worksheet [<!ENTITY x ${definition}>]>`)
const utf16 = (xml: string) => Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${xml}`, 'utf16le')

/** The sheet's relationship names a file that is elsewhere. */
function sheetElsewhere(target: string, mode = ''): Buffer {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet'
  return withPart(
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${type}" Target="${target}"${mode}/></Relationships>`,
  )
}

function manyMerges(count: number): Buffer {
  const merges = Array.from({ length: count }, (_, index) => `A${index + 1}:B${index + 1}`)
  return buildBook({ sheets: [{ rows, merges }] })
}

const manyAttributes = () => withRows(`<row ${Array.from({ length: 500_000 }, (_, at) => `a${at}="1"`).join(' ')}/>`)

export const hostileContents = {
  'a billion laughs': billionLaughs,
  'an external entity': () => inEntity('SYSTEM "file:///etc/passwd"'),
  'an external entity over the network': () => inEntity('SYSTEM "http://127.0.0.1:9/owned"'),
  'an external document type': () => withRows('', '<!DOCTYPE worksheet SYSTEM "http://127.0.0.1:9/owned.dtd">'),
  'an unknown entity': () => withRows(inlineRow('&nbsp;')),
  'unclosed tags': () => withSheetXml(`<worksheet xmlns="${main}"><sheetData><row><c>`),
  'tags closed in the wrong order': () => withRows('<row><c><v>1</c></v></row>'),
  'a sheet that is no XML': () => withSheetXml('domain\noak.example\n'),
  'a sheet that is empty': () => withSheetXml(''),
  'a sheet of another root': () => withSheetXml('<html><body>oak.example</body></html>'),
  'bytes that are no UTF-8': () =>
    withSheetXml(Buffer.from(`<worksheet xmlns="${main}"><sheetData>${inlineRow('caf\xe9')}`, 'latin1')),
  'a sheet in UTF-16': () =>
    withSheetXml(utf16(`<worksheet xmlns="${main}"><sheetData>${inlineRow('oak')}</sheetData></worksheet>`)),
  'no sheets': () => buildBook({ sheets: [] }),
  'no workbook part': () => withPart('xl/workbook.xml', null),
  'no content types': () => withPart('[Content_Types].xml', null),
  'no relationships': () => withPart('_rels/.rels', null),
  'no relationships of the workbook': () => withPart('xl/_rels/workbook.xml.rels', null),
  'a missing sheet part': () => withPart(sheetPart, null),
  'missing shared strings': () => withPart('xl/sharedStrings.xml', null),
  'missing styles': () => withPart('xl/styles.xml', null),
  'a sheet outside the archive': () => sheetElsewhere('../../../../../etc/passwd'),
  'a sheet at an address': () => sheetElsewhere('http://127.0.0.1:9/sheet.xml', ' TargetMode="External"'),
  'a shared string out of range': () => sharedAt('4294967295'),
  'a negative shared string': () => sharedAt('-1'),
  'a shared string that is no number': () => sharedAt('oak'),
  'a million merged ranges': () => manyMerges(1_000_000),
  'a merged range of everything': () => buildBook({ sheets: [{ rows, merges: ['A1:XFD1048576'] }] }),
  'a merged range that is none': () => buildBook({ sheets: [{ rows, merges: ['oak', 'B2:A1', 'A0:A-1'] }] }),
  'a cell beyond the last column': () => cellAt('XFE1'),
  'a cell beyond all columns': () => cellAt('ZZZZZZZZ1'),
  'a cell beyond the last row': () => cellAt('A1048577'),
  'a cell in a row before the first': () => cellAt('A0'),
  'a cell in a negative row': () => cellAt('A-1'),
  'a cell at no place': () => cellAt('oak'),
  'a row beyond the last': () => buildSheet([['domain'], { number: 99_999_999, cells: ['oak.example'] }]),
  'rows in the wrong order': () =>
    buildSheet([['domain'], { number: 9, cells: ['oak.example'] }, { number: 2, cells: ['elm.example'] }]),
  'a style out of range': () => buildSheet([['domain'], [bookCell.raw('<c r="A2" s="99999"><v>1</v></c>')]]),
  'a number that is none': () => buildSheet([['domain'], [bookCell.number('1e999'), bookCell.number('oak')]]),
  'a date out of range': () => buildSheet([['domain'], [bookCell.number('1e15', 14), bookCell.number('-1', 14)]]),
  'a very long number format': () => buildSheet([['domain'], [bookCell.number(1, '0'.repeat(100_000))]]),
  // These are small enough, unpacked, that no bound of sizes refuses them.
  'deep nesting': () => withRows(`${'<x>'.repeat(1_000_000)}${'</x>'.repeat(1_000_000)}`),
  'half a million attributes': manyAttributes,
  'an attribute of nine megabytes': () => withRows(`<row spans="${'1'.repeat(9_000_000)}"/>`),
} satisfies Record<string, () => Buffer>
