/** Builds .xlsx files for tests of everything that reads workbooks. Independent of the reader and the writer. */
import { type CellContext, cellXml, escapeXml, type NumberFormat, type TestText, textXml } from './cells.ts'
import { chunkLetters, sheetChunks, type TestSheet } from './sheets.ts'
import { writeZip, type ZipPiece } from './write-zip.ts'
import { buildZip } from './zip.ts'

export interface TestBook {
  sheets: readonly TestSheet[]
  epoch?: 1900 | 1904
  /** How plain texts are written. */
  plainTexts?: 'shared' | 'inline'
  /** Of all elements, `x` for `<x:row>`. */
  prefix?: string
  /** The namespaces of ISO 29500 strict. */
  isStrict?: boolean
  /** As .xlsm. */
  hasMacros?: boolean
  isStored?: boolean
  /** Parts to add, to replace, or with null to leave out, by their path. */
  parts?: Readonly<Record<string, string | Uint8Array | null>>
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const strictMain = 'http://purl.oclc.org/ooxml/spreadsheetml/main'
const strictOffice = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
const packaging = 'http://schemas.openxmlformats.org/package/2006'

/** The bytes of the workbook. */
export function buildBook(book: TestBook): Buffer {
  const entries = Array.from(bookPieces(book), ({ name, chunks }) => ({
    name,
    content: Buffer.concat(Array.from(chunks, (chunk) => Buffer.from(chunk as Uint8Array))),
    stored: book.isStored ?? false,
  }))
  return buildZip(entries)
}

/** A workbook of one sheet with these rows. */
export function buildSheet(rows: TestSheet['rows'], book: Partial<TestBook> = {}): Buffer {
  return buildBook({ ...book, sheets: [{ rows }] })
}

/** Writes a workbook whose sheets may be larger than memory; its shared strings are kept. */
export function writeBook(file: string, book: TestBook): Promise<void> {
  return writeZip(file, bookPieces(book))
}

/** The parts in Excel's order: shared strings behind the sheets, which must be taken first. */
export function* bookPieces(book: TestBook): Generator<ZipPiece> {
  const { parts: others = {}, sheets, hasMacros } = book
  const strings: TestText[] = []
  const formats: NumberFormat[] = [0]
  const context = openCellContext(book, strings, formats)
  const own: [name: string, write: () => Iterable<string>][] = [
    ['[Content_Types].xml', () => [contentTypesXml(book)]],
    ['_rels/.rels', () => [relationshipsXml([['officeDocument', 'xl/workbook.xml']])]],
    ['xl/workbook.xml', () => [workbookXml(book)]],
    ['xl/_rels/workbook.xml.rels', () => [relationshipsXml(bookRelationships(book))]],
    ...sheets.map((sheet, index): [string, () => Iterable<string>] => [
      `xl/worksheets/sheet${index + 1}.xml`,
      () => sheetChunks(sheet, main, (cell, ref) => cellXml(cell, ref, context)),
    ]),
    ['xl/styles.xml', () => [stylesXml(formats)]],
    ['xl/sharedStrings.xml', () => sharedStringsChunks(strings)],
  ]
  for (const [name, write] of own) if (!(name in others)) yield { name, chunks: inDialect(name, write(), book) }
  if (hasMacros) yield { name: 'xl/vbaProject.bin', chunks: ['macros'] }
  for (const [name, content] of Object.entries(others)) if (content !== null) yield { name, chunks: [content] }
}

function* sharedStringsChunks(strings: readonly TestText[]): Generator<string> {
  let xml = `<sst xmlns="${main}" uniqueCount="${strings.length}">`
  for (const text of strings) {
    xml += `<si>${textXml(text)}</si>`
    if (xml.length < chunkLetters) continue
    yield xml
    xml = ''
  }
  yield `${xml}</sst>`
}

function openCellContext(book: TestBook, strings: TestText[], formats: NumberFormat[]): CellContext {
  const indexes = new Map<string, number>()
  return {
    epoch: book.epoch ?? 1900,
    plainTexts: book.plainTexts ?? 'shared',
    share(text) {
      const key = typeof text === 'string' ? text : `\0${JSON.stringify(text)}`
      const index = indexes.get(key) ?? strings.push(text) - 1
      indexes.set(key, index)
      return index
    },
    styleOf(format) {
      const index = formats.indexOf(format)
      return index === -1 ? formats.push(format) - 1 : index
    },
  }
}

/** Every chunk ends behind a tag. */
function* inDialect(name: string, chunks: Iterable<string>, { prefix, isStrict }: TestBook): Generator<string> {
  yield declaration
  const hasPrefix = prefix !== undefined && name.startsWith('xl/') && !name.includes('/_rels/')
  for (const chunk of chunks) {
    const xml = isStrict ? chunk.replaceAll(main, strictMain).replaceAll(office, strictOffice) : chunk
    yield hasPrefix ? xml.replaceAll(/<(\/?)(\w)/g, `<$1${prefix}:$2`).replace(' xmlns="', ` xmlns:${prefix}="`) : xml
  }
}

function contentTypesXml({ sheets, hasMacros }: TestBook): string {
  const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const workbook = hasMacros ? 'application/vnd.ms-excel.sheet.macroEnabled' : `${spreadsheet}.sheet`
  const override = (part: string, type: string) => `<Override PartName="/xl/${part}" ContentType="${type}+xml"/>`
  return [
    `<Types xmlns="${packaging}/content-types">`,
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
    '<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>',
    override('workbook.xml', `${workbook}.main`),
    ...sheets.map((_, index) => override(`worksheets/sheet${index + 1}.xml`, `${spreadsheet}.worksheet`)),
    override('styles.xml', `${spreadsheet}.styles`),
    override('sharedStrings.xml', `${spreadsheet}.sharedStrings`),
    '</Types>',
  ].join('')
}

function bookRelationships({ sheets, hasMacros }: TestBook): [type: string, target: string][] {
  return [
    ...sheets.map((_, index): [string, string] => ['worksheet', `worksheets/sheet${index + 1}.xml`]),
    ['styles', 'styles.xml'],
    ['sharedStrings', 'sharedStrings.xml'],
    ...(hasMacros ? [['vbaProject', 'vbaProject.bin'] as [string, string]] : []),
  ]
}

function relationshipsXml(relationships: readonly [type: string, target: string][]): string {
  const items = relationships.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="${packaging}/relationships">${items.join('')}</Relationships>`
}

function workbookXml({ sheets, epoch }: TestBook): string {
  const items = sheets.map(({ name, state }, index) => {
    const number = index + 1
    const shown = state === undefined ? '' : ` state="${state}"`
    return `<sheet name="${escapeXml(name ?? `Sheet${number}`)}" sheetId="${number}"${shown} r:id="rId${number}"/>`
  })
  const properties = epoch === 1904 ? '<workbookPr date1904="1"/>' : '<workbookPr/>'
  return `<workbook xmlns="${main}" xmlns:r="${office}">${properties}<sheets>${items.join('')}</sheets></workbook>`
}

/** Formats of codes get the ids behind the built-in ones. */
function stylesXml(formats: readonly NumberFormat[]): string {
  const codes = formats.filter((format) => typeof format === 'string')
  const idOf = (format: NumberFormat) => (typeof format === 'number' ? format : 164 + codes.indexOf(format))
  const numFmts = codes.map((code) => `<numFmt numFmtId="${idOf(code)}" formatCode="${escapeXml(code)}"/>`)
  const xfs = formats.map(
    (format) => `<xf numFmtId="${idOf(format)}" fontId="0" fillId="0" borderId="0" applyNumberFormat="1"/>`,
  )
  return [
    `<styleSheet xmlns="${main}">`,
    codes.length > 0 ? `<numFmts count="${codes.length}">${numFmts.join('')}</numFmts>` : '',
    '<fonts count="1"><font><sz val="11"/></font></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>',
    '<cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs>',
    `<cellXfs count="${xfs.length}">${xfs.join('')}</cellXfs></styleSheet>`,
  ].join('')
}
