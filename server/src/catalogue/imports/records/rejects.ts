import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
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

/** Writes rejects in the format of the imported file. */
export interface RejectsFormat {
  /** Ends the name of the file. */
  extension: 'ndjson' | 'csv'
  begin: string
  formatReject(reject: Reject): string
  /** The last line of a file that not all rejects fit into. */
  formatRest(sentence: string): string
}

const maxRecordLength = 16_000

/** One JSON object a line; a record that is not JSON, or very long, is shown as text. */
export function jsonRejects(): RejectsFormat {
  return {
    extension: 'ndjson',
    begin: '',
    formatReject: ({ line, reason, original }) =>
      `{"line":${line},"reason":${JSON.stringify(reason)},"record":${formatJson(original)}}\n`,
    formatRest: (sentence) => `{"line":null,"reason":${JSON.stringify(sentence)},"record":null}\n`,
  }
}

function formatJson(original: Original | null): string {
  if (original === null) return 'null'
  const text = Buffer.isBuffer(original) ? original.toString('utf8').trim() : original.join()
  if (!Buffer.isBuffer(original) || text.length > maxRecordLength) return JSON.stringify(text.slice(0, maxRecordLength))
  return /[\r\n]/.test(text) ? JSON.stringify(JSON.parse(text)) : text
}

/**
 * Two columns, `_line` and `_reasons`, and those of the imported file, so that a person can mend the rows in a
 * spreadsheet and import them again. They come first, so that a row has the cells that were found and no more: padded to
 * a wide header, it could be a thousand times as long. The mark at the beginning makes spreadsheets read it as UTF-8.
 */
export function csvRejects(header: readonly string[], delimiter: string): RejectsFormat {
  const cellsOf = (original: Original | null) =>
    original === null || Buffer.isBuffer(original) ? [] : (original as readonly string[])
  return {
    extension: 'csv',
    begin: `\ufeff${formatDelimitedRow([rejectColumns.line, rejectColumns.reasons, ...header], delimiter)}`,
    formatReject: ({ line, reason, original }) => formatDelimitedRow([line, reason, ...cellsOf(original)], delimiter),
    formatRest: (sentence) => formatDelimitedRow(['', sentence], delimiter),
  }
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
  readonly #format: RejectsFormat
  readonly #readFreeBytes: typeof readFreeBytes
  #file: FileHandle | null = null
  #path: string | null = null
  #allowedBytes = leastBytes
  #writtenBytes: number
  #leftOut = 0

  private constructor(path: string, format: RejectsFormat, freeBytes: typeof readFreeBytes) {
    this.#wantedPath = path
    this.#format = format
    this.#readFreeBytes = freeBytes
    this.#writtenBytes = Buffer.byteLength(format.begin)
  }

  /** Removes the rejects of an earlier import. */
  static async begin(path: string, format: RejectsFormat, freeBytes = readFreeBytes): Promise<RejectsFile> {
    await rm(path, { force: true }).catch(() => {})
    return new RejectsFile(path, format, freeBytes)
  }

  get path(): string | null {
    return this.#path
  }

  async write(rejects: Reject[], inputBytes: number): Promise<void> {
    this.#allowedBytes += mostTimes * inputBytes
    if (rejects.length === 0) return
    this.#file ??= await this.#create()
    let part = ''
    for (const reject of rejects) {
      const row = this.#leftOut > 0 ? null : this.#format.formatReject(reject)
      if (row === null || !this.#admit(Buffer.byteLength(row))) {
        this.#leftOut++
        continue
      }
      part += row
      if (part.length < partLength) continue
      await this.#append(part)
      part = ''
    }
    await this.#append(part)
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = null
    if (!file) return
    try {
      if (this.#leftOut > 0) await file.appendFile(this.#format.formatRest(describeRest(this.#leftOut)))
    } finally {
      await file.close()
    }
  }

  #admit(bytes: number): boolean {
    if (this.#writtenBytes + bytes > this.#allowedBytes) return false
    this.#writtenBytes += bytes
    return true
  }

  async #append(text: string): Promise<void> {
    if (text === '') return
    const needed = Buffer.byteLength(text)
    const free = await this.#readFreeBytes(dirname(this.#path!))
    if (free < needed)
      throw new OperatorError(
        `${this.#path}: the disk is full: rejected records need ${formatNumber(needed)} bytes more, and ${formatNumber(free)} are free beside those kept for the database. Make room, and run it again.`,
      )
    await this.#file!.appendFile(text)
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
    await file.appendFile(this.#format.begin)
    return file
  }
}

function describeRest(count: number): string {
  return `${formatNumber(count)} more rejected records are not in this file, which has grown to ${mostTimes} times what was read and ${leastBytes / 1e6} MB. The report counts them; mend these, and import the file again.`
}

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENAMETOOLONG', 'EISDIR', 'ERR_FS_EISDIR'])
