import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { type Clock, formatNumber } from '../../../foundation/kernel/time.ts'
import { readFreeBytes } from '../../../foundation/runtime/free-space.ts'
import type { Reject, RejectsFormat, RejectsWriter } from './rejects-formats.ts'

/** Receives the rejected records of an import. */
export interface RejectsSink {
  /** `inputBytes` is how much of the unpacked file has been read since the last call. */
  write(rejects: Reject[], inputBytes: number): Promise<void>
  close(): Promise<void>
  /** Path of the file; null while there are no rejects. */
  readonly path: string | null
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
