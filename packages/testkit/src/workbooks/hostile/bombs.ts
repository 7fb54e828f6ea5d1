/** Archives that unpack to far more than they are. */
import { createHash } from 'node:crypto'
import { constants, deflateRawSync } from 'node:zlib'
import { bookPieces } from '../book.ts'
import { buildZip, type TestZipEntry } from '../zip.ts'

const gigabyte = 1_000_000_000
const blockBytes = 50_000_000

/** Deflates `unit` again and again up to this size without ever having it in memory. */
function deflateRepeated(head: string, unit: string, sizeBytes: number): Buffer {
  const block = Buffer.from(unit.repeat(Math.ceil(blockBytes / unit.length)))
  // A block that ends with a full flush can be followed by any other.
  const options = { finishFlush: constants.Z_FULL_FLUSH }
  const packed = deflateRawSync(block, options)
  const blocks = Array<Buffer>(Math.ceil(sizeBytes / block.length)).fill(packed)
  return Buffer.concat([deflateRawSync(head, options), ...blocks, Buffer.of(3, 0)])
}

/** A good workbook, with one part replaced by an entry. */
export function bookWithEntry(entry: TestZipEntry, more: readonly TestZipEntry[] = []): Buffer {
  const pieces = bookPieces({ sheets: [{ rows: [['domain'], ['oak.example']] }] })
  const entries = Array.from(pieces, ({ name, chunks }) => ({ name, content: [...chunks].join('') }))
  const kept = entries.filter(({ name }) => name !== entry.name)
  return buildZip([...kept, entry, ...more])
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** A sheet of ten gigabytes of empty rows; the headers admit it or claim a megabyte. */
export function sheetBomb(sizes: 'true' | 'false'): Buffer {
  return bookWithEntry({
    name: 'xl/worksheets/sheet1.xml',
    content: deflateRepeated(`<worksheet xmlns="${main}"><sheetData>`, '<row/>', 10 * gigabyte),
    isRaw: true,
    sizeBytes: sizes === 'true' ? 10 * gigabyte : 1_000_000,
  })
}

/** Ten gigabytes of zeros in place of a sheet. */
export function zerosBomb(): Buffer {
  return bookWithEntry({
    name: 'xl/worksheets/sheet1.xml',
    content: deflateRepeated('', '\0', 10 * gigabyte),
    isRaw: true,
    sizeBytes: 10 * gigabyte,
  })
}

/** Shared strings for more than any memory, of which no cell uses one. */
export function sharedStringsBomb(sizes: 'true' | 'false'): Buffer {
  return bookWithEntry({
    name: 'xl/sharedStrings.xml',
    content: deflateRepeated(
      `<sst xmlns="${main}">`,
      '<si><t>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</t></si>',
      10 * gigabyte,
    ),
    isRaw: true,
    sizeBytes: sizes === 'true' ? 10 * gigabyte : 1_000_000,
  })
}

/** The same for the styles, a part that readers like to take whole. */
export function stylesBomb(): Buffer {
  return bookWithEntry({
    name: 'xl/styles.xml',
    content: deflateRepeated(`<styleSheet xmlns="${main}"><cellXfs>`, '<xf numFmtId="14"/>', gigabyte),
    isRaw: true,
    sizeBytes: 1_000_000,
  })
}

/** One cell with a text of a hundred megabytes, which does not unpack to more than it is. */
export function hugeCell(place: 'shared' | 'inline'): Buffer {
  const text = createHash('shake256', { outputLength: 500_000 }).digest('hex').repeat(100)
  if (place === 'shared') {
    const content = `<sst xmlns="${main}"><si><t>${text}</t></si></sst>`
    return bookWithEntry({ name: 'xl/sharedStrings.xml', content, stored: true })
  }
  const row = `<row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c></row>`
  const content = `<worksheet xmlns="${main}"><sheetData>${row}</sheetData></worksheet>`
  return bookWithEntry({ name: 'xl/worksheets/sheet1.xml', content, stored: true })
}
