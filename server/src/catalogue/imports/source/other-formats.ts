/** Tells by the first bytes of a file what it is, when it is not what its name says. */

/** So many bytes are looked at. */
export const lookedAtBytes = 4_096

type Signature = readonly [sentence: string, at: number, ...bytes: (number | string)[]]

const spreadsheet = 'Open it, save it as .xlsx or as "CSV UTF-8", and import that file'
const oldExcel = `it is an old Excel workbook (.xls). ${spreadsheet}`
const unpack = 'Unpack it, and import the file in it'
const ask = 'Ask for the data as CSV or NDJSON'

const signatures: readonly Signature[] = [
  [`it is compressed with gzip. Let its name end in .gz, such as .csv.gz, and it is unpacked`, 0, 0x1f, 0x8b],
  [oldExcel, 0, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
  // Before they had a container: the length of their first record follows its version.
  ...[0, 2, 4, 8].flatMap((version) => [4, 6, 8, 16].map((length): Signature => [oldExcel, 0, 9, version, length, 0])),
  [`it is compressed with bzip2. ${unpack}`, 0, 'BZh'],
  [`it is compressed with Zstandard. ${unpack}`, 0, 0x28, 0xb5, 0x2f, 0xfd],
  [`it is compressed with xz. ${unpack}`, 0, 0xfd, '7zXZ', 0],
  [`it is a 7-Zip archive. ${unpack}`, 0, '7z', 0xbc, 0xaf, 0x27, 0x1c],
  [`it is a RAR archive. ${unpack}`, 0, 'Rar!', 0x1a, 0x07],
  [`it is a tar archive. ${unpack}`, 257, 'ustar'],
  [`it is a PDF document. ${ask}`, 0, '%PDF-'],
  ['it is a document in rich text (RTF). Save it as plain text', 0, '{\\rtf'],
  [`it is a Parquet file. Write it as CSV or NDJSON`, 0, 'PAR1'],
  [`it is an Avro file. Write it as CSV or NDJSON`, 0, 'Obj', 0x01],
  [`it is an SQLite database. Write its table as CSV`, 0, 'SQLite format 3', 0],
  ['it is an image, not a table', 0, 0x89, 'PNG'],
  ['it is an image, not a table', 0, 0xff, 0xd8, 0xff],
]

/** The first bytes of a workbook, and of other archives. */
const zip = 'PK\u0003\u0004'
const emptyZip = 'PK\u0005\u0006'
const workbookAsText =
  'it is an Excel workbook (.xlsx). An import of stores or contacts reads it as a file of its own, without gzip; otherwise save it as "CSV UTF-8"'
/** Names of files in the archives that spreadsheets are. */
const workbooks: readonly [name: string, sentence: string][] = [
  ['[Content_Types].xml', workbookAsText],
  ['xl/', workbookAsText],
  ['application/vnd.oasis.opendocument', `it is an OpenDocument file (.ods). ${spreadsheet}`],
  ['Index/', `it is a Numbers document. ${spreadsheet}`],
]

/** Whether these are the first bytes of an archive, which a workbook is. */
export function beginsArchive(first: Buffer): boolean {
  return startsWith(first, 0, [zip]) || startsWith(first, 0, [emptyZip])
}

const streamNames = ['EncryptedPackage', 'WordDocument'].map((name) => Buffer.from(name, 'utf16le'))

/** Tells files in the container of old programs apart, by the directory of its streams; null for a workbook. */
export function describeCompoundFile(directory: Buffer): string | null {
  const [isEncrypted, isDocument] = streamNames.map((name) => directory.includes(name))
  if (isEncrypted) return 'it is an encrypted workbook. Open it, save it without a password, and import that file'
  return isDocument ? 'it is an old Word document (.doc), not a table' : null
}

/** Where the directory of such a container begins; null for another file. */
export function directoryOfCompoundFile(first: Buffer): number | null {
  if (!startsWith(first, 0, [0xd0, 0xcf, 0x11, 0xe0]) || first.length < 0x34) return null
  return (first.readUInt32LE(0x30) + 1) * 2 ** Math.min(first.readUInt16LE(0x1e), 16)
}

/** The real format of a file that is no text, in a sentence; null if it may be text. */
export function describeOtherFormat(first: Buffer): string | null {
  const signature = signatures.find(([, at, ...bytes]) => startsWith(first, at, bytes))
  if (signature) return signature[0]
  if (beginsArchive(first))
    return workbooks.find(([name]) => first.includes(name))?.[1] ?? `it is a ZIP archive. ${unpack}`
  const text = beginningOf(first)
  if (/^<!doctype html|^<html|^<head|^<body|^<table/i.test(text))
    return `it is a web page (HTML): a download may have ended at a sign-in or an error page, or a program wrote a table so. ${spreadsheet}`
  if (/Excel\.Sheet|urn:schemas-microsoft-com:office:spreadsheet/.test(text))
    return `it is an XML spreadsheet of 2003. ${spreadsheet}`
  if (/^<\?xml|^<!--/i.test(text)) return `it is XML. ${ask}`
  return null
}

/** Whether text is JSON of records, and so no CSV. */
export function looksLikeJson(first: Buffer): boolean {
  return /^(?:\{\s*["}]|\[\s*[[{"\]])/.test(beginningOf(first))
}

/** The lines of the beginning of a file, if none of them is JSON: where one is, the others are bad records. */
export function linesWithoutJson(first: Buffer): string[] | null {
  const lines = beginningOf(first)
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
  return lines.some((line) => /^\s*[[{]/.test(line)) ? null : lines
}

function beginningOf(first: Buffer): string {
  return first
    .toString('utf8', 0, lookedAtBytes)
    .replace(/^\ufeff/, '')
    .trimStart()
}

function startsWith(first: Buffer, at: number, bytes: readonly (number | string)[]): boolean {
  const expected = Buffer.concat(
    bytes.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part, 'latin1'))),
  )
  return first.subarray(at, at + expected.length).equals(expected)
}
