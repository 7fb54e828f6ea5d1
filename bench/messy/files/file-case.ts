/** Small files that are judged as a whole: how they are opened, what is taken, what an operator reads. */
import type { Values } from '../truth.ts'

/** What the cases are about, by number. */
export const topics: Readonly<Record<number, string>> = {
  1: 'thousands and fractions',
  2: 'phones',
  3: 'addresses',
  4: 'statuses of addresses',
  5: 'columns without a name',
  6: 'one address, several people',
  7: 'domains',
  8: 'encodings',
  9: 'control characters',
  10: 'headers and words of other languages and programs',
  11: 'repeated headers',
  12: 'other formats',
  13: 'dates and lists',
  14: 'short rows, and where the header is',
  15: 'apostrophes of exporters',
}

/** One of the outcomes that are right for a file. */
export interface Outcome {
  /** Exit code of the command. */
  exit: 0 | 1 | 2
  /** The records that are in the catalogue afterwards, as far as these fields go; undefined for a field without a value. */
  records: readonly Values[]
  /** What the command must print, whatever the case. */
  says: readonly RegExp[]
  /** What it must not print. */
  never?: RegExp
}

export interface FileCase {
  /** Of a topic. */
  number: number
  name: string
  kind: 'stores' | 'contacts'
  file: string
  bytes: Buffer
  flags: readonly string[]
  /** One of them must come true. */
  must: readonly Outcome[]
}

type Given = Partial<Pick<FileCase, 'kind' | 'file' | 'flags'>>

/** A case of stores in UTF-8 unless it says otherwise. */
export function fileCase(
  number: number,
  name: string,
  content: string | Buffer,
  must: Outcome | readonly Outcome[],
  { kind = 'stores', file = `${kind}.csv`, flags = [] }: Given = {},
): FileCase {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return { number, name, kind, file, bytes, flags, must: Array.isArray(must) ? must : [must as Outcome] }
}

/** What no terminal should get from a file. */
export const controls = /[^\P{Cc}\t\r\n]/u

/** These records and no others are in. */
export function taken(records: readonly Values[], ...says: RegExp[]): Outcome {
  return { exit: 0, records, says }
}

/** Nothing is in, and the operator reads why. */
export function refused(...says: RegExp[]): Outcome {
  return { exit: 1, records: [], says }
}

/** The use of an option was wrong. */
export function misused(...says: RegExp[]): Outcome {
  return { exit: 2, records: [], says }
}

/** A file of stores: a header, and rows that may be joined by any delimiter. */
export function joinRows(rows: readonly (readonly string[])[], delimiter = ',', lineEnd = '\n'): string {
  return rows.map((cells) => `${cells.join(delimiter)}${lineEnd}`).join('')
}

/** The store that the contacts of all cases belong to, and one without a country. */
export const storesOfContacts = [
  { domain: 'shop.example', name: 'Shop', country: 'DE' },
  { domain: 'oak.example', name: 'Oak', country: 'IT' },
  { domain: 'nowhere.example', name: 'Nowhere' },
]
