/** How a program writes a file: everything that is not the content of a cell. */
export interface Dialect {
  name: 'agency' | 'excel' | 'unicode' | 'workbook' | 'workbook-1904'
  /** What the report says about it. */
  description: string
  delimiter: ',' | ';' | '\t'
  encoding: 'utf-8' | 'windows-1252' | 'utf-16le'
  hasByteOrderMark: boolean
  lineEnd: '\n' | '\r\n'
  decimal: '.' | ','
  /** Whether the file's numbers all have its decimal mark; with `none` some contradict it, so 1.000 is ambiguous. */
  evidence: 'decimals' | 'none'
  dates: 'iso' | 'dmy'
  /** Of a workbook, the year from which it counts days; null for a CSV, which the lines above describe. */
  epoch: 1900 | 1904 | null
  /** Flags of the import that the file needs: what cannot be detected. */
  flags: readonly string[]
}

/** What the texts of a workbook are like. */
const workbook = {
  delimiter: ',',
  encoding: 'utf-8',
  hasByteOrderMark: false,
  lineEnd: '\n',
  decimal: '.',
  evidence: 'decimals',
  dates: 'iso',
  flags: [],
} as const

export const dialects: readonly Dialect[] = [
  {
    name: 'agency',
    description: 'UTF-8, commas, LF, some decimal commas among dots',
    delimiter: ',',
    encoding: 'utf-8',
    hasByteOrderMark: false,
    lineEnd: '\n',
    decimal: '.',
    evidence: 'none',
    dates: 'iso',
    epoch: null,
    flags: [],
  },
  {
    name: 'excel',
    description: 'Windows-1252, semicolons, CRLF, decimal commas, dates like 31.12.2021',
    delimiter: ';',
    encoding: 'windows-1252',
    hasByteOrderMark: false,
    lineEnd: '\r\n',
    decimal: ',',
    evidence: 'decimals',
    dates: 'dmy',
    epoch: null,
    flags: ['--dates', 'dmy'],
  },
  {
    name: 'unicode',
    description: 'UTF-16 with its mark, tabs, CRLF',
    delimiter: '\t',
    encoding: 'utf-16le',
    hasByteOrderMark: true,
    lineEnd: '\r\n',
    decimal: '.',
    evidence: 'decimals',
    dates: 'iso',
    epoch: null,
    flags: [],
  },
  {
    ...workbook,
    name: 'workbook',
    description: 'A workbook (.xlsx): numbers, dates, booleans and errors as such, days counted from 1900',
    epoch: 1900,
  },
  {
    ...workbook,
    name: 'workbook-1904',
    description: 'A workbook (.xlsx) whose days count from 1904, as on an old Mac',
    epoch: 1904,
  },
]

/** What the name of its files ends with. */
export function endingOf({ epoch }: Dialect): 'csv' | 'xlsx' {
  return epoch === null ? 'csv' : 'xlsx'
}

/** Stands in a cell for one byte that is no UTF-8: an é of Windows-1252, as files pasted together have it. */
export const brokenByte = '\uE0E9'

const quotedEverywhere = /["\r\n]/

/** Joins cells to a row. `always` names cells to quote although they need not be. */
export function joinCells(
  cells: readonly string[],
  { delimiter }: Dialect,
  always?: (column: number) => boolean,
): string {
  return cells
    .map((cell, column) =>
      quotedEverywhere.test(cell) || cell.includes(delimiter) || always?.(column) ? quoteCell(cell) : cell,
    )
    .join(delimiter)
}

function quoteCell(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`
}

/** How many physical lines a row takes: a line break in a quoted cell counts. */
export function countLines(row: string): number {
  return 1 + (row.match(/\r\n|\n|\r/g)?.length ?? 0)
}

export function encodeText(text: string, { encoding }: Dialect): Buffer {
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (encoding === 'windows-1252') return encodeWindows1252(text)
  if (!text.includes(brokenByte)) return Buffer.from(text)
  const parts = text.split(brokenByte).flatMap((part) => [Buffer.of(0xe9), Buffer.from(part)])
  return Buffer.concat(parts.slice(1))
}

/**
 * The characters of the bytes 0x80 to 0x9f, where Windows-1252 differs from Latin 1. Written out, because the decoder of some
 * Node versions takes the one for the other. Five bytes stand for nothing.
 */
const characters1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
const bytes1252 = new Map([...characters1252].map((character, index) => [character, 0x80 + index]))

function encodeWindows1252(text: string): Buffer {
  const bytes = Buffer.alloc(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const byte = code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : bytes1252.get(text[at]!)
    if (byte === undefined) throw new Error(`Windows-1252 has no ${JSON.stringify(text[at])}`)
    bytes[at] = byte
  }
  return bytes
}

/** Text as a program that saves Windows-1252 can have it. */
export function fitsEncoding(text: string, { encoding }: Dialect): boolean {
  if (encoding !== 'windows-1252') return true
  return [...text].every((letter) => /[\0-\x7f\xa0-\xff]/.test(letter) || bytes1252.has(letter))
}

/** Throws for text that is not in the encoding. */
export function decodeText(bytes: Buffer, encoding: Dialect['encoding']): string {
  if (encoding !== 'windows-1252') return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (byte) => characters1252[byte.charCodeAt(0) - 0x80]!)
}
