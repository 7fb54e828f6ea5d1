import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { damaged, WorkbookError } from './errors.ts'

/** What a workbook's archive may hold, beyond what real ones do. */
export interface ArchiveLimits {
  /** All parts together, unpacked. */
  maxUnpackedBytes: number
  /** How much of the size of the file the parts may have, unpacked. */
  maxTimes: number
}

const maxEntries = 10_000
const leastUnpackedBytes = 10_000_000
const blockBytes = 64 * 1024
const deflated = 8
const stored = 0

/** The parts of a workbook: a zip archive whose directory is read and checked, and nothing else yet. */
export class Archive {
  readonly #file: FileHandle
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  /** Packed bytes that were read, since it was set to 0. */
  bytesRead = 0

  private constructor(file: FileHandle, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#file = file
    this.#zip = zip
    this.#entries = entries
  }

  /** Throws a `WorkbookError` for an archive that is damaged, encrypted or made to harm. */
  static async open(path: string, limits: ArchiveLimits): Promise<Archive> {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const zip = await yauzl.fromFdPromise(file.fd, { autoClose: false, lazyEntries: true }).catch(refuseZip)
      return new Archive(file, zip, await readEntries(zip, size, limits))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  names(): string[] {
    return [...this.#entries.keys()]
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name))
  }

  /** The unpacked bytes of a part, checked against what the directory says. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(keyOf(name))
    if (!entry) throw damaged(`it has no part ${name.slice(0, 100)}`)
    const { compressionMethod, compressedSize, uncompressedSize } = entry
    if (compressionMethod !== deflated && compressionMethod !== stored)
      throw damaged('a part of it is compressed in a way that no workbook is')
    const { fileDataStart } = await this.#zip.readLocalFileHeaderPromise(entry, { minimal: true }).catch(refuseZip)
    const packed = this.#readRange(fileDataStart, compressedSize)
    let unpacked = 0
    let sum = 0
    try {
      for await (const block of compressionMethod === deflated ? inflate(packed) : packed) {
        unpacked += block.length
        if (unpacked > uncompressedSize) throw damaged('a part of it is larger than it says')
        sum = crc32(block, sum)
        yield block
      }
    } catch (error) {
      throw isOfZlib(error) ? damaged('a part of it cannot be unpacked') : error
    }
    if (unpacked !== uncompressedSize || sum !== entry.crc32) throw damaged('a part of it is not what was saved')
  }

  async close(): Promise<void> {
    this.#zip.removeAllListeners('error')
    this.#zip.on('error', () => {})
    await this.#file.close()
  }

  async *#readRange(start: number, length: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < length; ) {
      const bytes = Math.min(blockBytes, length - at)
      const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(bytes), 0, bytes, start + at)
      if (bytesRead === 0) throw damaged('it ends too early')
      at += bytesRead
      this.bytesRead += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}

/** A reader that stops early ends the unpacking, too. */
async function* inflate(packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  // A failure reaches the reader of the last stream; the callback only marks it as handled.
  yield* pipeline(packed, createInflateRaw({ chunkSize: blockBytes }), () => {}) as AsyncIterable<Buffer>
}

async function readEntries(zip: ZipFile, size: number, limits: ArchiveLimits): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxEntries)
    throw new WorkbookError(`it has ${zip.entryCount} parts, and no workbook has so many`)
  const entries = new Map<string, Entry>()
  let unpacked = 0
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.isEncrypted()) throw encrypted()
      if (entries.has(keyOf(entry.fileName))) throw damaged('two parts of it have one name')
      entries.set(keyOf(entry.fileName), entry)
      unpacked += entry.uncompressedSize
    }
  } catch (error) {
    throw error instanceof WorkbookError ? error : refusalOf(error)
  }
  const bySize = Math.max(leastUnpackedBytes, limits.maxTimes * size)
  if (unpacked > bySize)
    throw new WorkbookError(
      `unpacked, it has more than ${limits.maxTimes} times its ${size} bytes. If it is what it should be, save the sheet as CSV and import that`,
    )
  if (unpacked > limits.maxUnpackedBytes) throw new TooLargeError()
  return entries
}

/** Unpacked, it is larger than the caller allows. */
export class TooLargeError extends WorkbookError {
  constructor() {
    super('unpacked, it is too large')
  }
}

/** Names of parts are compared without case. */
function keyOf(name: string): string {
  return name.replace(/^\//, '').toLowerCase()
}

function encrypted(): WorkbookError {
  return new WorkbookError('it is encrypted. Open it, save it without a password, and import that file')
}

function refuseZip(error: unknown): never {
  throw refusalOf(error)
}

/** yauzl says what is wrong in the message of its error only. */
function refusalOf(error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException
  // An error of the disk says nothing about the file.
  if (code !== undefined && /^E[A-Z]+$/.test(code)) return error as Error
  if (/encrypt/.test(message)) return encrypted()
  if (/relative path|absolute path|invalid characters in fileName/.test(message))
    return new WorkbookError('a part of it has a name that leads out of it, as no workbook has')
  if (/not a zip|truncated|unexpected EOF|overflows/i.test(message)) return damaged('it ends too early')
  return damaged('its directory cannot be read')
}

function isOfZlib(error: unknown): boolean {
  return String((error as NodeJS.ErrnoException).code).startsWith('Z_')
}
