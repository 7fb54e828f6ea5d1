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
  /** Decided by the name of the file. JSON is a list if it begins with `[`, otherwise one record a line. */
  format: 'json' | 'csv'
  /** The path; null for standard input. */
  file: string | null
}

const blockBytes = 256 * 1024

const fileName = /\.(?<format>ndjson|jsonl|json|csv|tsv)(?:\.gz)?$/i
const workbook = /\.(?:xlsx?|xlsm|xlsb|ods|numbers)$/i

/** Opens a file, whose name says the format, or standard input (JSON) for `-`. */
export async function openSource(file: string, stdin: Readable | undefined): Promise<ImportSource> {
  const named = fileName.exec(file)?.groups
  if (!named && file !== '-') {
    const advice = workbook.test(file) ? ' Save the sheet as "CSV UTF-8" and import that file.' : ''
    throw new OperatorError(
      `${file}: the name must end in .ndjson, .jsonl, .json or .csv, each with .gz or without.${advice}`,
    )
  }
  const format = /^[ct]sv$/i.test(named?.format ?? '') ? 'csv' : 'json'
  return { ...(await openText(file, stdin)), format, file: file === '-' ? null : file }
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
