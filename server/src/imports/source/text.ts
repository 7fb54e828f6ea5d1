import { createReadStream, type Stats } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { OperatorError } from '../../kernel/errors.ts'

/** The uncompressed bytes of a file, with progress. */
export interface TextSource {
  /** The name used in messages. */
  name: string
  /** Size of the file on disk; null for standard input. */
  bytesTotal: number | null
  /** How many bytes of `bytesTotal` have been read. */
  bytesRead(): number
  blocks: AsyncIterable<Buffer>
  close(): void
}

/** The bytes of an import file. */
export interface ImportSource extends TextSource {
  format: 'ndjson' | 'csv'
}

const blockBytes = 256 * 1024

const fileName = /\.(?<format>ndjson|jsonl|json|csv)(?:\.gz)?$/i

/** Opens a file, whose name says the format, or standard input (NDJSON) for `-`. */
export async function openSource(file: string, stdin: Readable | undefined): Promise<ImportSource> {
  const named = fileName.exec(file)?.groups
  if (!named && file !== '-')
    throw new OperatorError(`${file}: the name must end in .ndjson, .jsonl, .json or .csv, each with .gz or without.`)
  const format = named?.format?.toLowerCase() === 'csv' ? 'csv' : 'ndjson'
  return { ...(await openText(file, stdin)), format }
}

/** Opens a text file of any name (decompressed if it ends in .gz), or standard input for `-`. */
export async function openText(file: string, stdin: Readable | undefined): Promise<TextSource> {
  if (file === '-') return openStandardInput(stdin)
  const { size } = await readableFile(file)
  const raw = createReadStream(file, { highWaterMark: blockBytes })
  // A failure of either stream reaches the reader of the last one; the callback only marks it as handled.
  const content = /\.gz$/i.test(file) ? pipeline(raw, createGunzip({ chunkSize: blockBytes }), () => {}) : raw
  return {
    name: file,
    bytesTotal: size,
    bytesRead: () => raw.bytesRead,
    blocks: readBlocks(file, content),
    close: () => content.destroy(),
  }
}

function openStandardInput(stdin: Readable | undefined): TextSource {
  if (!stdin) throw new OperatorError('There is no standard input to read.')
  const name = 'standard input'
  let bytesRead = 0
  async function* counted() {
    for await (const block of readBlocks(name, stdin!)) {
      bytesRead += block.length
      yield block
    }
  }
  return {
    name,
    bytesTotal: null,
    bytesRead: () => bytesRead,
    blocks: counted(),
    close: () => stdin.destroy(),
  }
}

async function readableFile(file: string): Promise<Stats> {
  let stats: Stats
  try {
    stats = await stat(file)
    await access(file, constants.R_OK)
  } catch (error) {
    throw new OperatorError(`${file}: ${failureOf(error)}.`, { cause: error })
  }
  if (stats.isDirectory()) throw new OperatorError(`${file} is a folder; name one file.`)
  return stats
}

async function* readBlocks(name: string, content: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const block of content) yield typeof block === 'string' ? Buffer.from(block) : (block as Buffer)
  } catch (error) {
    throw new OperatorError(`${name}: ${failureOf(error)}.`, { cause: error })
  }
}

const failures: Record<string, string> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  Z_DATA_ERROR: 'not a valid gzip file',
  Z_BUF_ERROR: 'the gzip file ends too early',
}

function failureOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return failures[code ?? ''] ?? `reading failed (${code ?? message})`
}

/** One line of a text file, without its line break. */
export interface Line {
  /** Counted from 1. */
  number: number
  bytes: Buffer
  /** Whether the line is too long; `bytes` is then its beginning. */
  isTruncated: boolean
}

/** No valid record comes near this; longer lines are rejected and not held in memory. */
export const maxLineBytes = 1_000_000

/** How much of a too long line is kept. */
const cutBytes = 2_000

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Splits blocks of bytes into lines. Buffers at most one line. */
export class LineSplitter {
  #number = 0
  #held: Buffer[] = []
  #heldBytes = 0

  /** Returns the lines that end in this block. */
  push(block: Buffer): Line[] {
    const lines: Line[] = []
    let start = 0
    for (let end = block.indexOf(lineFeed); end !== -1; end = block.indexOf(lineFeed, start)) {
      this.#hold(block.subarray(start, end))
      lines.push(this.#release())
      start = end + 1
    }
    this.#hold(block.subarray(start))
    return lines
  }

  /** Returns the last line if no line break followed it. */
  end(): Line[] {
    return this.#heldBytes === 0 ? [] : [this.#release()]
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return
    this.#held.push(part)
    this.#heldBytes += part.length
    // Copied, so that the beginning of a long line does not keep the whole block in memory.
    if (this.#heldBytes > maxLineBytes) this.#held = [Buffer.from(this.#joined().subarray(0, cutBytes))]
  }

  #joined(): Buffer {
    return this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
  }

  #release(): Line {
    let bytes = this.#joined()
    const isTruncated = this.#heldBytes > maxLineBytes
    this.#held = []
    this.#heldBytes = 0
    this.#number++
    if (this.#number === 1 && bytes.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3)
    if (bytes.at(-1) === carriageReturn) bytes = bytes.subarray(0, -1)
    return { number: this.#number, bytes, isTruncated }
  }
}

/** Whether a line consists of white space only. */
export function isBlank({ bytes }: Line): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))
}
