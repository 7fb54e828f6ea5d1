import { createReadStream, type Stats } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { OperatorError } from '../../kernel/errors.ts'

/** The bytes of a file, uncompressed, and how far they were read. */
export interface TextSource {
  /** What messages call it. */
  name: string
  /** Size of the file as it lies on disk; null for a stream. */
  bytesTotal: number | null
  /** Bytes read so far, of `bytesTotal`. */
  bytesRead(): number
  blocks: AsyncIterable<Buffer>
  /** Ends the reading, wherever it stands. */
  close(): void
}

/** The bytes of an import. */
export interface ImportSource extends TextSource {
  format: 'ndjson' | 'csv'
}

const blockBytes = 256 * 1024

const fileName = /\.(?<format>ndjson|jsonl|json|csv)(?:\.gz)?$/i

/** Opens a file by what its name says it is, or standard input (NDJSON) for `-`. */
export async function openSource(file: string, stdin: Readable | undefined): Promise<ImportSource> {
  const named = fileName.exec(file)?.groups
  if (!named && file !== '-')
    throw new OperatorError(`${file}: the name must end in .ndjson, .jsonl, .json or .csv, each with .gz or without.`)
  const format = named?.format?.toLowerCase() === 'csv' ? 'csv' : 'ndjson'
  return { ...(await openText(file, stdin)), format }
}

/** Opens a text file of any name, unpacked where it ends in .gz, or standard input for `-`. */
export async function openText(file: string, stdin: Readable | undefined): Promise<TextSource> {
  if (file === '-') return openStandardInput(stdin)
  const { size } = await readableFile(file)
  const raw = createReadStream(file, { highWaterMark: blockBytes })
  // A failure of either reaches the reader of the last one; the callback only keeps it from being unhandled.
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
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  Z_DATA_ERROR: 'it is not a sound gzip file',
  Z_BUF_ERROR: 'the gzip file ends too early',
}

function failureOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return failures[code ?? ''] ?? `it could not be read (${code ?? message})`
}
