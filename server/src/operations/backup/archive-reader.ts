import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { type DataKey, parseDataKeys } from '../../foundation/kernel/seal.ts'
import { sha256Of } from './archive-writer.ts'
import {
  BackupFileError,
  type BackupHeader,
  type BackupManifest,
  entryNames,
  parseBackupHeader,
  parseBackupManifest,
} from './manifest.ts'
import { type BackupSeal, parseSeal } from './seal.ts'
import { parseTarHeader, type TarEntry, tarBlockBytes, tarEnd, tarPaddingOf } from './tar.ts'

const decompress = promisify(gunzip)
/** An entry is read into memory. The manifest of a terabyte has less. */
const maxEntryBytes = 2 ** 28

interface PlacedEntry extends TarEntry {
  offset: number
  sha256: string
}

/** A backup that was read once from end to end, and whose checksums were all right. */
export interface VerifiedBackup {
  header: BackupHeader
  manifest: BackupManifest
  /** The keyring of the backed-up installation; null without --with-keys. */
  dataKeys: DataKey[] | null
  /** The manifest as it is in the file: the seal is over these bytes. */
  manifestBytes: Buffer
  /** Not verified yet: that needs a keyring. Null for a file without one. */
  seal: BackupSeal | null
  bytes: number
  /** The rows of a table in COPY's text format, in pieces. Bytes that changed since they were verified are an error. */
  readTable(name: string, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/**
 * Opens a backup and verifies all of it but the seal. Throws a `BackupFileError` for a file that is cut short, damaged or
 * newer.
 */
export async function openBackup(
  path: string,
  onProgress: (bytesRead: number, bytesTotal: number) => void = () => {},
): Promise<VerifiedBackup> {
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new OperatorError(
      cause.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${cause.code}).`,
      { cause },
    )
  })
  try {
    const { size } = await file.stat()
    const contents = await verify(new EntryReader(file, path, size), path, size, onProgress)
    return {
      ...contents,
      bytes: size,
      readTable: (name, onBytes) => readTable(file, path, contents.parts.get(name) ?? [], onBytes),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

interface Contents {
  header: BackupHeader
  manifest: BackupManifest
  dataKeys: DataKey[] | null
  manifestBytes: Buffer
  seal: BackupSeal | null
  parts: Map<string, PlacedEntry[]>
}

async function verify(
  reader: EntryReader,
  path: string,
  size: number,
  onProgress: (bytesRead: number, bytesTotal: number) => void,
): Promise<Contents> {
  const entries: PlacedEntry[] = []
  const parts = new Map<string, PlacedEntry[]>()
  let header: BackupHeader | undefined
  let dataKeys: DataKey[] | null = null
  let manifest: Buffer | undefined
  let checksum: string | undefined
  let seal: BackupSeal | null = null
  for (let next = await reader.next(); next; next = await reader.next()) {
    const { entry, content } = next
    if (!header) {
      if (entry.name !== entryNames.header) throw new BackupFileError(path, 'it is not a backup of Storedex')
      header = parseBackupHeader(path, content)
    }
    const table = /^tables\/(\w+)\/\d+\.copy\.gz$/.exec(entry.name)?.[1]
    if (entry.name === entryNames.manifest) manifest = content
    else if (entry.name === entryNames.checksum) checksum = content.toString()
    else if (entry.name === entryNames.seal) seal = parseSeal(content.toString()) ?? refuseSeal(path)
    else entries.push(entry)
    if (entry.name === entryNames.dataKeys) dataKeys = parseDataKeys(content.toString().trim()) ?? null
    if (table && parts.get(table)?.push(entry) === undefined) parts.set(table, [entry])
    onProgress(reader.position, size)
  }
  if (!header || !manifest || !checksum) throw new BackupFileError(path, 'it is incomplete')
  if (checksum !== `${sha256Of(manifest)}  ${entryNames.manifest}\n`)
    throw new BackupFileError(path, 'its manifest was altered')
  const described = parseBackupManifest(path, manifest)
  const expected = described.entries
  const differs = (entry: PlacedEntry, index: number) =>
    entry.name !== expected[index]?.name || entry.sha256 !== expected[index]?.sha256
  const altered = entries.find(differs)
  if (altered) throw new BackupFileError(path, `${altered.name} in it was altered`)
  if (entries.length !== expected.length) throw new BackupFileError(path, 'a part of it is missing')
  return { header, manifest: described, dataKeys, manifestBytes: manifest, seal, parts }
}

function refuseSeal(path: string): never {
  throw new BackupFileError(path, 'its seal was altered')
}

/** Reads entry after entry, and requires the file to end where the archive does. */
class EntryReader {
  readonly #file: FileHandle
  readonly #path: string
  readonly #size: number
  position = 0

  constructor(file: FileHandle, path: string, size: number) {
    this.#file = file
    this.#path = path
    this.#size = size
  }

  /** Undefined at the end. */
  async next(): Promise<{ entry: PlacedEntry; content: Buffer } | undefined> {
    const found = parseTarHeader(await this.#read(tarBlockBytes))
    if (found === undefined || (found && found.bytes > maxEntryBytes))
      throw new BackupFileError(this.#path, this.position === tarBlockBytes ? 'it is not a backup' : 'it was altered')
    if (found === null) {
      const rest = await this.#read(tarEnd.length - tarBlockBytes)
      if (this.position !== this.#size || rest.some((byte) => byte !== 0))
        throw new BackupFileError(this.#path, 'something was added at its end')
      return undefined
    }
    const offset = this.position
    const content = await this.#read(found.bytes)
    const padding = await this.#read(tarPaddingOf(found.bytes))
    if (padding.some((byte) => byte !== 0)) throw new BackupFileError(this.#path, 'it was altered')
    return { entry: { ...found, offset, sha256: sha256Of(content) }, content }
  }

  async #read(bytes: number): Promise<Buffer> {
    if (this.position + bytes > this.#size) throw new BackupFileError(this.#path, 'it is cut short')
    const content = await readAt(this.#file, this.position, bytes)
    if (!content) throw new BackupFileError(this.#path, 'it is cut short')
    this.position += bytes
    return content
  }
}

async function* readTable(
  file: FileHandle,
  path: string,
  parts: readonly PlacedEntry[],
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const load = async ({ name, offset, bytes, sha256 }: PlacedEntry) => {
    const content = await readAt(file, offset, bytes)
    if (!content || sha256Of(content) !== sha256) throw new BackupFileError(path, `${name} in it has changed meanwhile`)
    return decompress(content)
  }
  // The next part is unpacked while PostgreSQL takes this one.
  let next = parts[0] && load(parts[0])
  for (const [index, part] of parts.entries()) {
    const content = await next!
    const following = parts[index + 1]
    next = following && load(following)
    next?.catch(() => {}) // reported when its turn comes
    yield content
    onBytes(part.bytes)
  }
}

async function readAt(file: FileHandle, offset: number, bytes: number): Promise<Buffer | undefined> {
  const content = Buffer.allocUnsafe(bytes)
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(content, at, bytes - at, offset + at)
    if (bytesRead === 0) return undefined
    at += bytesRead
  }
  return content
}
