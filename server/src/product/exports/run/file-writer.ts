import { createHash, type Hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { WorkbookOptions, WorkbookState } from '@storedex/workbook/write'
import { exportPieceIdentity } from '../../../foundation/encryption/keyring.ts'
import type { Sealer } from '../../../foundation/kernel/seal.ts'
import type { NewPiece, NewPieces } from '../file-queries.ts'
import type { ExportKey } from '../queries.ts'
import { endWorkbook, type PackedRows } from './workbook.ts'

const compress = promisify(gzip)

/** Small, because a download holds a piece or two in memory for as long as its reader takes. */
const pieceSize = 256 * 1_024

/** Where a file ends so far. */
export interface FileEnd {
  hash: Hash
  bytes: number
  pieces: number
  /** Null for other formats, and before the first content. */
  workbook: WorkbookState | null
}

export const emptyFile = (): FileEnd => ({ hash: createHash('sha256'), bytes: 0, pieces: 0, workbook: null })

export interface FileOptions {
  gzip: boolean
  /** Seals the pieces; null leaves them readable. */
  sealer: Sealer | null
  /** Null for files of text. */
  workbook: WorkbookOptions | null
}

/** What is added to a file: text, or rows of a workbook. */
export type FileContent = string | PackedRows

export interface NewContent extends Omit<NewPieces, 'contactIds'> {
  end: FileEnd
  /** Of the file if it ended with this content. */
  sha256: Buffer
}

/**
 * Prepares content for the end of a file: compressed on its own, so that the file's bytes depend on nothing but its chunks, cut
 * into pieces, and sealed. The file ends there only once the pieces are stored.
 */
export async function prepareContent(
  options: FileOptions,
  key: ExportKey,
  from: FileEnd,
  content: FileContent,
): Promise<NewContent> {
  const { sealer } = options
  const isText = typeof content === 'string'
  const plain = isText ? await encodeText(options, content) : content.bytes
  const hash = from.hash.copy().update(plain)
  const pieces: NewPiece[] = []
  const stored: Buffer[] = []
  let storedAt = 0
  for (let start = 0; start < plain.length; start += pieceSize) {
    const number = from.pieces + pieces.length
    const part = plain.subarray(start, start + pieceSize)
    const bytes = sealer ? sealer.seal(part, exportPieceIdentity(key, number)) : part
    pieces.push({ number, startsAt: from.bytes + start, size: part.length, storedAt, storedSize: bytes.length })
    stored.push(bytes)
    storedAt += bytes.length
  }
  const workbook = isText ? null : content.state
  const end = { hash, bytes: from.bytes + plain.length, pieces: from.pieces + pieces.length, workbook }
  return {
    pieces,
    sealed: sealer !== null,
    bytes: sealer ? Buffer.concat(stored) : plain,
    end,
    sha256: digestOf(options, end),
  }
}

async function encodeText({ gzip: isCompressed }: FileOptions, text: string): Promise<Buffer> {
  return isCompressed ? await compress(text) : Buffer.from(text)
}

/** Whether content continues a file where it ends. */
export function isBehind(content: FileContent, { workbook }: FileEnd): boolean {
  return typeof content === 'string' || content.from === workbook
}

/** The SHA-256 of a file that ends here, with what completes it. */
export function digestOf({ workbook: options }: Pick<FileOptions, 'workbook'>, { hash, workbook }: FileEnd): Buffer {
  const whole = hash.copy()
  if (options) whole.update(endWorkbook(options, workbook))
  return whole.digest()
}
