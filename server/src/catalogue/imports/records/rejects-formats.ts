import { cellKinds } from '@storedex/workbook/read'
import { type CellValue, WorkbookWriter } from '@storedex/workbook/write'
import { formatDelimitedRow } from '../../../foundation/kernel/csv.ts'
import { rejectColumns } from '../fields/field-names.ts'
import type { Original } from './records.ts'

export interface Reject {
  line: number
  reason: string
  /** The record as the file has it; null if it must not be repeated. */
  original: Original | null
}

export const rejectsFormats = ['ndjson', 'csv', 'xlsx'] as const

/** How rejects are written: in the format of the imported file. */
export interface RejectsFormat {
  /** Ends the name of the file. */
  extension: (typeof rejectsFormats)[number]
  begin(createdAt: Date): RejectsWriter
}

/** Writes the rejects of one import. What is added waits for `take`. */
export interface RejectsWriter {
  /** Returns how many bytes it takes, before they are packed; null, and nothing is added, for more than are allowed. */
  add(reject: Reject, allowedBytes: number): number | null
  /** The last row of a file that not all rejects fit into. */
  addRest(sentence: string): void
  take(): Promise<Buffer>
  /** The bytes up to the end of the file. */
  end(): Promise<Buffer>
}

const maxRecordLength = 16_000

/** One JSON object a line; a record that is not JSON, or very long, is shown as text. */
export function jsonRejects(): RejectsFormat {
  return {
    extension: 'ndjson',
    begin: () =>
      new TextRejects(
        '',
        ({ line, reason, original }) =>
          `{"line":${line},"reason":${JSON.stringify(reason)},"record":${formatJson(original)}}\n`,
        (sentence) => `{"line":null,"reason":${JSON.stringify(sentence)},"record":null}\n`,
      ),
  }
}

class TextRejects implements RejectsWriter {
  readonly #formatReject: (reject: Reject) => string
  readonly #formatRest: (sentence: string) => string
  #text: string

  constructor(begin: string, formatReject: (reject: Reject) => string, formatRest: (sentence: string) => string) {
    this.#text = begin
    this.#formatReject = formatReject
    this.#formatRest = formatRest
  }

  add(reject: Reject, allowedBytes: number): number | null {
    const row = this.#formatReject(reject)
    const bytes = Buffer.byteLength(row)
    if (bytes > allowedBytes) return null
    this.#text += row
    return bytes
  }

  addRest(sentence: string): void {
    this.#text += this.#formatRest(sentence)
  }

  async take(): Promise<Buffer> {
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    return bytes
  }

  end(): Promise<Buffer> {
    return this.take()
  }
}

function formatJson(original: Original | null): string {
  if (original === null) return 'null'
  const text = Buffer.isBuffer(original) ? original.toString('utf8').trim() : cellsOfOriginal(original).join()
  if (!Buffer.isBuffer(original) || text.length > maxRecordLength) return JSON.stringify(text.slice(0, maxRecordLength))
  return /[\r\n]/.test(text) ? JSON.stringify(JSON.parse(text)) : text
}

/**
 * Two columns, `_line` and `_reasons`, and those of the imported file, so that a person can mend the rows in a
 * spreadsheet and import them again. They come first, so that a row has the cells that were found and no more: padded to
 * a wide header, it could be a thousand times as long. The mark at the beginning makes spreadsheets read it as UTF-8.
 */
export function csvRejects(header: readonly string[], delimiter: string): RejectsFormat {
  return {
    extension: 'csv',
    begin: () =>
      new TextRejects(
        `\ufeff${formatDelimitedRow([rejectColumns.line, rejectColumns.reasons, ...header], delimiter)}`,
        ({ line, reason, original }) => formatDelimitedRow([line, reason, ...cellsOfOriginal(original)], delimiter),
        (sentence) => formatDelimitedRow(['', sentence], delimiter),
      ),
  }
}

/** The same as a workbook, with numbers and dates as the imported one had them. */
export function workbookRejects(header: readonly string[]): RejectsFormat {
  return { extension: 'xlsx', begin: (createdAt) => new WorkbookRejects(header, createdAt) }
}

class WorkbookRejects implements RejectsWriter {
  readonly #writer: WorkbookWriter

  constructor(header: readonly string[], createdAt: Date) {
    const columns = [rejectColumns.line, rejectColumns.reasons, ...header]
    this.#writer = new WorkbookWriter({ columns, createdAt, sheetName: 'Rejects' })
  }

  add({ line, reason, original }: Reject, allowedBytes: number): number | null {
    const length = cellsOfOriginal(original).reduce((sum, cell) => sum + cell.length, reason.length)
    if (length > allowedBytes) return null
    const before = this.#writer.pendingBytes
    this.#writer.add([[line, reason, ...valuesOf(original)]])
    return this.#writer.pendingBytes - before
  }

  addRest(sentence: string): void {
    this.#writer.add([[null, sentence]])
  }

  take(): Promise<Buffer> {
    return this.#writer.flush()
  }

  async end(): Promise<Buffer> {
    return this.#writer.end()
  }
}

function valuesOf(original: Original | null): readonly CellValue[] {
  const cells = cellsOfOriginal(original)
  if (original === null || !('kinds' in original)) return cells
  return cells.map((cell, column) => {
    const kind = original.kinds[column]
    if (kind === cellKinds.number || kind === cellKinds.lostDigits) return Number(cell)
    return kind === cellKinds.date && /^\d{4}-\d\d-\d\d$/.test(cell) ? { day: cell } : cell
  })
}

/** The cells of a row; none of what is no row. */
export function cellsOfOriginal(original: Original | null): readonly string[] {
  if (original === null || Buffer.isBuffer(original)) return []
  return 'cells' in original ? original.cells : (original as readonly string[])
}
