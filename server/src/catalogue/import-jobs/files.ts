import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync, type ReadStream } from 'node:fs'
import { chmod, type FileHandle, link, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { formatNumber } from '../../foundation/kernel/time.ts'
import { readFreeBytes } from '../../foundation/runtime/free-space.ts'
import { formatEndingOf } from '../imports/source/text.ts'

const folderMode = 0o700
const fileMode = 0o600

/**
 * The files of imports: `DATA_DIR/imports/<id>/` has the uploaded file, the mapping of its columns and the rejects. They may
 * contain personal data, so that only the service's user can read them.
 */
export class ImportFiles {
  readonly root: string

  constructor(dataDir: string) {
    this.root = join(dataDir, 'imports')
  }

  /** Whether this server ever took an upload. */
  get exist(): boolean {
    return existsSync(this.root)
  }

  /** Names the server that has the files of an import: several servers may share the database, but not this folder. */
  async serverId(): Promise<string> {
    const path = join(this.root, 'server-id')
    const known = await readFile(path, 'utf8').catch(ignoreMissing)
    if (known) return known.trim()
    await mkdir(this.root, { recursive: true, mode: folderMode })
    const temporary = `${path}.${randomUUID()}`
    await writeFile(temporary, randomUUID(), { mode: fileMode })
    // Fails if another process was quicker; both then read the same id.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rm(temporary, { force: true })
    return (await readFile(path, 'utf8')).trim()
  }

  folderOf(id: number): string {
    return join(this.root, String(id))
  }

  sourceOf({ id, fileName }: { id: number; fileName: string }): string {
    return join(this.folderOf(id), `source${formatEndingOf(fileName) ?? ''}`)
  }

  async create(job: { id: number; fileName: string }): Promise<void> {
    // A database that was restored from an older copy gives numbers again.
    await rm(this.folderOf(job.id), { recursive: true, force: true })
    await mkdir(this.folderOf(job.id), { recursive: true, mode: folderMode })
    await writeFile(this.sourceOf(job), '', { mode: fileMode, flag: 'wx' })
  }

  /** Throws `storage_full` if the disk has no room for so many bytes more. */
  async requireSpace(bytes: number): Promise<void> {
    const free = await readFreeBytes(this.root)
    if (free < bytes) throw storageFullError({ needed: bytes, free })
  }

  /**
   * Writes a part of the uploaded file as it arrives. Returns the number of bytes that are on disk, also when the content
   * breaks off; `failure` then says why.
   */
  async writePart(
    job: { id: number; fileName: string },
    offset: number,
    content: Readable,
    maxBytes: number,
  ): Promise<{ written: number; failure: unknown }> {
    const file = await open(this.sourceOf(job), 'r+')
    let written = 0
    let failure: unknown = null
    try {
      // Destroying a request would also close the connection, and so lose the reply.
      for await (const chunk of content.iterator({ destroyOnReturn: false })) {
        if (written + chunk.length > maxBytes) throw partTooLargeError(maxBytes)
        await writeFully(file, chunk, offset + written)
        written += chunk.length
      }
    } catch (error) {
      failure = isDiskFull(error) ? storageFullError(null, error) : error
    }
    try {
      if (written > 0) await file.datasync()
    } finally {
      await file.close()
    }
    return { written, failure }
  }

  async writeMapping(id: number, map: Record<string, string>): Promise<void> {
    const path = this.#mappingOf(id)
    await writeFile(path, JSON.stringify(map), { mode: fileMode })
    await chmod(path, fileMode)
  }

  /** The mapping of the last run; empty if there is none. */
  async readMapping(id: number): Promise<Record<string, string>> {
    const text = await readFile(this.#mappingOf(id), 'utf8').catch(ignoreMissing)
    return text ? (JSON.parse(text) as Record<string, string>) : {}
  }

  async openRejects(id: number, name: string): Promise<{ content: ReadStream; bytes: number } | null> {
    const path = join(this.folderOf(id), name)
    const found = await stat(path).catch(ignoreMissing)
    return found ? { content: createReadStream(path), bytes: found.size } : null
  }

  async remove(
    job: { id: number; fileName: string; rejects: object | null },
    { source, rejects }: { source: boolean; rejects: boolean },
  ): Promise<void> {
    const { id } = job
    if (source && (rejects || job.rejects === null)) return rm(this.folderOf(id), { recursive: true, force: true })
    if (source) {
      await rm(this.sourceOf(job), { force: true })
      await rm(this.#mappingOf(id), { force: true })
    }
    if (rejects)
      for (const name of Object.values(job.rejects ?? {})) await rm(join(this.folderOf(id), name), { force: true })
  }

  #mappingOf(id: number): string {
    return join(this.folderOf(id), 'mapping.json')
  }
}

async function writeFully(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
}

export function partTooLargeError(maxBytes: number): Refusal {
  return new Refusal('payload_too_large', `A part of a file has at most ${formatNumber(maxBytes)} bytes.`)
}

function storageFullError(space: { needed: number; free: number } | null, cause?: unknown): Refusal {
  const megabytes = (bytes: number) => `${formatNumber(Math.ceil(bytes / 1e6))} MB`
  const figures = space ? `: ${megabytes(space.needed)} are needed, and ${megabytes(space.free)} are free` : ''
  return new Refusal('storage_full', `The disk of the server is full${figures}. Make room, then continue.`, { cause })
}
