import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { buildSheet, buildZip, hostileFiles } from '@storedex/testkit/workbooks'
import iconv from 'iconv-lite'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { inspectFile } from '../../../../src/catalogue/imports/records/inspect-file.ts'
import { importStores, storeImportKind } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { importSuppressions } from '../../../../src/catalogue/imports/suppressions/import-suppressions.ts'
import { OperatorError } from '../../../../src/foundation/kernel/errors.ts'
import { loadTaxonomy } from '../../../../src/search/taxonomy/taxonomy.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains')
})

const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(OperatorError)
  return (error as Error).message
}
const importFile = (file: string) => importStores(catalogue.context, { file, extendTaxonomy: false })

const { otherFormats } = hostileFiles
const csv = 'domain,name\na.example,A\n'
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

const others: [name: string, content: Buffer, sentence: string][] = [
  [
    'an old workbook',
    bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], '\0'.repeat(600)),
    'an old Excel workbook',
  ],
  ['gzip', gzipSync(csv), 'it is compressed with gzip. Let its name end in .gz'],
  ['bzip2', bytes('BZh91AY&SY', [1, 2, 3]), 'compressed with bzip2'],
  ['Zstandard', bytes([0x28, 0xb5, 0x2f, 0xfd, 4, 0]), 'compressed with Zstandard'],
  ['xz', bytes([0xfd], '7zXZ', [0, 0, 4]), 'compressed with xz'],
  ['a page', bytes('\n <!DOCTYPE HTML>\n<html><table><tr><td>a.example</table>'), 'it is a web page (HTML)'],
  ['a table of HTML under .xls', bytes('<table><tr><td>domain</td></tr></table>'), 'it is a web page (HTML)'],
  ['XML', bytes('\ufeff<?xml version="1.0"?><shops/>'.replace('\ufeff', '')), 'it is XML'],
  ['a PDF', bytes('%PDF-1.7\n%\xe2\xe3\n1 0 obj'), 'it is a PDF document'],
  ['rich text', bytes('{\\rtf1\\ansi domain,name}'), 'rich text (RTF)'],
  ['Parquet', bytes('PAR1', [21, 4, 21]), 'it is a Parquet file'],
  ['SQLite', bytes('SQLite format 3', [0, 16, 0]), 'it is an SQLite database'],
]

test.each(others)('%s is named for what it is, under the name of every format', async (_title, content, sentence) => {
  for (const name of ['other.csv', 'other.TXT', 'other.ndjson', 'packed.csv.gz', 'packed.json.gz']) {
    const file = await catalogue.write(name, name.endsWith('.gz') ? gzipSync(content) : content)
    expect(await messageOf(importFile(file))).toContain(sentence)
  }
  const file = await catalogue.write('other.csv', content)
  expect(await messageOf(importSuppressions(catalogue.context, { file }))).toContain(sentence)
  const { vocabulary } = await loadTaxonomy(catalogue.db)
  const inspection = inspectFile({ ...catalogue.context, vocabulary }, storeImportKind, file, {})
  expect(await messageOf(inspection)).toContain(sentence)
  const stdin = Readable.from([content.subarray(0, 3), content.subarray(3)])
  const piped = importStores(catalogue.context, { file: '-', stdin, extendTaxonomy: false })
  expect(await messageOf(piped)).toMatch(/^standard input: it is /)
})

const archives: [name: string, content: Buffer, asText: string, asFile: string | null][] = [
  ['a workbook', buildSheet([['domain'], ['a.example']]), 'it is an Excel workbook (.xlsx)', null],
  ['an OpenDocument sheet', otherFormats['an .ods'](), 'OpenDocument file (.ods)', 'OpenDocument file, such as .ods'],
  ['an archive', buildZip([{ name: 'shops.csv', content: csv }]), 'it is a ZIP archive. Unpack it', 'Unpack it'],
]

