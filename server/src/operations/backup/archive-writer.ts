import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import type { DataKey } from '../../foundation/kernel/seal.ts'
import { type BackupHeader, type BackupManifest, type EntryChecksum, entryNames } from './manifest.ts'
import { formatSeal, sealManifest } from './seal.ts'
import { createTarHeader, tarEnd, tarPaddingOf } from './tar.ts'

const compress = promisify(gzip)
/** Higher levels take several times as long; sealed contacts, most of the data, do not get smaller. */
const compressionLevel = 1
/** Bounds memory: each part is at most a few megabytes. */
const maxPartsInFlight = 4

/**
 * Writes a backup beside its final name, and gives it that name when it is complete and on disk. Only its owner can read
 * it. An older file of the name stays until then.
 */
export class ArchiveWriter {
  readonly #path: string
  readonly #aside: string
  readonly #file: FileHandle
  readonly #createdAt: Date
  readonly #entries: EntryChecksum[] = []
  readonly #compressing: { name: string; content: Promise<Buffer> }[] = []
  readonly #removeAside = () => rmSync(this.#aside, { force: true })
  #bytes = 0

  private constructor(path: string, aside: string, file: FileHandle, createdAt: Date) {
    this.#path = path
    this.#aside = aside
    this.#file = file
    this.#createdAt = createdAt
    // After Ctrl-C nothing else is left to remove it.
    process.once('exit', this.#removeAside)
  }

  static async open(name: string, createdAt: Date): Promise<ArchiveWriter> {
    const path = resolve(name)
    if ((await stat(path).catch(() => undefined))?.isDirectory())
      throw new OperatorError(`${name} is a folder: name a file for the backup.`)
    const aside = `${path}.${randomBytes(4).toString('hex')}.aside`
    const file = await open(aside, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
      throw new OperatorError(`The backup cannot be written to ${dirname(path)}: ${reasonOf(cause)}.`, { cause })
    })
    return new ArchiveWriter(path, aside, file, createdAt)
  }

  get bytes(): number {
    return this.#bytes
  }

  async writeHeader(header: BackupHeader): Promise<void> {
    await this.add(entryNames.header, toJson(header))
  }

  async add(name: string, content: Buffer): Promise<void> {
    await this.#writeCompressed(0)
    await this.#writeEntry(name, content)
  }

  /** Compresses several parts at once, and writes them in their order. */
  async addCompressed(name: string, content: Buffer): Promise<void> {
    const compressed = compress(content, { level: compressionLevel })
    compressed.catch(() => {}) // reported when its turn comes
    this.#compressing.push({ name, content: compressed })
    await this.#writeCompressed(maxPartsInFlight - 1)
  }

  /** Writes the manifest, with a seal if there is a key for it, and gives the file its name. Returns its size in bytes. */
  async finish(contents: Omit<BackupManifest, 'entries'>, sealingKey: DataKey | undefined): Promise<number> {
    await this.#writeCompressed(0)
    const manifest = toJson({ ...contents, entries: [...this.#entries] })
    await this.#writeEntry(entryNames.manifest, manifest)
    await this.#writeEntry(entryNames.checksum, Buffer.from(`${sha256Of(manifest)}  ${entryNames.manifest}\n`))
    if (sealingKey) await this.#writeEntry(entryNames.seal, Buffer.from(formatSeal(sealManifest(sealingKey, manifest))))
    await this.#write(tarEnd)
    await this.#file.sync()
    await this.#file.close()
    await rename(this.#aside, this.#path)
    await syncFolder(dirname(this.#path))
    process.off('exit', this.#removeAside)
    return this.#bytes
  }

  /** Removes what was written. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {})
    await rm(this.#aside, { force: true })
    process.off('exit', this.#removeAside)
  }

  async #writeCompressed(remaining: number): Promise<void> {
    while (this.#compressing.length > remaining) {
      const { name, content } = this.#compressing.shift()!
      await this.#writeEntry(name, await content)
    }
  }

  async #writeEntry(name: string, content: Buffer): Promise<void> {
    const entry = { name, bytes: content.length }
    this.#entries.push({ ...entry, sha256: sha256Of(content) })
    await this.#write(createTarHeader(entry, this.#createdAt), content, Buffer.alloc(tarPaddingOf(content.length)))
  }

  async #write(...pieces: Buffer[]): Promise<void> {
    try {
      for (const piece of pieces)
        for (let at = 0; at < piece.length; ) at += (await this.#file.write(piece, at)).bytesWritten
      for (const { length } of pieces) this.#bytes += length
    } catch (cause) {
      const reason = reasonOf(cause as NodeJS.ErrnoException)
      throw new OperatorError(`The backup cannot be written to ${this.#path}: ${reason}. Nothing of it was kept.`, {
        cause,
      })
    }
  }
}

export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function toJson(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 1)}\n`)
}

/** A rename is on disk once its folder is. Some file systems cannot do this. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'that is not a folder',
  EACCES: 'this user may not write there',
  EROFS: 'it cannot be written to',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's share of the disk is used up",
  EFBIG: 'the file would be larger than is allowed there',
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return reasons[code ?? ''] ?? message
}
