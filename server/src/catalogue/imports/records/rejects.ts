import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { cellKinds } from '@storedex/workbook/read'
import { type CellValue, WorkbookWriter } from '@storedex/workbook/write'
import { formatDelimitedRow } from '../../../foundation/kernel/csv.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { type Clock, formatNumber } from '../../../foundation/kernel/time.ts'
import { readFreeBytes } from '../../../foundation/runtime/free-space.ts'
import { rejectColumns } from '../fields/field-names.ts'
import type { Original } from './records.ts'

export interface Reject {
  line: number
  reason: string
  /** The record as the file has it; null if it must not be repeated. */
  original: Original | null
}

/** Receives the rejected records of an import. */
export interface RejectsSink {
  /** `inputBytes` is how much of the unpacked file has been read since the last call. */
  write(rejects: Reject[], inputBytes: number): Promise<void>
  close(): Promise<void>
  /** Path of the file; null while there are no rejects. */
  readonly path: string | null
}

export const rejectsFormats = ['ndjson', 'csv', 'xlsx'] as const

/** How rejects are written: in the format of the imported file. */
export interface RejectsFormat {
  /** Ends the name of the file. */
  extension: (typeof rejectsFormats)[number]
  begin(createdAt: Date): RejectsWriter
}

/** Writes the rejects of one import. What is added waits for `take`. */
interface RejectsWriter {
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

/** Returns the path of the rejects file: beside the imported file, or in the current folder for standard input. */
export function rejectsPathFor(
  { file, rejectsName = 'rejects' }: { file: string; rejectsName?: string },
  clock: Clock,
  extension: RejectsFormat['extension'],
): string {
  if (file !== '-') return `${resolve(file)}.${rejectsName}.${extension}`
  const stamp = clock.now().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  return resolve(`storedex-${rejectsName}-${stamp}Z.${extension}`)
}

/** Rejects take as much of the disk as the file they are of, this many times, and so many bytes more. */
const mostTimes = 2
const leastBytes = 1_000_000
/** So much is written at once. */
const partLength = 1_000_000

/**
 * A rejects file, created with the first reject. Only its owner can read it, because records may contain personal data.
 * Its size is bounded by what was read: reasons can be longer than the records they are of. What does not fit is counted.
 */
export class RejectsFile implements RejectsSink {
  readonly #wantedPath: string
  readonly #writer: RejectsWriter
  readonly #readFreeBytes: typeof readFreeBytes
  #file: FileHandle | null = null
  #path: string | null = null
  #allowedBytes = leastBytes
  #writtenBytes = 0
  #leftOut = 0

  private constructor(path: string, writer: RejectsWriter, freeBytes: typeof readFreeBytes) {
    this.#wantedPath = path
    this.#writer = writer
    this.#readFreeBytes = freeBytes
  }

  /** Removes the rejects of an earlier import. */
  static async begin(
    path: string,
    format: RejectsFormat,
    clock: Clock,
    freeBytes = readFreeBytes,
  ): Promise<RejectsFile> {
    await rm(path, { force: true }).catch(() => {})
    return new RejectsFile(path, format.begin(clock.now()), freeBytes)
  }

  get path(): string | null {
    return this.#path
  }

  async write(rejects: Reject[], inputBytes: number): Promise<void> {
    this.#allowedBytes += mostTimes * inputBytes
    if (rejects.length === 0) return
    this.#file ??= await this.#create()
    let pending = 0
    for (const reject of rejects) {
      const bytes = this.#leftOut > 0 ? null : this.#writer.add(reject, this.#allowedBytes - this.#writtenBytes)
      if (bytes === null) {
        this.#leftOut++
        continue
      }
      this.#writtenBytes += bytes
      pending += bytes
      if (pending < partLength) continue
      await this.#append(await this.#writer.take())
      pending = 0
    }
    await this.#append(await this.#writer.take())
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = null
    if (!file) return
    try {
      if (this.#leftOut > 0) this.#writer.addRest(describeRest(this.#leftOut))
      await file.appendFile(await this.#writer.end())
    } finally {
      await file.close()
    }
  }

  async #append(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return
    const needed = bytes.length
    const free = await this.#readFreeBytes(dirname(this.#path!))
    if (free < needed)
      throw new OperatorError(
        `${this.#path}: the disk is full: rejected records need ${formatNumber(needed)} bytes more, and ${formatNumber(free)} are free beside those kept for the database. Make room, and run it again.`,
      )
    await this.#file!.appendFile(bytes)
  }

  async #create(): Promise<FileHandle> {
    try {
      return await this.#createAt(this.#wantedPath)
    } catch (error) {
      if (!unwritable.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      // A new folder, so that no other user can have placed a file or link at this path.
      const folder = await mkdtemp(join(tmpdir(), 'storedex-rejects-'))
      return this.#createAt(join(folder, basename(this.#wantedPath)))
    }
  }

  async #createAt(path: string): Promise<FileHandle> {
    await rm(path, { force: true })
    const file = await open(path, 'wx', 0o600)
    this.#path = path
    return file
  }
}

function describeRest(count: number): string {
  return `${formatNumber(count)} more rejected records are not in this file, which has grown to ${mostTimes} times what was read and ${leastBytes / 1e6} MB. The report counts them; mend these, and import the file again.`
}

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENAMETOOLONG', 'EISDIR', 'ERR_FS_EISDIR'])