test.each(archives)('%s is named for what it is where text is needed', async (_title, content, asText, asFile) => {
  const packed = await catalogue.write('packed.csv.gz', gzipSync(content))
  expect(await messageOf(importFile(packed))).toContain(asText)
  const file = await catalogue.write('other.csv', content)
  expect(await messageOf(importSuppressions(catalogue.context, { file }))).toContain(asText)
  const stdin = Readable.from([content.subarray(0, 3), content.subarray(3)])
  const piped = importStores(catalogue.context, { file: '-', stdin, extendTaxonomy: false })
  expect(await messageOf(piped)).toMatch(/^standard input: it is /)
  if (asFile !== null) expect(await messageOf(importFile(file))).toContain(asFile)
})

test('JSON under the name of CSV, and CSV under that of JSON, are named', async () => {
  for (const text of ['{"domain":"a.example"}\n', '[\n {"domain":"a.example"}]', '\ufeff[]', '{}'])
    expect(await messageOf(importFile(await catalogue.write('shops.csv', text)))).toContain('it has JSON, not CSV')
  for (const text of [csv, 'Webseite;Firma\na.example;A\n', '"Website"\t"Company"\r\n', 'domain\na.example\n'])
    expect(await messageOf(importFile(await catalogue.write('shops.json', text)))).toContain('it has CSV, not JSON')
  const stdin = Readable.from([Buffer.from(csv)])
  const piped = importStores(catalogue.context, { file: '-', stdin, extendTaxonomy: false })
  expect(await messageOf(piped)).toContain('standard input is read as NDJSON, and this is CSV')
})

test('a bad first line of NDJSON is still one bad record', async () => {
  const result = await importFile(await catalogue.write('bad.ndjson', 'domain,name\n{"domain":"a.example"}\n'))
  expect(result).toMatchObject({ read: 2, inserted: 1, rejected: 1 })
})

test('.tsv and .txt are read as CSV, with whatever delimiter they have', async () => {
  for (const name of ['a.tsv', 'a.txt', 'a.TXT.gz'])
    for (const delimiter of ['\t', ',', ';']) {
      await catalogue.db.query('truncate stores, store_domains')
      const result = await importFile(await catalogue.write(name, csv.replaceAll(',', delimiter)))
      expect(result).toMatchObject({ format: 'csv', delimiter, inserted: 1 })
    }
})

test('JSON in UTF-16 with its mark is read, and without it is named', async () => {
  const record = '{"domain":"kaese.example","name":"Käse 🧀"}'
  for (const encoding of ['utf-16le', 'utf-16be'])
    for (const text of [`${record}\r\n`, `[${record}]`]) {
      await catalogue.db.query('truncate stores, store_domains')
      const file = await catalogue.write('wide.json', iconv.encode(text, encoding, { addBOM: true }))
      expect(await importFile(file)).toMatchObject({ inserted: 1, rejected: 0 })
      expect((await catalogue.store('kaese.example'))!.document.name).toBe('Käse 🧀')
      const bare = await catalogue.write('bare.ndjson', iconv.encode(text, encoding, { addBOM: false }))
      expect(await messageOf(importFile(bare))).toContain('has NUL characters: it may be UTF-16 without its mark')
    }
  const marked = await importFile(await catalogue.write('marked.json', `\ufeff[${record}]`))
  expect(marked).toMatchObject({ format: 'json', unchanged: 1 })
})

test('a list of suppressions in UTF-16 is read by its mark, and refused without it', async () => {
  const list = 'kate@a.example\r\nbar-ö.example\r\n'
  const marked = await catalogue.write('list.txt', iconv.encode(list, 'utf-16le', { addBOM: true }))
  expect(await importSuppressions(catalogue.context, { file: marked })).toMatchObject({ read: 2, inserted: 2 })
  const bare = await catalogue.write('bare.txt', iconv.encode(list, 'utf-16le', { addBOM: false }))
  expect(await messageOf(importSuppressions(catalogue.context, { file: bare }))).toContain('has NUL characters')
})

test('what begins like another format and is none is read', async () => {
  for (const header of ['7z,domain', 'Objekt,domain', 'PARTNER,domain', 'Rar,domain', 'BZ,domain'])
    expect(
      await importStores(catalogue.context, {
        file: await catalogue.write('near.csv', `${header}\nx,a.example\n`),
        extendTaxonomy: false,
        map: { '*': '' },
      }),
    ).toMatchObject({ read: 1, rejected: 0 })
})
