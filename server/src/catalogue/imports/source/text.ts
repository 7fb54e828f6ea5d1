import { createReadStream, type Stats } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { describeOtherFormat, lookedAtBytes } from './other-formats.ts'

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

/** The text of an import file. */
export interface TextFile extends TextSource {
  /** Decided by the name of the file. JSON is a list if it begins with `[`, otherwise one record a line. */
  format: 'json' | 'csv'
  /** The path; null for standard input. */
  file: string | null
  maxUnpackedMb: number
}

const blockBytes = 256 * 1024

/** How much a compressed file, or a workbook, may hold: honest ones hold 5 to 30 times their size. */
export const mostTimes = 200
const leastUnpackedBytes = 1_000_000
/** The same in bytes, whatever the file's size; a setting. */
export const defaultMaxUnpackedMb = 20_000

const fileName = /\.(?<format>ndjson|jsonl|json|csv|tsv|txt)(?:\.gz)?$/i
/** Names of spreadsheets: what has one and is text is read as CSV. */
const spreadsheetName = /\.(?:xlsx|xlsm|xls|xlsb|ods|numbers)$/i

/** The format of a text by its name: CSV, whatever its delimiter is, or JSON; null if the name does not say. */
export function formatOf(file: string): 'json' | 'csv' | null {
  if (spreadsheetName.test(file)) return 'csv'
  const named = fileName.exec(file)?.groups?.format
  if (named === undefined) return file === '-' ? 'json' : null
  return /^(?:csv|tsv|txt)$/i.test(named) ? 'csv' : 'json'
}

/** The end of a file's name that says its format, such as `.csv.gz`; null if it does not say. */
export function formatEndingOf(file: string): string | null {
  return (fileName.exec(file) ?? spreadsheetName.exec(file))?.[0].toLowerCase() ?? null
}

/** Opens a text, whose name says the format, or standard input (JSON) for `-`. */
export async function openTextFile(
  file: string,
  stdin: Readable | undefined,
  maxUnpackedMb: number,
): Promise<TextFile> {
  const format = formatOf(file)
  if (format === null)
    throw new OperatorError(
      `${file}: the name must end in .xlsx, .csv (also .tsv and .txt), .ndjson, .jsonl or .json, the texts with .gz or without.`,
    )
  const text = await openText(file, stdin, maxUnpackedMb)
  return { ...text, format, file: file === '-' ? null : file, maxUnpackedMb }
}

/** Opens a text file of any name (decompressed if it ends in .gz), or standard input for `-`. */
export async function openText(
  file: string,
  stdin: Readable | undefined,
  maxUnpackedMb = defaultMaxUnpackedMb,
): Promise<TextSource> {
  if (file === '-') return openStandardInput(stdin)
  const { size } = await readableFile(file)
  const raw = createReadStream(file, { highWaterMark: blockBytes })
  // Closed before it is read, it may still fail to open; the error is not needed.
  raw.on('error', () => {})
  // A failure of either stream reaches the reader of the last one; the callback only marks it as handled.
  const isPacked = /\.gz$/i.test(file)
  const content = isPacked ? pipeline(raw, createGunzip({ chunkSize: blockBytes }), () => {}) : raw
  const unpacked = readBlocks(file, content)
  const blocks = isPacked ? boundUnpacked(file, unpacked, size, maxUnpackedMb) : unpacked
  return {
    name: file,
    bytesTotal: size,
    bytesRead: () => raw.bytesRead,
    blocks: refuseOtherFormats(file, blocks),
    close: () => content.destroy(),
  }
}

/** Ends with an error where a file holds more than it may: a few bytes can be unpacked to gigabytes. */
async function* boundUnpacked(
  name: string,
  blocks: AsyncIterable<Buffer>,
  packedBytes: number,
  maxUnpackedMb: number,
): AsyncGenerator<Buffer> {
  const bySize = Math.max(leastUnpackedBytes, mostTimes * packedBytes)
  let unpacked = 0
  for await (const block of blocks) {
    unpacked += block.length
    if (unpacked > maxUnpackedMb * 1e6) throw tooLargeError(name, maxUnpackedMb)
    if (unpacked > bySize)
      throw new OperatorError(
        `${name}: it holds more than ${mostTimes} times its ${formatNumber(packedBytes)} bytes. If it is what it should be, unpack it and import the file itself.`,
      )
    yield block
  }
}

export function tooLargeError(name: string, maxUnpackedMb: number, cause?: unknown): OperatorError {
  return new OperatorError(
    `${name}: it holds more than ${formatNumber(maxUnpackedMb)} MB, which IMPORT_MAX_UNPACKED_MB allows. Raise it, or import parts.`,
    { cause },
  )
}

/** Ends with an error where a file is no text: its first bytes tell. */
async function* refuseOtherFormats(name: string, blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first: Buffer[] | null = []
  for await (const block of blocks) {
    if (first === null) {
      yield block
      continue
    }
    first.push(block)
    if (first.reduce((bytes, { length }) => bytes + length, 0) < lookedAtBytes) continue
    yield requireText(name, first)
    first = null
  }
  if (first !== null && first.length > 0) yield requireText(name, first)
}

function requireText(name: string, first: readonly Buffer[]): Buffer {
  const block = Buffer.concat(first)
  const other = describeOtherFormat(block)
  if (other !== null) throw new OperatorError(`${name}: ${other}.`)
  return block
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
    blocks: refuseOtherFormats(name, counted()),
    close: () => stdin.destroy(),
  }
}

/** Whether a file exists and can be read; throws an `OperatorError` otherwise. */
export async function readableFile(file: string): Promise<Stats> {
  let stats: Stats
  try {
    stats = await stat(file)
    await access(file, constants.R_OK)
  } catch (error) {
    throw new OperatorError(`${file}: ${readFailureOf(error)}.`, { cause: error })
  }
  if (stats.isDirectory()) throw new OperatorError(`${file} is a folder; name one file.`)
  return stats
}

async function* readBlocks(name: string, content: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const block of content) yield typeof block === 'string' ? Buffer.from(block) : (block as Buffer)
  } catch (error) {
    throw new OperatorError(`${name}: ${readFailureOf(error)}.`, { cause: error })
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

/** Why a file could not be read, for a sentence. */
export function readFailureOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return failures[code ?? ''] ?? `reading failed (${code ?? message})`
}
