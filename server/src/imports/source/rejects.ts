import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { formatDelimitedRow } from '../../kernel/csv.ts'
import type { Clock } from '../../kernel/time.ts'
import { rejectColumns } from '../csv/header.ts'
import type { Original } from './records.ts'

export interface Reject {
  line: number
  reason: string
  /** The record as the file has it; null if it must not be repeated. */
  original: Original | null
}

/** Receives the rejected records of an import. */
export interface RejectsSink {
  write(rejects: Reject[]): Promise<void>
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
}

const maxRecordLength = 16_000

/** One JSON object a line; a record that is not JSON, or very long, is shown as text. */
export function jsonRejects(): RejectsFormat {
  return {
    extension: 'ndjson',
    begin: '',
    formatReject: ({ line, reason, original }) =>
      `{"line":${line},"reason":${JSON.stringify(reason)},"record":${formatJson(original)}}\n`,
  }
}

function formatJson(original: Original | null): string {
  if (original === null) return 'null'
  const text = Buffer.isBuffer(original) ? original.toString('utf8').trim() : original.join()
  if (!Buffer.isBuffer(original) || text.length > maxRecordLength) return JSON.stringify(text.slice(0, maxRecordLength))
  return /[\r\n]/.test(text) ? JSON.stringify(JSON.parse(text)) : text
}

/**
 * The columns of the imported file and two more, `_line` and `_reasons`, so that a person can mend the rows in a
 * spreadsheet and import them again. The mark at the beginning makes spreadsheets read it as UTF-8.
 */
export function csvRejects(header: readonly string[], delimiter: string): RejectsFormat {
  const cellsOf = (original: Original | null) => {
    const cells = original === null || Buffer.isBuffer(original) ? [] : (original as readonly string[])
    return header.map((_, column) => cells[column] ?? '')
  }
  return {
    extension: 'csv',
    begin: `\ufeff${formatDelimitedRow([...header, rejectColumns.line, rejectColumns.reasons], delimiter)}`,
    formatReject: ({ line, reason, original }) => formatDelimitedRow([...cellsOf(original), line, reason], delimiter),
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

/**
 * A rejects file, created with the first reject. Only its owner can read it, because records may contain personal data.
 */
export class RejectsFile implements RejectsSink {
  readonly #wantedPath: string
  readonly #format: RejectsFormat
  #file: FileHandle | null = null
  #path: string | null = null

  private constructor(path: string, format: RejectsFormat) {
    this.#wantedPath = path
    this.#format = format
  }

  /** Removes the rejects of an earlier import. */
  static async begin(path: string, format: RejectsFormat): Promise<RejectsFile> {
    await rm(path, { force: true }).catch(() => {})
    return new RejectsFile(path, format)
  }

  get path(): string | null {
    return this.#path
  }

  async write(rejects: Reject[]): Promise<void> {
    if (rejects.length === 0) return
    this.#file ??= await this.#create()
    await this.#file.appendFile(rejects.map(this.#format.formatReject).join(''))
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = null
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

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENAMETOOLONG', 'EISDIR', 'ERR_FS_EISDIR'])
