/** Archives that are damaged, locked, or not what they say. */
import { buildSheet } from '../book.ts'
import { buildZip, type TestZipEntry } from '../zip.ts'
import { bookWithEntry } from './bombs.ts'

const goodBook = () => buildSheet([['domain'], ['oak.example']])
const sheetPart = 'xl/worksheets/sheet1.xml'
const sheetXml =
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"/></sheetData></worksheet>'

/** A good workbook with one entry more. */
function withExtraEntry(name: string): Buffer {
  return bookWithEntry({ name: 'docProps/app.xml', content: '<Properties/>' }, [{ name, content: 'owned' }])
}

function truncated(share: number): Buffer {
  const book = goodBook()
  return book.subarray(0, Math.floor(book.length * share))
}

/** With some bytes in the middle of the first entry's content overwritten. */
function withDamagedBytes(): Buffer {
  const book = goodBook()
  const at = book.indexOf(sheetPart) + sheetPart.length + 20
  return Buffer.concat([book.subarray(0, at), Buffer.alloc(16, 0xff), book.subarray(at + 16)])
}

function manyEntries(count: number): Buffer {
  const more = Array.from(
    { length: count },
    (_, index): TestZipEntry => ({ name: `xl/media/${index}`, content: '', stored: true }),
  )
  return bookWithEntry({ name: 'docProps/app.xml', content: '<Properties/>' }, more)
}

/** Entries of one place in the file, each of them the same megabyte again. */
function overlappingEntries(): Buffer {
  const content = `<a>${'a'.repeat(1_000_000)}</a>`
  const first: TestZipEntry = { name: 'xl/media/0.xml', content }
  const others = Array.from(
    { length: 1_000 },
    (_, index): TestZipEntry => ({
      name: `xl/media/${index + 1}.xml`,
      content: '',
      stored: true,
      sharesPlaceOf: 0,
    }),
  )
  return buildZip([first, ...others, { name: sheetPart, content: sheetXml, sharesPlaceOf: 0 }])
}

export const hostileArchives = {
  'an archive inside an archive': () => buildZip([{ name: 'shops.xlsx', content: goodBook() }]),
  'an archive with a CSV file': () => buildZip([{ name: 'shops.csv', content: 'domain\noak.example\n' }]),
  'an empty archive': () => buildZip([]),
  'an entry above the folder': () => withExtraEntry('../../../../etc/cron.d/owned'),
  'an entry with an absolute path': () => withExtraEntry('/etc/cron.d/owned'),
  'an entry with a drive': () => withExtraEntry('C:\\Windows\\owned.dll'),
  'an entry with backslashes': () => withExtraEntry('..\\..\\owned'),
  'an entry with a NUL in its name': () => withExtraEntry('xl/owned\0.xml'),
  'an entry with a very long name': () => withExtraEntry('a'.repeat(65_000)),
  'an encrypted entry': () => bookWithEntry({ name: sheetPart, content: sheetXml, flags: 0x801 }),
  'an unknown compression method': () => bookWithEntry({ name: sheetPart, content: sheetXml, method: 12, isRaw: true }),
  'a file cut in half': () => truncated(0.5),
  'a file without its last bytes': () => truncated(0.99),
  'a file of the first bytes alone': () => goodBook().subarray(0, 40),
  'damaged bytes': withDamagedBytes,
  'a wrong checksum': () => bookWithEntry({ name: sheetPart, content: sheetXml, crc: 1 }),
  'a size too small': () => bookWithEntry({ name: sheetPart, content: sheetXml, sizeBytes: 10 }),
  'a size too large': () => bookWithEntry({ name: sheetPart, content: sheetXml, sizeBytes: 1_000_000 }),
  'the same entry twice': () =>
    bookWithEntry({ name: sheetPart, content: sheetXml }, [{ name: sheetPart, content: sheetXml }]),
  'overlapping entries': overlappingEntries,
  'a hundred thousand entries': () => manyEntries(100_000),
} satisfies Record<string, () => Buffer>
