import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { Clock } from '../../kernel/time.ts'

export interface Reject {
  line: number
  reason: string
  /** The rejected record as JSON. */
  record: string
}

/** Receives the rejected records of an import. */
export interface RejectsSink {
  write(rejects: Reject[]): Promise<void>
  close(): Promise<void>
  /** Path of the file; null while there are no rejects. */
  readonly path: string | null
}

const maxRecordLength = 16_000

/** Builds the entry of a rejects file; a very long record is cut and shown as text. */
export function toReject(record: { line: number; toJson(): string }, reason: string): Reject {
  const json = record.toJson()
  const shown = json.length <= maxRecordLength ? json : JSON.stringify(json.slice(0, maxRecordLength))
  return { line: record.line, reason, record: shown }
}

/** Returns the path of the rejects file: beside the imported file, or in the current folder for standard input. */
export function rejectsPathFor(file: string, clock: Clock): string {
  if (file !== '-') return `${resolve(file)}.rejects.ndjson`
  const stamp = clock.now().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  return resolve(`storedex-rejects-${stamp}Z.ndjson`)
}

/**
 * A rejects file, created with the first reject. Only its owner can read it, because records may contain personal data.
 */
export class RejectsFile implements RejectsSink {
  readonly #wantedPath: string
  #file: FileHandle | null = null
  #path: string | null = null

  private constructor(path: string) {
    this.#wantedPath = path
  }

  /** Removes the rejects of an earlier import. */
  static async begin(path: string): Promise<RejectsFile> {
    await rm(path, { force: true }).catch(() => {})
    return new RejectsFile(path)
  }

  get path(): string | null {
    return this.#path
  }

  async write(rejects: Reject[]): Promise<void> {
    if (rejects.length === 0) return
    this.#file ??= await this.#create()
    const lines = rejects.map(
      ({ line, reason, record }) => `{"line":${line},"reason":${JSON.stringify(reason)},"record":${record}}\n`,
    )
    await this.#file.appendFile(lines.join(''))
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
    return file
  }
}

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENAMETOOLONG', 'EISDIR', 'ERR_FS_EISDIR'])
